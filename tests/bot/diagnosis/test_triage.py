"""Each failure signature against a recorded or documented sample, and what must not be found in a healthy log."""

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


SAMPLES = {
    "program_too_large": (
        failed_start(
            "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Error loading "
            "program 'jit_structured_decode_fn': Attempting to reserve 384.11M at "
            "the bottom of memory. That was not possible. There are 346.77M free, 0B reserved, and 346.77M reservable.",
            before=LOADING + LOADED + COMPILING,
        ),
        {"program": "jit_structured_decode_fn", "wanted": "384.11M", "free": "346.77M"},
    ),
    "weights_too_large": (
        failed_start(
            "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: "
            "Error allocating device buffer: Attempting to allocate 1.31G. "
            "That was not possible. There are 812.50M free.; (0x0x0_HBM0)"
        ),
        {"wanted": "1.31G", "free": "812.50M"},
    ),
    "memory_while_serving": (
        BOOT
        + READY
        + raised(
            "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile "
            "permanent error. Ran out of memory in memory space hbm. "
            "Used 32.40G of 31.24G hbm. Exceeded hbm capacity by 1.16G."
        ).replace("EngineCore failed to start.", "EngineCore encountered a fatal error."),
        {"used": "32.40G", "capacity": "31.24G", "short": "1.16G"},
    ),
    "kv_cache_too_small": (
        failed_start(
            "ValueError: To serve at least one request with the models's max seq "
            "len (65536), (54.00 GiB KV cache is needed, which is larger than "
            "the available KV cache memory (13.40 GiB). Based on the "
            "available memory, the estimated maximum model length is 16256. "
            "Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
            before=LOADING + LOADED,
        ),
        {"wanted_tokens": "65536", "needed": "54.00 GiB", "available": "13.40 GiB", "possible_tokens": "16256"},
    ),
    "no_room_for_cache": (
        failed_start(
            "ValueError: total_hbm_used_gb=30.1GiB exceeds total_hbm_limit_cap_gb=28.74GiB by 1.36GiB.", before=LOADING + LOADED
        ),
        {"used": "30.1GiB", "capacity": "28.74GiB"},
    ),
    "kernel_memory": (
        failed_start(
            "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: E1001: "
            "CompileTimeScopedVmemOom: Ran out of memory in memory space vmem for "
            "%attention.1. Scoped allocation with size 37.22M and limit 32.00M exceeded scoped vmem limit by 5.22M.",
            before=LOADING + LOADED + COMPILING,
        ),
        {"wanted": "37.22M", "capacity": "32.00M"},
    ),
    "host_memory": (
        BOOT
        + LOADING
        + "[ 912.1] Out of memory: Killed process 4122 (vllm) total-vm:99000000kB, anon-rss:48123456kB, oom_score_adj:0\n",
        {"resident": "48123456kB"},
    ),
    "killed": (BOOT + LOADING + "container vllm-gemma4 exited with code 137\n", {}),
    "huggingface_gated": (
        failed_start(
            "huggingface_hub.errors.HfHubHTTPError: 403 Client Error: Forbidden for url: "
            "https://huggingface.co/google/gemma-4-31B-it/resolve/main/config.json",
            "OSError: You are trying to access a gated repo. Access to model google/gemma-4-31B-it is restricted.",
            before="",
        ),
        {"model": "google/gemma-4-31B-it"},
    ),
    "huggingface_token": (
        failed_start(
            "huggingface_hub.errors.GatedRepoError: 401 Client Error. Cannot access gated repo for url "
            "https://huggingface.co/google/gemma-4-31B-it/resolve/main/config.json. "
            "Access to model google/gemma-4-31B-it is restricted. "
            "You must have access to it and be authenticated to access it. Please log in.",
            before="",
        ),
        {"model": "google/gemma-4-31B-it"},
    ),
    "model_not_found": (
        failed_start(
            "OSError: google/gemma-4-32B-it is not a local folder and is not a valid model identifier listed on "
            "'https://huggingface.co/models'",
            before="",
        ),
        {"model": "google/gemma-4-32B-it"},
    ),
    "huggingface_unreachable": (
        failed_start(
            "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='huggingface.co', "
            "port=443): Max retries exceeded with url: /api/models "
            "(Caused by NameResolutionError(\"Failed to resolve 'huggingface.co' (Temporary failure in name resolution)\"))",
            before="",
        ),
        {},
    ),
    "disk_full": (
        failed_start("OSError: [Errno 28] No space left on device: '/dev/shm/hub/models/blob.incomplete'"),
        {"path": "/dev/shm/hub/models/blob.incomplete"},
    ),
    "image_pull": (
        "docker: Error response from daemon: manifest for vllm/vllm-tpu:v0.12.0 not found: manifest unknown: manifest unknown\n",
        {"image": "vllm/vllm-tpu:v0.12.0"},
    ),
    "tpu_in_use": (
        failed_start(
            "RuntimeError: Unable to initialize backend 'tpu': UNKNOWN: TPU "
            "initialization failed: open(/dev/vfio/0): Device or resource busy: "
            "Device or resource busy; Couldn't open iommu group /dev/vfio/0",
            before="",
        ),
        {"device": "/dev/vfio/0"},
    ),
    "tpu_missing": (
        "ERROR 11-02 03:01:27 [tpu_info.py:91] Failed to detect number "
        "of TPUs: [Errno 2] No such file or directory: '/dev/vfio'\n"
        + failed_start("RuntimeError: Unable to initialize backend 'tpu': NOT_FOUND: No TPU found", before=""),
        {},
    ),
    "preempted": (
        BOOT + READY + "Nov  2 04:00:01 host google_guest_agent[410]: instance was preempted, shutting down (SIGTERM)\n",
        {},
    ),
    "container_exists": (
        'docker: Error response from daemon: Conflict. The container name "/vllm-gemma4" is already in use by container "4f1".\n',
        {"container": "vllm-gemma4"},
    ),
    "docker_unavailable": (
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n",
        {},
    ),
    "tensor_parallel": (
        failed_start("ValueError: Insufficient devices for 2D mesh: found 1, expected 8", before=""),
        {"found": "1", "expected": "8"},
    ),
    "port_in_use": (
        BOOT
        + (
            "(APIServer pid=1) ERROR:    [Errno 98] error while attempting "
            "to bind on address ('0.0.0.0', 8000): address already in use\n"
        ),
        {"port": "8000"},
    ),
    "transformers_too_old": (
        BOOT
        + "(APIServer pid=1) Traceback (most recent call last):\n"
        + '(APIServer pid=1)   File "/usr/local/bin/vllm", line 6, in <module>\n'
        + "(APIServer pid=1) pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
        + (
            "(APIServer pid=1)   Value error, The checkpoint you are trying to "
            "load has model type `gemma4_unified` but Transformers does not "
        )
        + "recognize this architecture. [type=value_error, input_value=ArgsKwargs((), {}), input_type=ArgsKwargs]\n",
        {"model_type": "gemma4_unified"},
    ),
    "transformers_incompatible": (failed_start("AttributeError: 'Tensor' object has no attribute '_elem'"), {}),
    "quantisation": (
        failed_start("ValueError: Quantization method fp8_block is not supported").replace(
            "quantization=None", "quantization='qwix'"
        ),
        {},
    ),
    "weights_mismatch": (
        failed_start(
            "ValueError: There is no module or parameter named 'model.layers.0.moe.gate' in Gemma4ForConditionalGeneration."
        ),
        {"parameter": "model.layers.0.moe.gate", "architecture": "Gemma4ForConditionalGeneration"},
    ),
    "architecture_unsupported": (
        failed_start(
            "ValueError: Model architectures ['Gemma4UnifiedForConditionalGeneration'] are not supported for now.", before=""
        ),
        {"architecture": "Gemma4UnifiedForConditionalGeneration"},
    ),
    "context_too_long": (
        failed_start(
            "ValueError: User-specified max_model_len (300000) is greater "
            "than the derived max_model_len (max_position_embeddings=262144).",
            before="",
        ),
        {"wanted_tokens": "300000", "possible_tokens": "262144"},
    ),
    "kernel_compile": (
        failed_start(
            "ValueError: Mosaic failed to compile TPU kernel: Not Implemented: unaligned last dimension",
            before=LOADING + LOADED + COMPILING,
        ),
        {"reason": "Not Implemented: unaligned last dimension"},
    ),
    "bad_arguments": ("vllm: error: unrecognized arguments: --tool-parser gemma4\n", {"arguments": "--tool-parser gemma4"}),
    "engine_died": (
        BOOT
        + READY
        + (
            "(APIServer pid=1) ERROR 11-02 03:11:01 [core_client.py:605] Engine "
            "core proc EngineCore_DP0 died unexpectedly, shutting down client.\n"
        )
        + '(APIServer pid=1) INFO:     10.0.0.7:5012 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error\n',
        {},
    ),
    "engine_hangs": (
        BOOT
        + READY
        + "INFO 11-02 03:11:01 [shm_broadcast.py:501] No available shared memory broadcast block found in 60 seconds.\n",
        {"waited_s": "60"},
    ),
    "recompiling": (
        BOOT
        + LOADING
        + LOADED
        + COMPILING
        + "DEBUG 11-02 03:11:01 [compiler.py:1] PERSISTENT COMPILATION CACHE MISS for 'jit_step'\n",
        {},
    ),
    "prompt_too_long": (
        BOOT
        + READY
        + (
            "(APIServer pid=1) ERROR 11-02 05:00:00 [serving_chat.py:1] "
            "VLLMValidationError: This model's maximum context length is 2048 tokens. "
        )
        + "However, your prompt contains at least 2049 input tokens.\n"
        + '(APIServer pid=1) INFO:     10.0.0.9:4000 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request\n',
        {"context": "2048", "asked": "2049"},
    ),
    "requests_refused": (
        BOOT + READY + 5 * '(APIServer pid=1) INFO:     10.0.0.9:57932 - "POST /v1/chat/completions HTTP/1.1" 400 Bad Request\n',
        {"caller": "10.0.0.9"},
    ),
    "tool_flags_missing": (
        BOOT
        + READY
        + (
            'ERROR 11-02 05:00:00 [serving.py:1] "auto" tool choice requires '
            "--enable-auto-tool-choice and --tool-call-parser to be set\n"
        ),
        {},
    ),
    "wrong_model_name": (
        BOOT
        + READY
        + (
            "(APIServer pid=17685) ERROR 11-30 17:46:37 [serving.py:274] "
            "Error with model error=ErrorInfo(message='The model `nope` "
        )
        + "does not exist. Valid aliases: tiny-gemma4.', type='NotFoundError', param='model', code=404)\n",
        {"model": "nope"},
    ),
    "tpu_memory_exhausted": (
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: something new about memory\n" + WRAPPER,
        {},
    ),
}


@pytest.mark.parametrize("name", [signature.name for signature in SIGNATURES])
def test_every_signature_names_its_sample_first_with_the_figures_of_the_line(name: str) -> None:
    log, figures = SAMPLES[name]
    found = diagnose(log.splitlines())
    assert found, "nothing was found"
    assert found[0].name == name, [finding.name for finding in found]
    assert found[0].figures.items() >= figures.items()
    assert found[0].cause.text in log
    assert log.splitlines()[found[0].cause.line_number - 1].endswith(found[0].cause.text)
    assert "Engine core initialization failed" not in found[0].cause.text
    assert not found[0].over


def test_a_failed_start_counts_all_its_signs() -> None:
    log, _ = SAMPLES["program_too_large"]
    found = diagnose(log.splitlines())
    assert found[0].signs_matched == "4 of 4 signs"
    assert found[0].title == "a compiled program did not fit in TPU memory"


def test_an_engine_that_died_shows_four_signs_and_its_exception_comes_first_when_there_is_one() -> None:
    died, _ = SAMPLES["engine_died"]
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
    log, _ = SAMPLES["program_too_large"]
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
    log, _ = SAMPLES["tpu_in_use"]
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
    died, _ = SAMPLES["engine_died"]
    too_long, _ = SAMPLES["prompt_too_long"]
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
