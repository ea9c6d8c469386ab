"""Words of a finding, and that every signature can be acted upon."""

import pytest

from bot.diagnosis.findings import Evidence, Finding, Nature, Signature
from bot.diagnosis.signatures import SIGNATURES


@pytest.mark.parametrize(("found", "total", "words"), [(("a",), 1, "1 of 1 sign"), (("a", "b"), 4, "2 of 4 signs")])
def test_matched_signs_are_said_in_words(found: tuple[str, ...], total: int, words: str) -> None:
    finding = Finding("n", "t", Nature.FAILURE, Evidence(1, "x"), found, total, "c", "s", "src")
    assert finding.signs_matched == words


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda signature: signature.name)
def test_every_signature_says_how_to_check_what_to_do_and_where_it_comes_from(signature: Signature) -> None:
    assert min(len(text) for text in (signature.check, signature.next_step, signature.source)) > 10
    assert len(signature.title) <= 110
    assert not signature.title.endswith(".")


def test_names_are_unique() -> None:
    assert len({signature.name for signature in SIGNATURES}) == len(SIGNATURES)
