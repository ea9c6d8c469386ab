"""The stand-in takes what Cloud Logging takes, and refuses what it refuses."""

from typing import Any

import pytest

from sandbox.google.log_filter import parse
from sandbox.google.refusals import Refusal

ENTRY: dict[str, Any] = {
    "timestamp": "2026-11-30T02:30:00Z",
    "severity": "ERROR",
    "resource": {"type": "tpu_worker", "labels": {"zone": "a"}},
    "textPayload": 'he said "no"',
}


@pytest.mark.parametrize(
    ("written", "taken"),
    [
        ("", True),
        ("severity>=WARNING", True),
        ("severity>ERROR", False),
        ('resource.type="tpu_worker"', True),
        ('resource.type="TPU_worker" AND severity=ERROR', True),
        ('resource.labels.zone=("a" OR "b")', True),
        ('resource.labels.zone=("c" OR "b")', False),
        ('resource.type="x" OR severity=ERROR AND severity=INFO', False),
        ('severity=INFO AND resource.type="x" OR severity=ERROR', False),
        ("NOT severity=INFO", True),
        ('textPayload:"SAID"', True),
        (r'textPayload:"\"no\""', True),
        ('"TPU_WORKER"', True),
        (r'textPayload=~"s.id"', True),
        ('timestamp>="2026-11-30T02:30:00.000Z" timestamp<="2026-11-30T03:30:00+01:00"', True),
    ],
)
def test_filters_mean_what_the_language_says(written: str, *, taken: bool) -> None:
    assert parse(written)(ENTRY) is taken


@pytest.mark.parametrize(
    "written",
    [
        'timestamp>="-PT60M"',
        'timestamp>="yesterday"',
        'resource.type="open',
        "severity>=LOUD",
        "nonsense",
        'colour="red"',
        "severity>=ERROR)",
        "(severity>=ERROR",
        "AND severity>=ERROR",
        "severity>=",
        r'textPayload:"\q"',
        'textPayload=~"("',
        "'single'",
        "x" * 20_001,
    ],
)
def test_what_is_no_filter_is_refused(written: str) -> None:
    with pytest.raises(Refusal):
        parse(written)
