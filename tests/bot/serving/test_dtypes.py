"""Number formats by all their names."""

import pytest

from bot.serving.dtypes import bytes_of, short_name


@pytest.mark.parametrize(
    ("name", "width", "short"),
    [
        ("torch.bfloat16", 2, "bf16"),
        ("auto", 2, "bf16"),
        ("float16", 2, "fp16"),
        ("torch.float8_e4m3fn", 1, "fp8"),
        ("fp8_e5m2", 1, "fp8"),
        ("FP8", 1, "fp8"),
        ("int8", 1, "int8"),
        ("float32", 4, "fp32"),
    ],
)
def test_formats_have_one_width_and_one_word(name: str, width: int, short: str) -> None:
    assert bytes_of(name) == width
    assert short_name(name) == short
