"""The checksum against published values and against the stand-in's own way to compute it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cloud.crc32c import crc32c
from sandbox.google.secret_front import checksum


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_the_examples_of_rfc_3720_come_out(data: bytes, value: int) -> None:
    assert crc32c(data) == value


@given(st.binary(max_size=300))
def test_both_ways_to_compute_it_agree(data: bytes) -> None:
    assert crc32c(data) == checksum(data)
