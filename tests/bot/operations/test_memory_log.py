"""`memory` where the server does not tell its cache: its start-up log does, over SSH, and the answer says so."""

from datetime import timedelta

from bot.errors import RetryLater
from bot.nouns import EngineSample, ServedModel
from bot.operations.execute import Outcome
from bot.operations.memory import MEMORY
from bot.view import plain
from sandbox.machine.starts import Ending
from tests.doubles.engines import PLACE, Rig
from tests.doubles.ports import NOW
from tests.doubles.works import Works


class Bench(Works):
    """prod serves, and its server's labels hold nothing of its cache unless a test says so."""

    def __init__(self, **labels: str) -> None:
        super().__init__((MEMORY,))
        self.rig = Rig(self.house.clock)
        self.house.engines, self.house.engine = self.rig.engines, self.rig.engine
        self.house.names.known = [PLACE]
        self.rig.serves()
        self.rig.engine.scrape = EngineSample(at=NOW, model_name="google/gemma-4-31B-it", cache_config=labels)

    async def told(self) -> str:
        outcome: Outcome = await self.say("memory")
        view = outcome.view
        return "\n".join(map(plain, (view.verdict, *view.lines, *view.details)))


async def test_the_start_up_log_is_read_and_named_with_its_time() -> None:
    told = await Bench().told()
    assert "The cache holds 67,328 tokens (your start-up log, 00:0" in told
    assert told.startswith("64K on v6e-4 with 31B will not crash, but serves 1 user at a time")


async def test_a_server_that_tells_is_believed_and_its_machine_left_alone() -> None:
    made = Bench(num_gpu_blocks="526", block_size="128", kv_cache_size_tokens="67328", kv_cache_max_concurrency="1.02734375")
    assert "the engine's own labels" in await made.told()
    assert made.rig.calls == 0


async def test_a_machine_that_cannot_be_reached_leaves_it_computed_and_says_why() -> None:
    made = Bench()
    made.rig.errors = [RetryLater("prod-1 cannot be reached over SSH.")]
    told = await made.told()
    assert "Computed, an estimate" in told
    assert "prod-1 cannot be reached over SSH." in told


async def test_a_start_that_has_not_come_to_its_cache_tells_nothing() -> None:
    made = Bench()
    made.rig.docker.containers["gemma-engine"].begin(NOW - timedelta(seconds=30), made.rig.docker._next_script([]))
    assert "Computed, an estimate" in await made.told()


async def test_what_ended_is_not_what_runs() -> None:
    made = Bench()
    made.rig.docker.containers["gemma-engine"].stopped = NOW - timedelta(seconds=1)
    made.rig.docker.ending = Ending.READY
    made.rig.engine.served = (ServedModel(id="google/gemma-4-31B-it", context=65_536),)
    assert "Computed, an estimate" in await made.told()
