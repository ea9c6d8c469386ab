"""A way out of a start that failed for want of memory: calculated, or none."""

import pytest

from bot.serving.specification import EngineSpecification
from bot.serving.start_fix import start_fix

SAID = (
    "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Error loading program 'jit_structured_decode_fn': Attempting to reserve "
    "{wanted}M at the bottom of memory. That was not possible. There are {free}M free, 0B reserved, and {free}M reservable."
)


def wanted(**changes: object) -> EngineSpecification:
    told = {
        "deployment": "prod",
        "model": "31B",
        "image": "vllm/vllm-tpu:v0.26.0",
        "piece": "v6e-4",
        "context": 65_536,
        "exposure": "loopback",
        "utilization": 0.95,
    }
    return EngineSpecification.model_validate({**told, **changes})


def test_the_share_that_is_offered_leaves_what_was_missing_and_still_holds_a_request() -> None:
    found = start_fix(wanted(), SAID.format(wanted=384.11, free=346.77))
    assert found is not None
    assert found.fix is not None
    assert (found.short.program, round(found.short.missing_mib, 2)) == ("jit_structured_decode_fn", 37.34)
    assert found.fix.utilization == 0.92
    assert found.fix.frees_gib * 1024 >= found.short.missing_mib
    assert found.fix.cache_gib >= found.fix.request_gib


def test_where_no_share_holds_a_request_none_is_offered() -> None:
    found = start_fix(wanted(utilization=0.92), SAID.format(wanted=4_000, free=100))
    assert found is not None
    assert found.fix is None


@pytest.mark.parametrize("said", ["", "Error: something else", "OSError: 403 Client Error", "Attempting to reserve much"])
def test_what_tells_no_sizes_gives_no_fix(said: str) -> None:
    assert start_fix(wanted(), said) is None
