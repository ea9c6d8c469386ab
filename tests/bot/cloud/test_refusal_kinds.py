"""Code and words together decide: the same code means three different things."""

import pytest
from google.rpc import code_pb2
from hypothesis import given
from hypothesis import strategies as st

from bot.cloud.refusal_kinds import refusal_of
from bot.nouns import RefusalKind

INVALID, EXHAUSTED = code_pb2.INVALID_ARGUMENT, code_pb2.RESOURCE_EXHAUSTED
QUOTA_ID = "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (INVALID, 'The requested zone "us-foo1-a" is not supported. [EID: 0x12ab]', RefusalKind.UNSUPPORTED_ZONE),
        (
            INVALID,
            'accelerator type "v6e-4", could not be found in the zonal accelerator configurations',
            RefusalKind.NO_SUCH_SLICE,
        ),
        (
            INVALID,
            'FLEX_START provisioning model is not supported for accelerator type "v6e-1" in location "us-central1-b"',
            RefusalKind.MODEL_REFUSED,
        ),
        (EXHAUSTED, f"Quota limit '{QUOTA_ID}' has been exceeded. Limit: 0 in zone us-east5-b.", RefusalKind.QUOTA),
        (EXHAUSTED, "Quota 'TPUV6EPerProjectPerRegionForTPUAPI' exhausted. Limit 0 in region us-east5", RefusalKind.QUOTA),
        (
            EXHAUSTED,
            'There is no more capacity in the zone "us-east5-a"; you can try in another zone where Cloud TPU is offered.',
            RefusalKind.STOCKOUT,
        ),
        (
            EXHAUSTED,
            "Insufficient reserved capacity. Contact customer support to increase your reservation.",
            RefusalKind.STOCKOUT,
        ),
        (
            EXHAUSTED,
            "Quota exceeded for quota metric 'Maximum number of CreateNode requests per minute' and limit 91 per minute.",
            RefusalKind.RATE,
        ),
        (EXHAUSTED, "Resource has been exhausted (e.g. check quota).", RefusalKind.RATE),
        (code_pb2.UNAVAILABLE, "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", RefusalKind.STOCKOUT),
        (code_pb2.PERMISSION_DENIED, "Permission 'tpu.nodes.create' denied", RefusalKind.PERMISSION),
        (INVALID, "STANDARD provisioning model is incompatible with spot requests", RefusalKind.OTHER),
        (INVALID, "Quota is a word that an argument may hold", RefusalKind.OTHER),
        (EXHAUSTED, "words nobody saw before", RefusalKind.OTHER),
        (code_pb2.INTERNAL, "There is no more capacity", RefusalKind.OTHER),
    ],
)
def test_each_sentence_seen_in_practice_has_its_kind(code: int, text: str, kind: RefusalKind) -> None:
    assert refusal_of(code, text).kind is kind


def test_the_support_id_is_kept_apart_and_in_the_words() -> None:
    refusal = refusal_of(INVALID, 'The requested zone "x" is not supported. [EID: 0x0123456789abcdef]')
    assert refusal.eid == "0x0123456789abcdef"
    assert refusal.text.endswith("[EID: 0x0123456789abcdef]")
    assert refusal_of(INVALID, "no id").eid is None


@given(st.sampled_from(sorted(code_pb2.Code.values())), st.text(max_size=600))
def test_any_words_become_one_printable_line_of_at_most_300_characters(code: int, text: str) -> None:
    refusal = refusal_of(code, text)
    assert len(refusal.text) <= 300
    assert refusal.text == "" or refusal.text.isprintable()
