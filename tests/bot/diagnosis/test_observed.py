"""What one pass over a log keeps."""

from bot.diagnosis.findings import READY, START_FAILED, Signature, sign
from bot.diagnosis.observed import Observed

BROKEN = sign("it broke", r"it broke")
SIGNATURE = Signature(name="broken", title="it broke", must=BROKEN, check="", next_step="", source="")


def observe(log: list[str]) -> Observed:
    observed = Observed([SIGNATURE])
    observed.read(log)
    return observed


def test_hits_are_kept_from_the_start_and_the_end_of_a_long_log() -> None:
    observed = observe([f"ERROR it broke {'again ' * (i % 7)}{i}" for i in range(1_000)])
    numbers = [hit.number for hit in observed.hits(BROKEN)]
    assert len(numbers) == 50
    assert numbers[:3] == [1, 2, 3]
    assert numbers[-1] == 1_000


def test_the_lines_around_a_telling_line_are_kept() -> None:
    observed = observe(
        [*(f"line {i}" for i in range(1, 11)), "ERROR it broke", "sum 35.74G", *(f"later {i}" for i in range(100))]
    )
    near = observed.near(11)
    assert near[0] == "it broke"
    assert {"line 6", "line 10", "sum 35.74G", "later 58"} <= set(near)
    assert "line 5" not in near
    assert "later 60" not in near


def test_a_frame_that_quotes_source_is_no_hit() -> None:
    log = [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        '    raise ValueError("it broke")',
        "ValueError: it broke",
    ]
    hits = observe(log).hits(BROKEN)
    assert [(hit.number, hit.bad, hit.raised) for hit in hits] == [(4, True, True)]


def test_levels_and_processes_do_not_hide_a_sign() -> None:
    log = [
        "(APIServer pid=1) INFO:     Application startup complete.",
        "(APIServer pid=1) RuntimeError: Engine core initialization failed.",
    ]
    observed = observe(log)
    assert [hit.number for hit in observed.hits(READY)] == [1]
    assert [hit.number for hit in observed.hits(START_FAILED)] == [2]


def test_an_exception_outside_a_trace_is_kept_as_a_loose_end() -> None:
    assert [raised.text for raised in observe(["ValueError: no", "Errors: none", "a ValueError: no"]).loose] == ["ValueError: no"]
