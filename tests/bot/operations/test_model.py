"""`model`: what the server says of itself, and nothing that it does not say."""

import pytest

from bot.errors import NotConnectedError, RetryLater, UsageError
from bot.nouns import Deployment, ServedModel
from bot.operations.execute import Outcome, execute
from bot.operations.model import MODEL
from bot.operations.operation import Registry
from bot.view import plain
from tests.doubles.ports import House
from tests.doubles.sights import PROD, scrape

TABLE: Registry = (MODEL,)
LABELS = {
    "cache_dtype": "auto",
    "block_size": "128",
    "kv_cache_size_tokens": "67328",
    "num_gpu_blocks": "1164",
    "enable_prefix_caching": "True",
    "sliding_window": "None",
}


def serving() -> House:
    house = House()
    house.names.known = [PROD]
    house.engine.served = (ServedModel(id="google/gemma-4-31B-it", context=65536), ServedModel(id="lora-1"))
    house.engine.said_version = "0.32.0"
    house.engine.scrape = scrape().model_copy(update={"cache_config": LABELS})
    return house


async def model(house: House, words: str = "model") -> Outcome:
    return await execute(TABLE, house.services, house.request(words))


async def test_ids_window_version_and_settings() -> None:
    view = (await model(serving())).view
    assert plain(view.verdict) == "prod serves google/gemma-4-31B-it · window 65,536 tokens"
    assert [plain(one) for one in view.lines] == [
        "Also lora-1 · window unknown",
        "vLLM 0.32.0 · cache holds 67,328 tokens",
        "cache_dtype auto · block_size 128 · enable_prefix_caching True",
    ]


@pytest.mark.parametrize("said", [None, "", "None", "many", "-5"])
async def test_a_cache_size_that_the_server_does_not_tell_is_unknown_and_never_blocks_times_size(said: str | None) -> None:
    house = serving()
    labels = {**LABELS, "kv_cache_size_tokens": said}
    known = {name: value for name, value in labels.items() if value is not None}
    house.engine.scrape = scrape().model_copy(update={"cache_config": known})
    assert plain((await model(house)).view.lines[1]) == "vLLM 0.32.0 · cache size unknown"


async def test_what_does_not_answer_has_a_line_and_the_rest_counts() -> None:
    house = serving()
    house.engine.said_version = RetryLater("Engine: /version did not answer.")
    house.engine.scrape = RetryLater("Engine: /metrics did not answer.")
    lines = [plain(one) for one in (await model(house)).view.lines]
    assert lines[1:] == [
        "vLLM version unknown · cache size unknown",
        "Settings unknown: the server does not tell them.",
        "Engine: /version did not answer.",
        "Engine: /metrics did not answer.",
    ]


async def test_without_the_list_of_models_there_is_no_answer() -> None:
    house = serving()
    house.engine.served = RetryLater("Engine: prod does not answer.")
    with pytest.raises(RetryLater):
        await model(house)


async def test_a_server_without_models_says_so() -> None:
    house = serving()
    house.engine.served = ()
    assert plain((await model(house)).view.verdict) == "prod serves no model"


async def test_the_beginning_of_a_name_is_enough_while_it_is_one_name_only() -> None:
    house = serving()
    house.names.known = [PROD, Deployment(name="bench-a"), Deployment(name="bench-b")]
    assert plain((await model(house, "model pr")).view.verdict).startswith("prod serves")
    with pytest.raises(UsageError) as two:
        await model(house, "model bench")
    assert (str(two.value), two.value.near) == ("“bench” could be bench-a or bench-b.", ("model bench-a", "model bench-b"))
    with pytest.raises(UsageError) as none:
        await model(house, "model test")
    assert (str(none.value), none.value.near[0]) == ("There is no deployment “test”.", "model prod")


async def test_a_whole_name_wins_over_longer_ones() -> None:
    house = serving()
    house.names.known = [Deployment(name="prod-2"), PROD]
    assert plain((await model(house, "model prod")).view.verdict).startswith("prod serves")


async def test_without_any_deployment_it_says_what_to_set() -> None:
    with pytest.raises(NotConnectedError, match="Deployment: not connected, set MODEL_BASE_URL"):
        await model(House())
