"""How an answer is shown: the verdict, a few lines, what it was written from, and what may be pressed."""

from bot.nouns import Answer, Measured, Proposal
from bot.operations.wording import count
from bot.view import VERDICT_LIMIT, Button, Line, Shape, View, bold, code, line

SURE = "ask are you sure?"
LINES = 5
"""Lines of prose below the verdict; the rest waits behind Details."""


def view_of(answer: Answer, *, stats: bool = False) -> View:
    """The message."""
    first, rest = _verdict(answer.lines)
    proposed = _proposed(answer.proposal)
    below = [*_limits(answer), *proposed, *([_stats(answer.measured)] if stats and answer.measured else []), _sources(answer)]
    prose = [line(one) for one in rest]
    room = max(1, 7 - len(below))
    return View(
        verdict=line(bold(first)),
        lines=(*prose[: min(LINES, room)], *below),
        details=tuple(prose[min(LINES, room) :]) + tuple(_looked_at(answer)),
        buttons=_buttons(answer),
    )


def _verdict(lines: tuple[str, ...]) -> tuple[str, list[str]]:
    """Line 1 within its limit; what does not fit goes on in line 2."""
    first, *rest = lines
    if len(first) <= VERDICT_LIMIT:
        return first, rest
    end = first.rfind(". ", 20, VERDICT_LIMIT)
    end = end + 1 if end > 0 else first.rfind(" ", 20, VERDICT_LIMIT - 1)
    if end <= 0:
        return first[: VERDICT_LIMIT - 1] + "…", [first, *rest]
    return first[:end].rstrip(), [first[end:].strip(), *rest]


def _limits(answer: Answer) -> list[Line]:
    return [line(f"Stopped at a limit ({answer.limit}): this is what I had until then.")] if answer.limit else []


def _proposed(proposal: Proposal | None) -> list[Line]:
    """What Gemma asks a person to say yes to."""
    if proposal is None:
        return []
    told = [line(one) for one in dict.fromkeys((proposal.shown[0], proposal.shown[-1]))]
    return [line(bold("Gemma proposes: "), proposal.label), *told]


def _sources(answer: Answer) -> Line:
    """`Sources: metrics, changes · all figures checked`."""
    named = ", ".join(answer.sources) if answer.sources else "none"
    if not answer.figures:
        return line(f"Sources: {named} · no figures in it")
    parts = [f"{len(answer.quoted)} quoted and not measured"] if answer.quoted else []
    parts += [f"{len(answer.unsupported)} in no result"] if answer.unsupported else []
    if not parts:
        return line(f"Sources: {named} · all figures checked")
    return line(f"Sources: {named} · of {count(answer.figures, 'figure')} {', '.join(parts)}")


def _stats(measured: Measured) -> Line:
    """Times by our clock, tokens by the server's own count."""
    parts = [
        "first token unknown" if measured.first_token_s is None else f"first token {measured.first_token_s:.2f} s",
        "speed unknown" if measured.tokens_per_s is None else f"{measured.tokens_per_s:.1f} tokens/s",
    ]
    if measured.prompt_tokens is not None and measured.completion_tokens is not None:
        parts.append(f"{measured.prompt_tokens:,} tokens read, {measured.completion_tokens:,} written in {measured.turns} turns")
    if measured.total_s is not None:
        parts.append(f"{measured.total_s:.1f} s in all")
    return line("Last turn: " + " · ".join(parts))


def _looked_at(answer: Answer) -> list[Line]:
    """Each look-up with its first line, for who wants to see for themselves."""
    return [
        line(f"{one.id} ", code(one.words), f" at {one.at:%H:%M} UTC: ", (one.said or ("nothing",))[0]) for one in answer.readings
    ]


def _buttons(answer: Answer) -> tuple[Button, ...]:
    found: list[Button] = []
    if answer.proposal is not None:
        yes = Button(label=answer.proposal.label, words=f"yes {answer.proposal.question}", style="primary")
        found += [yes, Button(label="Decline", words=f"no {answer.proposal.question}")]
    chart = next((one for one in answer.readings if one.operation == "metrics" and not one.failed), None)
    found += [Button(label="Chart", words=chart.words)] if chart is not None and len(chart.words) < 1900 else []
    found += [Button(label="Are you sure?", words=SURE)] if answer.figures and not answer.read_again else []
    return tuple(found)


def waiting(work_id: str) -> View:
    """Another question of the thread is answered first."""
    return View(verdict=line(bold(f"{work_id}: after the question before it…")))


def stopped(work_id: str) -> View:
    """Somebody pressed Stop."""
    return View(verdict=line(bold(f"{work_id} was stopped"), ", there is no answer"), shape=Shape.NONE)
