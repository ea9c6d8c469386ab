"""How much a failed start was short of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.serving.shortage import shortage

LOAD = (
    "RESOURCE_EXHAUSTED: Error loading program 'jit_structured_decode_fn': Attempting to reserve 384.11M at the bottom of "
    "memory. That was not possible. There are 346.77M free, 0B reserved, and 346.77M reservable."
)


def test_a_program_that_did_not_load_names_itself_and_what_was_missing() -> None:
    found = shortage(LOAD)
    assert found is not None
    assert found.program == "jit_structured_decode_fn"
    assert found.missing_mib == pytest.approx(37.34)


def test_a_program_that_did_not_compile_says_how_much_it_wanted() -> None:
    found = shortage("Ran out of memory in memory space hbm. Used 31.29G of 31.25G hbm. Exceeded hbm capacity by 46.98M.")
    assert found is not None
    assert found.missing_mib == pytest.approx(40.96)
    assert found.program is None


@given(st.text())
def test_other_text_says_nothing(text: str) -> None:
    assert shortage(text) is None
