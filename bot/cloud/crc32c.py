"""CRC-32C (Castagnoli), the checksum that Secret Manager sends with a payload. Pure."""

_POLYNOMIAL = 0x82F63B78
"""With its bits reversed (RFC 3720, appendix B.4)."""
_ALL_ONES = 0xFFFFFFFF


def _row(value: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
    return value


_TABLE = tuple(_row(value) for value in range(256))


def crc32c(data: bytes) -> int:
    """The checksum as an unsigned number of 32 bits."""
    crc = _ALL_ONES
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ _ALL_ONES
