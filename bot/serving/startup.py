"""Reads the log of one engine's start: how far it came, what its cache holds, and why it failed.

Written against real logs of vLLM 0.26 on TPU (August 2026) and 0.32 on CPU; GPU lines as in vLLM's source. A log may be cut
anywhere, miss its times or hold anything at all: reading never raises, and what no line said stays None.
"""

import re
from collections.abc import Iterable
from datetime import datetime

from bot.nouns import Noun
from bot.serving import startup_facts as facts
from bot.serving.log_line import LogLine, split
from bot.serving.startup_time import moment, seconds_between

Flag = facts.Flag

PHASES: tuple[str, ...] = ("process", "weights", "kv-cache", "compile", "server", "ready")
"""The phases of a start, in the order in which they begin."""

_MARKERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("process", re.compile(r"Initializing a V1 LLM engine|non-default args:|TPU info: ")),
    (
        "weights",
        re.compile(
            r"(?:Loading model (?:with|from)|Starting to load model|Loading safetensors checkpoint|Loading weights took|"
            r"Model loading took|Initializing model took|Init model \|)"
        ),
    ),
    (
        "kv-cache",
        re.compile(
            r"Memory statistics \||KV cache size: |Init kv-cache|KV cache layout: |KV cache memory: |GiB for KV cache|"
            r"kv cache group"
        ),
    ),
    (
        "compile",
        re.compile(
            r"(?:Compiling |Precompile |Compilation of |Warm-up call pass|torch\.compile|Dynamo bytecode|Capturing CUDA graph|"
            r"Graph capturing)"
        ),
    ),
    ("server", re.compile(r"init engine \(|Starting vLLM (?:API )?server|Started server process")),
    ("ready", re.compile(r"(?:INFO:\s+)?Application startup complete")),
)
_RESTART = re.compile(r".{0,60}\bversion \d+\.\d|vLLM API server version|non-default args:")
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Za-z_]\w{0,60}(?:Error|Exception|Interrupt|Exit|Timeout)(?:: .*)?")
_REFUSED_ARGUMENT = re.compile(r"[\w./ -]{1,60}: error: .+")
_WRAPPER = re.compile(
    r"See root cause above|[Ee]ngine core initialization failed|WorkerProc initialization failed|EngineDead|^SystemExit"
)
_NO_CONTINUATION = re.compile(r"Traceback|During handling|The above exception|Process \w{1,60}:|\s*$")
_CONTINUED_LINES = 4
_FAILED = re.compile(r"EngineCore failed to start|EngineCore encountered a fatal error")


class Phase(Noun):
    """One phase. `started`/`ended` are the log's own "MM-DD HH:MM:SS"; datetimes exist when the year is known (UTC)."""

    name: str
    started: str | None
    ended: str | None
    started_at: datetime | None
    ended_at: datetime | None
    seconds: float | None


class Startup(Noun):
    """What one start said about itself. None: no line said it.

    `state` is "ready", "failed", the phase it is in, or None; `starts` counts starts in the log, the last one is described.
    `kv_dtype` is what the cache's own line says, `kv_dtype_asked` what the configuration asked for. `available_kv_gib` is as
    logged: on TPU over all chips, per chip in `available_kv_gib_per_chip`. `compile_seconds` is the engine's own figure, else
    the sum of its `compile_count` compile lines and warm-up passes (`compile_lines_seconds`). `failure` is the root cause.
    """

    state: str | None
    starts: int
    phases: tuple[Phase, ...]
    model: str | None
    version: str | None
    accelerator: str | None
    max_model_len: int | None
    tensor_parallel: int | None
    chips: int | None
    num_blocks: int | None
    block_size: int | None
    kv_groups: int | None
    kv_dtype: str | None
    kv_dtype_asked: str | None
    kv_tokens: int | None
    max_concurrency: float | None
    concurrency_context: int | None
    available_kv_gib: float | None
    available_kv_gib_per_chip: float | None
    hbm_limit_gib: float | None
    weights_gib_per_chip: float | None
    compile_seconds: float | None
    compile_lines_seconds: float | None
    compile_count: int
    init_engine_seconds: float | None
    flags: dict[str, Flag] | None
    failure: str | None
    failed_at: str | None
    ready: bool

    def phase(self, name: str) -> Phase | None:
        """The phase of that name, or None when no line of it was seen."""
        return next((phase for phase in self.phases if phase.name == name), None)


class _Start:
    """What has been gathered of the start that is being read."""

    def __init__(self) -> None:
        self.seen: dict[str, list[str | None]] = {}
        self.facts = facts.Facts()
        self.failure: str | None = None
        self.wrapper: str | None = None
        self.failed = False
        self.failed_at: str | None = None
        self.first: str | None = None
        self.last: str | None = None
        self.year: int | None = None
        self._continues: tuple[str | None, int] | None = None
        self._is_progress = False

    @property
    def under_way(self) -> bool:
        """Whether it came past the process, so that a new banner means a new start."""
        return bool(self.seen.keys() - {"process"}) or self.failed or self.failure is not None

    def take(self, line: LogLine) -> None:
        """Learn from one line."""
        if line.stamp:
            self.first, self.last = self.first or line.stamp, line.stamp
        self.year = self.year or line.year
        if "ready" in self.seen:
            return
        self._is_progress = False
        for name, marker in _MARKERS:
            if marker.search(line.text) if name in {"kv-cache", "process", "server"} else marker.match(line.text):
                self._is_progress = True
                self._enter(name, line)
        self.facts.learn(line.text)
        self._note_failure(line)

    def _enter(self, name: str, line: LogLine) -> None:
        """Note the phase. A timed line of progress shows that an exception before it was survived; progress bars show nothing."""
        self.seen.setdefault(name, []).append(self.last)
        if name != "process" and (line.level == "INFO" or name == "ready"):
            self.failure = self.wrapper = self.failed_at = None
            self.failed = False

    def _note_failure(self, line: LogLine) -> None:
        """Keep the last exception that is not merely one process telling of another's end."""
        text = line.text.strip()
        if self._continued(line):
            return
        if _FAILED.search(text):
            self.failed, self.failed_at = True, self.failed_at or self.last
        if not (_EXCEPTION.fullmatch(text) or _REFUSED_ARGUMENT.fullmatch(text)):
            return
        if _WRAPPER.search(text):
            self.wrapper = text[:500]
        else:
            self.failure = text[:500]
            self._continues = (line.process, _CONTINUED_LINES)
        self.failed_at = self.failed_at or self.last

    def _continued(self, line: LogLine) -> bool:
        """Whether the line goes on with the exception before it: a message may take several lines of the same process."""
        if self._continues is None or self.failure is None:
            return False
        process, left = self._continues
        strange = line.process != process or line.level not in {None, "ERROR"} or self._is_progress
        if strange or left == 0 or _NO_CONTINUATION.match(line.text) or _EXCEPTION.fullmatch(line.text.strip()):
            self._continues = None
            return False
        self._continues = (process, left - 1)
        self.failure = f"{self.failure} {line.text.strip()}"[:500]
        return True


def read(lines: Iterable[str], *, year: int | None = None) -> Startup:
    """Read a start-up log. `year` dates its times when docker did not. The last start in the log is the one described."""
    start, starts = _Start(), 0
    for raw in lines:
        line = split(raw)
        if _restarts(start, line):
            start = _Start()
            starts += 1
        start.take(line)
    began = bool(start.seen) or start.failure is not None
    return _told(start, starts + (1 if began or starts else 0), start.year or year)


def _restarts(start: _Start, line: LogLine) -> bool:
    """Whether the line begins another start: a banner or arguments, or on TPU, after a failure, the platform's first line."""
    if start.under_way and _RESTART.match(line.text):
        return True
    return start.failure is not None and line.process is None and line.text.startswith("TPU info: ")


def _told(start: _Start, starts: int, year: int | None) -> Startup:
    """The gathered facts as a value."""
    known = start.facts
    failure = start.failure or start.wrapper or ("the engine failed to start; no cause in these lines" if start.failed else None)
    ready = "ready" in start.seen
    return Startup(
        state=_state(start, failure),
        starts=starts,
        phases=_phases(start, year),
        ready=ready,
        failure=None if ready else failure,
        failed_at=start.failed_at if failure and not ready else None,
        compile_seconds=known.compile_stated if known.compile_stated is not None else known.compile_sum,
        compile_lines_seconds=known.compile_sum,
        compile_count=known.compile_count,
        flags=known.flags,
        **known.values(),
    )


def _state(start: _Start, failure: str | None) -> str | None:
    """Ready, failed, or the furthest phase."""
    if "ready" in start.seen:
        return "ready"
    if failure:
        return "failed"
    return next((name for name in reversed(PHASES) if name in start.seen), None)


def _phases(start: _Start, year: int | None) -> tuple[Phase, ...]:
    """Each phase from its first to its last line; the process starts with the log."""
    told: list[Phase] = []
    for name in PHASES:
        stamps = start.seen.get(name)
        if stamps is None:
            continue
        begun = start.first if name == "process" else next((stamp for stamp in stamps if stamp), None)
        ended = stamps[-1]
        told.append(
            Phase(
                name=name,
                started=begun,
                ended=ended,
                started_at=moment(begun, year),
                ended_at=moment(ended, year),
                seconds=seconds_between(begun, ended),
            )
        )
    return tuple(told)
