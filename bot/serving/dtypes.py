"""Names of number formats and their bytes, as vLLM, PyTorch and people write them."""

from bot.errors import UsageError

_BYTES: dict[str, int] = {
    "float32": 4,
    "fp32": 4,
    "float": 4,
    "bfloat16": 2,
    "bf16": 2,
    "float16": 2,
    "fp16": 2,
    "half": 2,
    "auto": 2,
    "fp8": 1,
    "fp8_e4m3": 1,
    "fp8_e4m3fn": 1,
    "fp8_e5m2": 1,
    "float8_e4m3": 1,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "int8": 1,
    "uint8": 1,
}


def bytes_of(dtype: str) -> int:
    """Bytes per number: "bfloat16", "torch.float8_e4m3fn", "fp8" ... "auto" is the model's own, bf16. Raises UsageError."""
    name = dtype.strip().lower().removeprefix("torch.").removeprefix("jnp.")
    if name not in _BYTES:
        raise UsageError(f"I do not know the number format {dtype.strip()[:40]!r}", usage="bf16 or fp8", near=("bf16", "fp8"))
    return _BYTES[name]


def short_name(dtype: str) -> str:
    """The word people use: "bf16", "fp8", "int8" or "fp32". Raises UsageError for an unknown format."""
    width = bytes_of(dtype)
    if width == 1:
        return "int8" if "int8" in dtype.lower() else "fp8"
    return {2: "fp16" if dtype.lower().removeprefix("torch.") in {"float16", "fp16", "half"} else "bf16", 4: "fp32"}[width]
