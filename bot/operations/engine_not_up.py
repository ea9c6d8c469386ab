"""An engine that does not start: why, what would do, and what it costs meanwhile (messages.md, T5)."""

from collections.abc import Sequence

from bot.nouns import Deployment, EngineStart, Quantity
from bot.operations.engine_failure import LOG_LINES
from bot.operations.engine_outcome import Failure
from bot.operations.engine_progress import expected, last_starts
from bot.operations.machine_words import rate
from bot.serving.specification import EngineSpecification
from bot.serving.start_fix import StartFix, start_fix
from bot.view import VERDICT_LIMIT, Button, Line, Shape, View, bold, code, line, plain


def view(
    place: Deployment, wanted: EngineSpecification, failure: Failure, starts: Sequence[EngineStart], price: Quantity | None
) -> View:
    """The verdict with what bills, the figures behind it, a way out that was calculated, how long the next try takes."""
    said = "\n".join((*(one.cause.text for one in failure.findings), *failure.log))
    fix, verdict = start_fix(wanted, said), _verdict(place, failure, price)
    return View(
        verdict=verdict,
        shape=Shape.BAD,
        lines=(
            *_why(failure, fix),
            *_way_out(failure, fix, wanted),
            _next_try(place, starts, None if _bills(price) in plain(verdict) else price),
        ),
        buttons=_buttons(place, wanted, fix, price),
        details=tuple(line(code(one[:300])) for one in failure.log if one.strip()),
    )


def _verdict(place: Deployment, failure: Failure, price: Quantity | None) -> Line:
    """The state of the machine is left out where the sentence would be too long for a phone's notification."""
    tail = f" · {_bills(price)}"
    head = f"{place.name} did not start: "
    room = VERDICT_LIMIT - len(head)
    what = failure.what if len(failure.what) <= room else failure.what[: room - 1] + "…"
    whole = line(bold(head + what), tail)
    return whole if len(plain(whole)) <= VERDICT_LIMIT else line(bold(head + what))


def _why(failure: Failure, fix: StartFix | None) -> tuple[Line, ...]:
    if fix is not None:
        short = fix.short
        program = (code(short.program),) if short.program else ("A program",)
        missing = f"{short.missing_mib:.0f}M short" if short.missing_mib >= 1 else "just too little"
        wanted = f" wanted {short.wanted_mib:.2f}M per chip, {short.free_mib:.2f}M was free: {missing}."
        return (line(*program, wanted, f" Utilization {fix.current:g} left no room."),)
    if failure.findings:
        cause = failure.findings[0].cause.text
        return (line("Its log says: ", code(cause[:200])),)
    return ()


def _way_out(failure: Failure, fix: StartFix | None, wanted: EngineSpecification) -> tuple[Line, ...]:
    """The fix with its arithmetic, or the next step that is known for this failure."""
    if fix is not None and fix.fix is not None:
        found, length = fix.fix, f"{wanted.context // 1024}K" if wanted.context % 1024 == 0 else f"{wanted.context:,}-token"
        holds = f"still holds one {length} request ({found.request_gib:.2f} of {found.cache_gib:.2f} GiB)"
        lower = f" {found.too_low:.2f} would not." if found.too_low is not None else ""
        return (
            line(f"Fix, arithmetic checked: {found.utilization:g} frees {found.frees_gib:.2f} GiB per chip and {holds}.{lower}"),
        )
    if fix is not None:
        return (line(f"No lower share of memory would hold one request of {wanted.context:,} tokens: shorten the context."),)
    if failure.findings:
        return (line(f"Next: {failure.findings[0].next_step}"),)
    return (line(f"Next: {failure.next_step}"),) if failure.next_step else (line("Next: read the last lines of its log."),)


def _next_try(place: Deployment, starts: Sequence[EngineStart], price: Quantity | None) -> Line:
    """How long; and what bills, where the verdict had no room for it."""
    told = f" ({last_starts(starts)})" if starts else ""
    bills = f" {place.machine or 'Its machine'} is up, {rate(price)}." if price is not None else ""
    return line(f"The next try takes {expected(starts)}{told}. I changed nothing since.{bills}")


def _bills(price: Quantity | None) -> str:
    return f"machine is up, {rate(price)}" if price is not None else "its machine still bills"


def _buttons(place: Deployment, wanted: EngineSpecification, fix: StartFix | None, price: Quantity | None) -> tuple[Button, ...]:
    """Each holds exact values; pressing one asks before it does anything."""
    if fix is not None and fix.fix is not None:
        share = f"{fix.fix.utilization:g}"
        again = Button(label=f"Restart with {share}", words=f"engine restart {place.name} utilization={share}", style="primary")
    elif fix is not None:
        again = Button(label="What fits", words=f"memory {wanted.geometry.name} {wanted.piece.name}")
    else:
        again = Button(label=f"Restart {place.name}", words=f"engine restart {place.name}")
    log = Button(label=f"Log, {LOG_LINES} lines", words=f"logs engine {place.name} lines={LOG_LINES}")
    if place.machine is None:
        return (again, log)
    label = f"Delete {place.machine}" + (f", {rate(price)}" if price is not None else "")
    return (again, log, Button(label=label[:75], words=f"machine destroy {place.machine}", style="danger"))
