"""Each failure signature against a recorded or documented sample, and what must not be found in a healthy log."""

import json
from pathlib import Path

import pytest

from bot.diagnosis import Nature, diagnose
from bot.diagnosis.signatures import SIGNATURES

RECORDED = Path(__file__).parents[2] / "fixtures" / "tpu_logs"

BOOT = """\
(APIServer pid=1) INFO 11-02 03:01:10 [api_utils.py:273] non-default args: {'max_model_len': 65536}
(EngineCore pid=90) INFO 11-02 03:01:40 [core.py:121] Initializing a V1 LLM engine with config: quantization=None
(EngineCore pid=90) INFO 11-02 03:01:41 [tpu_worker.py:471] Init worker | rank=0 | hbm=[(0.0, 31.24)]GiB
"""
LOADING = """\
(EngineCore pid=90) INFO 11-02 03:01:42 [model_loader.py:625] Loading model with MODEL_IMPL_TYPE=auto
(EngineCore pid=90) Loading safetensors checkpoint shards:   0% Completed | 0/2 [00:00<?, ?it/s]
"""
LOADED = "(EngineCore pid=90) INFO 11-02 03:03:12 [default_loader.py:430] Loading weights took 89.12 seconds\n"
COMPILING = (
    "(EngineCore pid=90) INFO 11-02 03:03:20 [compilation_manager.py:137] "
    "Precompile worker0 structured_decode --> {'num_reqs': 8}\n"
)
READY = """\
(APIServer pid=1) INFO:     Started server process [1]
(APIServer pid=1) INFO:     Waiting for application startup.
(APIServer pid=1) INFO:     Application startup complete.
(APIServer pid=1) INFO:     10.0.0.7:5012 - "POST /v1/chat/completions HTTP/1.1" 200 OK
"""
WRAPPER = """\
(APIServer pid=1) Traceback (most recent call last):
(APIServer pid=1)   File "/workspace/vllm/vllm/v1/engine/utils.py", line 1254, in wait_for_engine_startup
(APIServer pid=1)     raise RuntimeError(
(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
"""


def raised(*texts: str) -> str:
    """A trace as vLLM's engine core logs it: an exception (chained when there are more) below its frames."""
    at = "(EngineCore pid=90) ERROR 11-02 03:04:46 [core.py:1349] "
    frame = '  File "/workspace/vllm/vllm/v1/engine/core.py", line 1318, in run_engine_core'
    trace = ["Traceback (most recent call last):", frame, "    raise ValueError(msg)"]
    chain = ["", "The above exception was the direct cause of the following exception:", ""]
    lines = ["EngineCore failed to start."]
    for i, text in enumerate(texts):
        lines += [*(chain if i else []), *trace, *text.split("\n")]
    return "".join(f"{at}{line}\n" for line in lines)


def failed_start(*texts: str, before: str = LOADING) -> str:
    return BOOT + before + raised(*texts) + WRAPPER


FIGURES: dict[str, dict[str, str]] = json.loads((RECORDED / "signatures" / "figures.json").read_text())


def sample(name: str) -> str:
    """The log that shows one signature: recorded, or made from the line that its public source documents."""
    return (RECORDED / "signatures" / f"{name}.log").read_text()


@pytest.mark.parametrize("name", [signature.name for signature in SIGNATURES])
def test_every_signature_names_its_sample_first_with_the_figures_of_the_line(name: str) -> None:
    log, figures = sample(name), FIGURES[name]
    found = diagnose(log.splitlines())
    assert found, "nothing was found"
    assert found[0].name == name, [finding.name for finding in found]
    assert found[0].figures.items() >= figures.items()
    assert found[0].cause.text in log
    assert log.splitlines()[found[0].cause.line_number - 1].endswith(found[0].cause.text)
    assert "Engine core initialization failed" not in found[0].cause.text
    assert not found[0].over


def test_a_failed_start_counts_all_its_signs() -> None:
    log = sample("program_too_large")
    found = diagnose(log.splitlines())
    assert found[0].signs_matched == "4 of 4 signs"
    assert found[0].title == "a compiled program did not fit in TPU memory"


def test_an_engine_that_died_shows_four_signs_and_its_exception_comes_first_when_there_is_one() -> None:
    died = sample("engine_died")
    assert diagnose(died.splitlines())[0].signs_matched == "4 of 4 signs"
    trace = raised("ValueError: a page of the cache was freed twice").replace("failed to start", "encountered a fatal error")
    requests, client = died.removeprefix(BOOT + READY).splitlines()
    found = diagnose([*(BOOT + READY + trace).splitlines(), requests, client])
    assert [finding.name for finding in found] == ["unknown_failure", "engine_died"]
    assert found[0].cause.text == "ValueError: a page of the cache was freed twice"


def test_a_recorded_failure_is_named_from_its_exception_and_not_from_the_wrappers() -> None:
    lines = (RECORDED / "v5e1_qwix_fail_excerpt.log").read_text().splitlines()
    first, *others = diagnose(lines)
    assert first.name == "quantisation"
    assert first.cause.text.startswith("ValueError: There is no module or parameter named")
    assert first.figures["parameter"] == "model.language_model.layers.0.mlp.down_proj.weight"
    assert first.signs_matched == "4 of 4 signs"
    assert others == []


def test_a_recorded_healthy_start_gives_no_finding() -> None:
    assert diagnose((RECORDED / "v6e1_e2b_boot_excerpt.log").read_text().splitlines()) == []


def test_an_empty_log_gives_no_finding() -> None:
    assert diagnose([]) == []


def test_a_healthy_start_after_a_failed_one_says_that_it_is_over() -> None:
    log = sample("program_too_large")
    found = diagnose((log + BOOT + LOADING + LOADED + READY).splitlines())
    assert [finding.over for finding in found] == [True]


def test_an_error_that_a_good_start_overcame_is_no_finding() -> None:
    retry = (
        "WARNING 11-02 03:01:11 [hub.py:1] huggingface.co timed out, "
        "retrying\nERROR 11-02 03:01:12 [hub.py:1] 401 Client Error: huggingface\n"
    )
    assert diagnose((BOOT + retry + LOADING + LOADED + READY).splitlines()) == []


def test_a_client_without_a_tpu_is_no_failed_engine() -> None:
    line = (
        "ERROR 08-06 19:31:27 [tpu_info.py:91] Failed to detect number of TPUs: [Errno 2] No such file or directory: '/dev/vfio'"
    )
    assert diagnose([line, "Starting main benchmark run...", "Successful requests:                     128"]) == []


def test_an_unknown_fatal_exception_is_named_by_its_own_line() -> None:
    log = failed_start("flax.errors.ScopeParamNotFoundError: could not find the parameter of a new kind")
    found = diagnose(log.splitlines())
    assert [finding.name for finding in found] == ["unknown_failure"]
    assert found[0].title == "the engine failed: flax.errors.ScopeParamNotFoundError: could not find the parameter of a new kind"
    assert "core.py" in found[0].check


def test_a_mere_look_up_at_the_head_of_a_chain_is_passed_over() -> None:
    log = failed_start("KeyError: 'rope'", "flax.errors.NewError: the rope scaling of this checkpoint is of an unknown kind")
    assert "of an unknown kind" in diagnose(log.splitlines())[0].cause.text


def test_wrappers_alone_say_that_the_cause_is_missing() -> None:
    found = diagnose(WRAPPER.splitlines())
    assert [finding.name for finding in found] == ["cause_not_in_log"]


def test_the_end_of_a_trace_is_enough_when_its_beginning_is_not_in_the_log() -> None:
    whole = failed_start("flax.errors.NewError: the checkpoint is of an unknown kind").splitlines()
    tail = whole[next(i for i, line in enumerate(whole) if 'core.py"' in line) :]
    assert [finding.cause.text for finding in diagnose(tail)] == ["flax.errors.NewError: the checkpoint is of an unknown kind"]


def test_lines_of_docker_compose_and_of_the_startup_script_are_read_alike() -> None:
    log = sample("tpu_in_use")
    for prefix in (
        "vllm-1  | ",
        "Nov  2 03:01:10 tpu-vm google_metadata_script_runner[812]: startup-script: ",
        "2026-11-02T03:01:10.5Z ",
    ):
        found = diagnose(prefix + line for line in log.splitlines())
        assert [finding.name for finding in found] == ["tpu_in_use"]


def test_an_exit_that_differs_in_its_number_only_is_told_apart() -> None:
    log = ["container vllm exited with code 100", "container vllm exited with code 137"]
    assert [finding.cause.line_number for finding in diagnose(log)] == [2]


def test_a_failed_request_of_a_serving_engine_is_no_failed_engine() -> None:
    request = "(APIServer pid=1) Traceback (most recent call last):\n" + '(APIServer pid=1)   File "a.py", line 1, in f\n'
    log = BOOT + READY + request + "(APIServer pid=1) ValueError: bad image url\n" + READY.splitlines()[-1] + "\n"
    assert diagnose(log.splitlines()) == []


def test_a_request_that_vllm_preempts_is_not_a_machine_that_google_took() -> None:
    line = "WARNING 11-02 03:11:01 [scheduler.py:1] Sequence group 7 is preempted because there is not enough KV cache space."
    assert diagnose([*BOOT.splitlines(), *READY.splitlines(), line]) == []


def test_an_error_quoted_in_a_prompt_is_no_finding() -> None:
    line = "INFO 11-02 03:11:01 [logger.py:40] Received request x: prompt: 'why OOMKilled? No space left on device', params: None"
    assert diagnose([*BOOT.splitlines(), *READY.splitlines(), line]) == []


def test_a_few_refused_requests_are_no_finding() -> None:
    line = 'INFO:     10.0.0.9:57932 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request'
    assert diagnose([*BOOT.splitlines(), *READY.splitlines(), *[line] * 4]) == []


def test_callers_faults_come_after_failures() -> None:
    died = sample("engine_died")
    too_long = sample("prompt_too_long")
    found = diagnose((too_long + died).splitlines())
    assert [finding.nature for finding in found] == [Nature.FAILURE, Nature.CALLER]


def test_secrets_and_prompts_do_not_come_out_of_a_diagnosis() -> None:
    token = "hf_" + "aB3" * 12
    log = failed_start(
        f"HfHubHTTPError: 401 Client Error for https://huggingface.co/google/x?token={token} prompt: 'my secret', params: 1"
    )
    assert token not in repr(diagnose(log.splitlines()))
    assert "my secret" not in repr(diagnose(log.splitlines()))


def test_memory_stays_bounded_on_a_long_log_of_errors() -> None:
    lines = (f"ERROR 11-02 03:04:46 [core.py:1] RESOURCE_EXHAUSTED: attempt {i} {i * 7919 % 1000003}" for i in range(20_000))
    assert diagnose(lines) == []
