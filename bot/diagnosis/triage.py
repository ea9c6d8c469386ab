"""From an engine's log to what is wrong: rules only, so that it works when Gemma itself is what is down."""

import re
from collections.abc import Iterable, Sequence

from bot.diagnosis.findings import (
    ENGINE_DIED,
    LOADING,
    READY,
    SERVING,
    START_FAILED,
    Evidence,
    Finding,
    Nature,
    Sign,
    Signature,
)
from bot.diagnosis.masking import hide_conversations
from bot.diagnosis.observed import Hit, Observed
from bot.diagnosis.secrets import redact
from bot.diagnosis.signatures import SIGNATURES
from bot.diagnosis.traces import Raised, Trace

_SHOWN = 500
"""Characters of an evidence line that are kept."""
_WRAPPER = re.compile(
    rf"{START_FAILED.expression.pattern}|{ENGINE_DIED.expression.pattern}"
    rf"|See (?:root cause|stack trace)|cut off before"
    r"|^(?:\w+\.){0,8}(?:SystemExit|KeyboardInterrupt|CancelledError|BrokenPipeError|EOFError|ChildProcessError)\b",
    re.IGNORECASE,
)
_MUTE = re.compile(r"(?:\w+\.){0,8}(?:KeyError|AttributeError|IndexError|StopIteration|LookupError|ImportError)(?::.{0,40})?$")
"""A short look-up error at the head of a chain is often how code asks "is it there?"; the next exception tells more."""
_NOT_IN_LOG = "cause_not_in_log"
_SAME_EVENT = 5
"""Lines within which a generic finding says the same as a specific one."""
_ENDED_WITHIN = 50
"""Lines that may follow the last trace when it was the end of the program."""


def _evidence(number: int, text: str, time: str | None = None) -> Evidence:
    return Evidence(number, redact(hide_conversations(text.strip()[:_SHOWN])).text, time)


def _before(observed: Observed, sign: Sign, number: int) -> int:
    """Number of the last line before `number` that shows the sign, 0 when none does."""
    return max((hit.number for hit in observed.hits(sign) if hit.number < number), default=0)


def _next_ready(observed: Observed, number: int) -> int | None:
    return min((hit.number for hit in observed.hits(READY) if hit.number > number), default=None)


def _ended_between(observed: Observed, begin: int, end: float) -> bool:
    fatal = [*observed.hits(START_FAILED), *observed.hits(ENGINE_DIED)]
    return any(begin < hit.number < end for hit in fatal)


def _in_place(signature: Signature, hit: Hit, observed: Observed) -> bool:
    """Whether a hit stands where the signature wants it: at which level, after what, and not overcome by a good start."""
    if not (hit.bad or signature.any_level):
        return False
    after = _before(observed, signature.after, hit.number) if signature.after else 0
    if signature.after and not after:
        return False
    if signature.not_after and _before(observed, signature.not_after, hit.number) > after:
        return False
    if signature.nature is Nature.CALLER:
        return True
    ready = _next_ready(observed, hit.number)
    begin = _before(observed, READY, hit.number)
    if ready is not None:
        return signature.fatal or _ended_between(observed, begin, ready)
    if signature.any_level or hit.raised or signature.fatal:
        return True
    return _ended_between(observed, begin, float("inf")) or any(t.cause.line_number > begin for t in observed.traces)


def _figures(signature: Signature, texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for expression in signature.figures:
        for text in texts:
            match = expression.search(text)
            if match:
                for name, value in match.groupdict().items():
                    found.setdefault(name, redact(value.strip()).text)
                break
    return found


def _match(signature: Signature, observed: Observed) -> Finding | None:
    places = [hit for hit in observed.hits(signature.must) if _in_place(signature, hit, observed)]
    if len(places) < signature.at_least:
        return None
    now = [hit for hit in places if signature.nature is Nature.CALLER or _next_ready(observed, hit.number) is None]
    cause = next((hit for hit in now if hit.raised), None) or (now or places[-1:])[0]
    if signature.unless and any(hit.bad for hit in observed.hits(signature.unless)):
        return None
    shown = [signature.must.label, *(sign.label for sign in signature.signs if observed.hits(sign))]
    return Finding(
        name=signature.name,
        title=signature.title,
        nature=signature.nature,
        cause=_evidence(cause.number, cause.line.message, cause.line.time),
        signs=tuple(shown),
        signs_total=1 + len(signature.signs),
        check=signature.check,
        next_step=signature.next_step,
        source=signature.source,
        figures=_figures(signature, [cause.line.message, *observed.near(cause.number)]),
        over=not now,
    )


def _telling(trace: Trace) -> Raised | None:
    """The exception of a trace that says what is wrong: the first of the chain that is neither a wrapper nor a mere look-up."""
    told = [raised for raised in trace.raised if not _WRAPPER.search(raised.text)]
    return next((raised for raised in told if not _MUTE.match(raised.text)), told[0] if told else None)


def _deepest(observed: Observed) -> Raised | None:
    """The exception that ended the engine last: of the traces since it was last up, the first that tells something."""
    since = max((hit.number for hit in observed.hits(READY)), default=0)
    traces = sorted((t for t in observed.traces if t.cause.line_number > since), key=lambda t: t.first_line_number)
    told = [raised for trace in traces if (raised := _telling(trace))]
    ended = _ended_between(observed, since, float("inf"))
    if not ended:
        serving = observed.hits(SERVING) and not observed.hits(LOADING)
        last = max((t.raised[-1].line_number for t in traces), default=0)
        if since or serving or observed.lines - last > _ENDED_WITHIN:
            return None
    loose = [raised for raised in observed.loose if raised.line_number > since and not _WRAPPER.search(raised.text)]
    return next(iter(told or (loose if ended else [])), None)


def _unknown_failure(observed: Observed) -> Finding | None:
    """What can be said when no signature matches: the deepest exception, or that the cause is not in this part of the log."""
    deepest = _deepest(observed)
    since = max((hit.number for hit in observed.hits(READY)), default=0)
    wrappers = [hit for hit in observed.hits(START_FAILED) if hit.number > since]
    if deepest is not None:
        cause = _evidence(deepest.line_number, deepest.text)
        title, name = f"the engine failed: {cause.text[:160]}", "unknown_failure"
        check = f"Where: {deepest.frame}." if deepest.frame else "Read the lines around it."
        step = "Search the line in the issues of vllm-project/tpu-inference; go back to the image or flags that worked."
    elif wrappers:
        cause = _evidence(wrappers[0].number, wrappers[0].line.message, wrappers[0].line.time)
        title, name = "the engine did not start; why is not in this part of the log", _NOT_IN_LOG
        check, step = "vLLM prints the cause above this line.", "Read more of the log (`logs engine since 1h`)."
    else:
        return None
    return Finding(
        name=name,
        title=title,
        nature=Nature.FAILURE,
        cause=cause,
        signs=("an exception ended it",) if deepest else (START_FAILED.label,),
        signs_total=1,
        check=redact(check).text,
        next_step=step,
        source="no known signature matches",
    )


def _without_echoes(findings: list[Finding]) -> list[Finding]:
    """Of findings with one cause line keep the one with more of its signs; generic ones give way to specific ones beside them."""
    generic = {signature.name for signature in SIGNATURES if signature.generic}
    best: dict[int, Finding] = {}
    for finding in sorted(findings, key=lambda f: (f.name in generic, -len(f.signs) / f.signs_total, -len(f.signs))):
        best.setdefault(finding.cause.line_number, finding)
    specific = [f.cause.line_number for f in best.values() if f.name not in generic and f.nature is Nature.FAILURE]
    return [
        f
        for f in best.values()
        if f.name not in generic or not any(abs(f.cause.line_number - line) <= _SAME_EVENT for line in specific)
    ]


def _says_no_more(unknown: Finding, found: list[Finding]) -> bool:
    """Whether a finding without a signature adds nothing to the ones with: the same line, or only that the cause is missing."""
    current = [f for f in found if f.nature is Nature.FAILURE and not f.over]
    return unknown.cause.line_number in {f.cause.line_number for f in found} or (unknown.name == _NOT_IN_LOG and bool(current))


def diagnose(lines: Iterable[str]) -> list[Finding]:
    """Read an engine's log and return what it shows, most likely first; an empty list when nothing is wrong in it.

    The cause is the line that shows it, not the wrappers around it. Without a known signature, an exception that ended the engine
    is named by itself. One pass, bounded memory, no clock; secrets and conversations are hidden in what is returned.
    """
    observed = Observed(SIGNATURES)
    observed.read(lines)
    found = [finding for signature in SIGNATURES if (finding := _match(signature, observed))]
    found = _without_echoes(found)
    generic = {signature.name for signature in SIGNATURES if signature.generic}
    known = any(f.nature is Nature.FAILURE and not f.over and f.name not in generic for f in found)
    unknown = None if known else _unknown_failure(observed)
    if unknown is not None and not _says_no_more(unknown, found):
        found.append(unknown)
    return sorted(found, key=lambda f: (f.over, f.nature, f.name in generic, f.cause.line_number))
