"""A benchmark table named on the command line: read here, at the edge, and handed over as text."""

import re
from pathlib import Path

from bot.errors import PersonMovesNext

BYTES_LIMIT = 4_000_000
"""More than the 10,000 rows that are checked at most need."""

ODD = re.compile(r"[^\w.-]")


def taken_from(words: list[str]) -> tuple[list[str], str | None]:
    """(the words with the file's bare name in place of its path, its text); None when these words name no table to check.

    Raises PersonMovesNext when the file cannot be read.
    """
    if [word.lower() for word in words[:2]] != ["bench", "check"]:
        return words, None
    at = next((place for place, word in enumerate(words) if place > 1 and word.lower().endswith(".csv")), None)
    if at is None:
        return words, None
    path = Path(words[at])
    return [*words[:at], ODD.sub("_", path.name), *words[at + 1 :]], _text(path)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_LIMIT + 1)
        if len(content) > BYTES_LIMIT:
            raise PersonMovesNext(f"{path.name} is larger than {BYTES_LIMIT:,} bytes.", next_step="Check a part of it.")
        return content.decode("utf-8")
    except OSError as error:
        raise PersonMovesNext(f"I cannot read {path.name}: {error.strerror}.", next_step="Check the file's name.") from error
    except UnicodeDecodeError as error:
        raise PersonMovesNext(f"{path.name} is no text in UTF-8.", next_step="Save it as CSV in UTF-8.") from error
