"""Start-up logs, real ones and worse."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.serving.shortage import shortage
from bot.serving.startup import PHASES, Startup, read

LOGS = Path(__file__).parents[2] / "fixtures/startup"


def lines(name: str) -> list[str]:
    return (LOGS / name).read_text(encoding="utf-8").splitlines()


TPU, FAILED, CPU = lines("v6e1_e2b_ready.log"), lines("v5e1_quantised_failed.log"), lines("cpu_tiny_ready.log")


def test_a_tpu_start_tells_its_cache() -> None:
    got = read(TPU)
    assert (got.state, got.ready, got.failure, got.starts) == ("ready", True, None, 1)
    assert (got.num_blocks, got.block_size, got.kv_groups) == (17_996, 64, 1)
    assert (got.kv_tokens, got.max_concurrency, got.concurrency_context) == (1_151_744, 35.15, 32_768)
    assert (got.available_kv_gib, got.available_kv_gib_per_chip, got.weights_gib_per_chip, got.hbm_limit_gib) == (
        19.77,
        19.77,
        8.97,
        31.24,
    )
    assert (got.model, got.version, got.max_model_len) == ("google/gemma-4-E2B-it", "0.26.1rc1.dev256+gf5bb701fa", 32_768)
    assert (got.accelerator, got.chips, got.tensor_parallel) == ("v6e-1", 1, 1)


def test_the_cache_line_decides_the_format_not_the_twenty_lines_about_fp8() -> None:
    assert sum("fp8_e5m2" in line for line in TPU) == 20
    assert read(TPU).kv_dtype == "bfloat16"
    assert read(TPU).kv_dtype_asked == "auto"
    without = [line for line in TPU if "Init kv-cache" not in line]
    assert read(without).kv_dtype is None


def test_phases_have_times_and_a_year_when_it_is_known() -> None:
    got = read(TPU, year=2026)
    assert [phase.name for phase in got.phases] == list(PHASES)
    assert {phase.name: phase.seconds for phase in got.phases} == {
        "process": 76,
        "weights": 60,
        "kv-cache": 53,
        "compile": 447,
        "server": 62,
        "ready": 0,
    }
    begun = got.phase("process")
    assert begun is not None
    assert begun.started_at == datetime(2026, 8, 10, 17, 53, 38, tzinfo=UTC)
    undated = read(TPU).phase("process")
    assert undated is not None
    assert (undated.started, undated.started_at) == ("08-10 17:53:38", None)


def test_compile_time_is_the_engines_own_word_with_the_lines_beside_it() -> None:
    got = read(TPU)
    assert (got.compile_seconds, got.init_engine_seconds) == (393.98, 447.75)
    assert (got.compile_count, got.compile_lines_seconds) == (18, 387.36)
    unsaid = read([line for line in TPU if "init engine (" not in line])
    assert unsaid.compile_seconds == 387.36


def test_arguments_are_read_and_secrets_among_them_hidden() -> None:
    flags = read(TPU).flags
    assert flags is not None
    assert (flags["max_num_batched_tokens"], flags["limit_mm_per_prompt"]) == (4_096, {"image": 4, "audio": 1})
    secret = read(["INFO 01-01 00:00:00 [a.py:1] non-default args: {'api_key': ['sk-1'], 'hf_token': 'hf_x', 'port': 1}"]).flags
    assert secret == {"api_key": "[hidden]", "hf_token": "[hidden]", "port": 1}
    assert read(["INFO 01-01 00:00:00 [a.py:1] non-default args: {'port': 1, 'mod"]).flags is None


def test_a_failed_start_names_the_cause_and_not_the_wrapper() -> None:
    got = read(FAILED)
    assert (got.state, got.ready) == ("failed", False)
    assert got.failure is not None
    assert got.failure.startswith("ValueError: There is no module or parameter named")
    assert got.failed_at == "08-07 20:43:46"
    assert (got.kv_tokens, got.num_blocks, got.kv_dtype, got.max_concurrency, got.available_kv_gib) == (
        None,
        None,
        None,
        None,
        None,
    )
    assert (got.block_size, got.accelerator) == (32, "v5litepod-1")


def test_only_a_wrapper_is_better_than_nothing() -> None:
    got = read(
        ["(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"]
    )
    assert got.state == "failed"
    assert got.failure is not None
    assert "initialization failed" in got.failure


def test_a_cpu_start_tells_six_groups_and_its_tokens() -> None:
    got = read(CPU)
    assert (got.state, got.version, got.model) == ("ready", "0.32.0", "tiny-gemma4")
    assert (got.kv_groups, got.block_size, got.kv_tokens, got.max_concurrency) == (6, 128, 332_222, 162.22)
    assert (got.available_kv_gib, got.max_model_len) == (1.0, 2_048)
    assert (got.num_blocks, got.kv_dtype, got.compile_seconds) == (None, None, None)


def test_an_eight_chip_log_gives_memory_per_chip() -> None:
    pairs = ", ".join(["(7.5, 31.25)"] * 8)
    got = read(
        [
            f"(EngineCore pid=1) INFO 09-01 10:00:00 [tpu_runner.py:1264] Init model | hbm=[{pairs}]GiB",
            "(EngineCore pid=1) INFO 09-01 10:00:01 [tpu_worker.py:557] Memory statistics | total_hbm_avail_gb=170.0GiB",
        ]
    )
    assert (got.chips, got.available_kv_gib, got.available_kv_gib_per_chip, got.weights_gib_per_chip) == (8, 170.0, 21.25, 7.5)


def test_a_log_without_times_still_tells_its_facts() -> None:
    bare = [line.split("] ", 1)[-1] for line in TPU]
    got = read(bare)
    assert (got.kv_tokens, got.num_blocks, got.state) == (1_151_744, 17_996, "ready")
    assert all(phase.seconds is None and phase.started is None for phase in got.phases)


def test_the_last_of_several_starts_is_the_one_described() -> None:
    got = read(FAILED + TPU)
    assert (got.starts, got.state, got.failure, got.accelerator, got.num_blocks) == (2, "ready", None, "v6e-1", 17_996)
    begun = got.phase("process")
    assert begun is not None
    assert begun.started == "08-10 17:53:38"
    again = read(TPU + FAILED)
    assert (again.starts, again.state, again.num_blocks) == (2, "failed", None)


def test_an_exception_that_was_survived_is_no_failure() -> None:
    early = ["(EngineCore pid=1) ValueError: a plugin did not load"]
    assert read([*early, *TPU[60:100]]).failure is None
    assert read([*TPU[60:90], *early]).failure == "ValueError: a plugin did not load"


def test_refused_arguments_are_a_failure() -> None:
    got = read(["usage: vllm serve [model_tag] [options]", "vllm serve: error: argument --block-size: invalid choice: 7"])
    assert (got.state, got.failure) == ("failed", "vllm serve: error: argument --block-size: invalid choice: 7")


def test_memory_that_ran_out_is_named_in_the_runtimes_words() -> None:
    text = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Error loading program 'jit_f': Attempting to reserve 384.11M"
    assert read([*TPU[:80], f"(EngineCore pid=327) ERROR 08-10 17:57:00 [core.py:1349] {text}"]).failure == text


def test_docker_times_date_the_phases() -> None:
    got = read(
        [
            "2026-08-10T17:53:38.1Z INFO 08-10 17:53:38 [a.py:1] Using max model len 4096",
            "2026-08-10T17:54:00Z Loading model with x",
        ]
    )
    weights = got.phase("weights")
    assert weights is not None
    assert weights.started_at == datetime(2026, 8, 10, 17, 54, tzinfo=UTC)


def test_a_start_over_the_turn_of_the_year_takes_seconds_and_not_months() -> None:
    got = read(
        [
            "INFO 12-31 23:59:50 [a.py:1] Loading model with x",
            "INFO 01-01 00:00:20 [a.py:1] Loading weights took 30 seconds",
        ]
    )
    weights = got.phase("weights")
    assert weights is not None
    assert weights.seconds == 30


def test_nothing_gives_nothing() -> None:
    got = read([])
    assert (got.state, got.starts, got.phases, got.kv_tokens, got.failure) == (None, 0, (), None, None)


@pytest.mark.parametrize("log", [TPU, FAILED, CPU], ids=["tpu", "failed", "cpu"])
def test_a_log_cut_anywhere_never_claims_what_comes_later(log: list[str]) -> None:
    whole = read(log)
    for end in range(0, len(log), 3):
        got = read(log[:end])
        assert got.kv_tokens in {None, whole.kv_tokens}
        assert got.num_blocks in {None, whole.num_blocks}
        assert got.ready == any("Application startup complete" in line for line in log[:end])


@given(st.lists(st.text(max_size=200), max_size=30))
def test_garbage_never_raises(garbage: list[str]) -> None:
    assert isinstance(read(garbage), Startup)


@settings(max_examples=60)
@given(st.sampled_from([TPU, FAILED, CPU]), st.integers(0, 140), st.text(max_size=30), st.integers(0, 200))
def test_real_lines_cut_and_mixed_with_garbage_never_raise(log: list[str], start: int, garbage: str, cut: int) -> None:
    mixed = [line[:cut] + garbage + line[cut:] for line in log[start : start + 20]]
    assert isinstance(read(mixed), Startup)


@given(st.from_regex(r"non-default args: \{'a': [\[\](){}'\":,0-9-]{0,200}\}", fullmatch=True))
def test_arguments_that_are_no_dict_never_raise(text: str) -> None:
    assert isinstance(read([text]), Startup)


def test_numbers_beyond_reason_stay_unknown_or_read() -> None:
    got = read(["Using max model len " + "9" * 6_000, "KV cache size: " + "1" * 6_000 + " tokens", "num_blocks=[" + "[" * 9_000])
    assert got.kv_tokens is None
    assert (got.num_blocks, got.max_model_len) == (None, None)


def test_a_gpu_start_tells_its_weights_and_memory() -> None:
    got = read(
        [
            "(EngineCore pid=1) INFO 09-01 10:00:00 [gpu_model_runner.py:1] Model loading took 57.2104 GiB memory and 92 s",
            "(EngineCore pid=1) INFO 09-01 10:01:00 [monitor.py:34] torch.compile takes 41.20 s in total",
            "(EngineCore pid=1) INFO 09-01 10:01:30 [gpu_worker.py:1] Available KV cache memory: 12.50 GiB",
            "(EngineCore pid=1) INFO 09-01 10:02:00 [gpu_model_runner.py:1] Graph capturing finished in 20 secs, took 1.2 GiB",
        ]
    )
    assert (got.weights_gib_per_chip, got.available_kv_gib) == (57.2104, 12.5)
    assert (got.compile_seconds, got.state) == (61.2, "compile")


def test_a_message_over_several_lines_is_kept_together() -> None:
    head = "(EngineCore pid=9) ERROR 09-01 10:00:00 [core.py:1349] "
    got = read(
        [
            head + "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: E0101: Error loading program 'jit_f':",
            head + "Attempting to reserve 384.11M at the bottom of",
            head + "memory. That was not possible. There are 346.77M free, 0B reserved, and 346.77M reservable.",
            "(EngineCore pid=9) Traceback (most recent call last):",
            "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.",
        ]
    )
    assert got.failure is not None
    assert got.failure.startswith("jax.errors.JaxRuntimeError")
    short = shortage(got.failure)
    assert short is not None
    assert (short.program, round(short.missing_mib, 2)) == ("jit_f", 37.34)
