"""Triage alone, without any model: how often the rules name what is wrong.

    python -m benchmarks.triage [--logs FOLDER] [--json]

Three groups are scored apart, for they are worth differently:
- recorded: real logs of vLLM on TPU. Those in the tests' fixtures; with --logs, every NAME.log or NAME.log.gz of that folder,
  where NAME begins as in RECORDED below. Two of these were known when the rules were written.
- documented: the shortest log of each signature, made by hand from a public source, as it is and in three disguises (docker's
  time stamps, after a long healthy start, behind an earlier failure that was overcome). They were there before the rules
  were finished, so the score says that nothing got lost, not how good they are on unknown failures.
- quiet: logs in which nothing is wrong, also with prompts that quote errors. Anything named there is a false alarm.
"""

import argparse
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.diagnosis import Nature, diagnose
from bot.diagnosis.signatures import SIGNATURES
from bot.nouns import ContainerState, ContainerStatus
from bot.operations.log_reading import LogKind, Piece
from bot.operations.triage_rules import verdict
from bot.operations.triage_seen import Seen

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures" / "tpu_logs"
RECORDED = {"v5e1_qwix_fail": "quantisation", "v6e1_e2b_boot": None, "v5e1_bench": None}
"""What each recorded log shows: the failure's name, None for a log in which nothing failed."""
AT = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
NO_FAILURES = frozenset(one.name for one in SIGNATURES if one.nature is not Nature.FAILURE)
"""What callers do wrong and what is only slow: the engine did not end by it, so the first finding counts."""
SERVING = {"tpu_memory_exhausted": "memory_while_serving"}
"""After a healthy start the same line means something else: the engine was up when its memory ran out."""
PROMPT = "INFO 11-30 02:59:00 [logger.py:1] Received request cmpl-1: prompt: '{}', params: SamplingParams(n=1)"


@dataclass(frozen=True)
class Case:
    """One log and what is right to say of it; None: nothing."""

    group: str
    name: str
    lines: tuple[str, ...]
    right: str | None


def cases(folder: Path | None) -> Iterator[Case]:
    """All cases. `folder` holds further recorded logs."""
    for place in (FIXTURES, *([folder] if folder else [])):
        for path in sorted([*place.glob("*.log"), *place.glob("*.log.gz")]):
            known = next((name for name in RECORDED if path.name.startswith(name)), None)
            if known is not None:
                yield Case("recorded", path.name, read(path), RECORDED[known])
    healthy = read(FIXTURES / "v6e1_e2b_boot_excerpt.log")
    for path in sorted((FIXTURES / "signatures").glob("*.log")):
        yield from disguised(path.stem, read(path), healthy)
    yield Case("quiet", "a start that went well", healthy, None)


def disguised(name: str, lines: tuple[str, ...], healthy: tuple[str, ...]) -> Iterator[Case]:
    """A documented failure as it is and in disguises, and as words of a user in a healthy log."""
    yield Case("documented", name, lines, name)
    yield Case("documented", f"{name}, stamped", tuple(f"2026-11-30T02:59:00.000000000Z {one}" for one in lines), name)
    later = SERVING.get(name, name)
    yield Case("documented", f"{name}, after a healthy start", (*healthy, *lines), later)
    other = read(FIXTURES / "signatures" / ("port_in_use.log" if name != "port_in_use" else "disk_full.log"))
    yield Case("documented", f"{name}, after a failure that was overcome", (*other, *healthy, *lines), later)
    quoted = tuple(PROMPT.format(one.replace("'", '"')) for one in lines)
    yield Case("quiet", f"{name}, quoted by a user", (*healthy, *quoted), None)


def read(path: Path) -> tuple[str, ...]:
    """The lines of a log."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return tuple(raw.decode("utf-8", "replace").splitlines())


def said(case: Case) -> str | None:
    """What triage says: of a failure the verdict on an engine whose container ended, of a quiet log the first finding."""
    findings = tuple(diagnose(case.lines))
    if case.right is None or case.right in NO_FAILURES:
        return next((one.name for one in findings if not one.over), None)
    piece = Piece(LogKind.ENGINE, case.lines, (None,) * len(case.lines))
    ended = ContainerStatus(name="gemma-engine", state=ContainerState.EXITED, at=AT, exit_code=1)
    return verdict(Seen(at=AT, deployment="prod", container=ended, engine=piece, findings=findings)).name


def scored(folder: Path | None) -> dict[str, dict[str, object]]:
    """By group: n, how many were right, and what was said instead where it was not."""
    found: dict[str, dict[str, object]] = {}
    for case in cases(folder):
        group = found.setdefault(case.group, {"n": 0, "right": 0, "wrong": []})
        answer = said(case)
        group["n"] = int(str(group["n"])) + 1
        if answer == case.right:
            group["right"] = int(str(group["right"])) + 1
        else:
            wrong = group["wrong"]
            if isinstance(wrong, list):
                wrong.append(f"{case.name}: {answer}, not {case.right}")
    return found


def main() -> None:
    """Print score and n of each group."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, help="a folder with further recorded logs")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    found = scored(asked.logs)
    if asked.json:
        print(json.dumps(found, indent=1))
        return
    for name, group in found.items():
        print(f"{name}: {group['right']} of {group['n']}")
        for one in group["wrong"] if isinstance(group["wrong"], list) else []:
            print(f"  {one}")


if __name__ == "__main__":
    main()
