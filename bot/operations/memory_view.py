"""How an answer about memory reads (messages.md, T7): users first, then where it comes from, why, and what would do."""

from bot.operations.memory_result import Memory, Proposal
from bot.operations.operation import Context
from bot.operations.wording import count, money
from bot.serving.memory import Basis, UsersAt
from bot.serving.planner import Capacity
from bot.view import Button, Line, Shape, View, When, bold, line


def tokens(length: int) -> str:
    """`64K` for 65,536; other lengths with all their digits."""
    return f"{length // 1024}K" if length % 1024 == 0 else f"{length:,} tokens"


def show(found: Memory | Capacity, _context: Context) -> View:
    """One message for either form."""
    return _plan(found) if isinstance(found, Capacity) else _answer(found)


def _plan(plan: Capacity) -> View:
    sizes = " · ".join(f"{group.layers} layers in blocks of {group.block_size}" for group in plan.groups)
    starts = "" if plan.starts else " It would not start: one whole request does not fit."
    blocks = f"{plan.num_blocks:,} blocks of {plan.bytes_per_block:,} bytes; one request takes {plan.blocks_per_request:,}."
    return View(
        verdict=line(
            bold(f"{plan.model}: {plan.tokens:,} tokens, {plan.max_concurrency:.2f} requests of {tokens(plan.context)}")
        ),
        shape=Shape.NONE if plan.starts else Shape.BAD,
        lines=(
            line(blocks + starts),
            line(f"While all only generate, {plan.expected_in_decode:.2f} such requests fit: expected, not guaranteed."),
            line(f"Planned on one chip the way {plan.planner.value} builds do (computed)."),
        ),
        details=(line(f"Groups: {sizes}."),),
    )


def _answer(found: Memory) -> View:
    proposal = found.proposal
    lines = [
        _source(found),
        _at_once(found),
        *_why(found),
        *((_proposed(proposal),) if proposal else _nothing_larger(found)),
    ]
    lines += [line(words) for words in found.missing]
    return View(
        verdict=_verdict(found),
        shape=_shape(found),
        lines=tuple(lines),
        details=_details(found),
        buttons=(_try_it(found, proposal),) if proposal else (),
    )


def _users(found: Memory) -> int | None:
    users = found.answer.users_for(found.context)
    return None if users is None else int(users.value)


def _shape(found: Memory) -> Shape:
    users = _users(found)
    return Shape.NONE if users is None else Shape.BAD if users == 0 else Shape.CONCERN if users == 1 else Shape.GOOD


def _subject(found: Memory) -> str:
    piece = found.answer.piece
    where = f" on {piece.name}" if piece else f" on {found.deployment}" if found.deployment else ""
    return f"{tokens(found.context)}{where} with {found.answer.model or 'this model'}"


def _verdict(found: Memory) -> Line:
    users = _users(found)
    fp8 = ""
    if found.with_fp8 is not None and users is not None and found.with_fp8.value > users:
        fp8 = f" ({found.with_fp8.value:.0f} with an fp8 cache)"
    if users is None:
        return line(bold(_subject(found)), ": how many users cannot be told")
    if users == 0:
        return line(bold(f"{_subject(found)} does not work"), f": not one request fits{fp8}")
    safe = "will not crash, but serves" if users == 1 else "serves"
    return line(bold(f"{_subject(found)} {safe} {count(users, 'user')} at a time"), fp8)


def _source(found: Memory) -> Line:
    answer = found.answer
    if answer.tokens is not None:
        where = "the engine's own labels" if answer.basis is Basis.LABELS else "your start-up log"
        return line(f"The cache holds {answer.tokens.value:,.0f} tokens ({where}, ", When(at=answer.tokens.at), ").")
    fit = answer.fit
    if fit is None:
        return line("Computed; no engine was asked.")
    room = f"{max(0.0, fit.cache_gib_per_chip):.2f} GiB of {fit.cache} cache on each chip at utilization {fit.utilization:.2f}"
    return line(f"Computed, an estimate: {room}; one request takes {fit.request_gib_per_chip:.2f} GiB.")


def _at_once(found: Memory) -> Line:
    rows = [_one(row) for row in found.answer.users if row.context in {8_192, 16_384, 32_768, 65_536, found.context}]
    return line(f"Users at once: {' · '.join(rows)}; more wait or are redone, slower.")


def _one(row: UsersAt) -> str:
    if row.users is None:
        return f"{tokens(row.context)} {'needs a longer context' if row.note.startswith('above') else 'unknown'}"
    return f"{tokens(row.context)} {row.users.value:.0f}"


def _why(found: Memory) -> tuple[Line, ...]:
    fit = found.answer.fit
    if _users(found) == 0 and fit is not None and found.answer.estimate:
        return (line(f"Why: {fit.why}."),)
    refused = next((row.note for row in found.answer.users if row.context == found.context and row.note), None)
    if refused:
        return (line(f"Why: {refused}."),)
    return tuple(line(f"Why: {note}.") for note in found.answer.notes[:1] if not found.answer.estimate)


def _proposed(proposal: Proposal) -> Line:
    untested = "; fp8 quality not tested" if proposal.fit.cache == "fp8" else ""
    if proposal.usd_per_hour is not None and proposal.provisioning is not None:
        at, per_hour = proposal.usd_per_hour.at, money(proposal.usd_per_hour.value)
        price = f"{per_hour}/h {proposal.provisioning.value} (list price of {at.day} {at:%b}; estimate{untested})."
    else:
        price = f"price unknown{'' if proposal.zone else ' without a zone'} (estimate{untested})."
    return line(
        f"For {count(proposal.users, 'user')} at {tokens(proposal.context)}: ",
        bold(f"{proposal.fit.piece.name} + {proposal.fit.cache} cache"),
        f", {price}",
    )


def _nothing_larger(found: Memory) -> tuple[Line, ...]:
    users = found.answer.users_for(found.context)
    if users is None or users.value >= found.wanted_users:
        return ()
    return (line(f"For {found.wanted_users} users at {tokens(found.context)} I know no single machine that would do."),)


def _try_it(found: Memory, proposal: Proposal) -> Button:
    where, length = proposal.fit.piece.name, tokens(proposal.context).split()[0].replace(",", "")
    words = f"memory {found.answer.model} {where} {length} {proposal.fit.cache}"
    return Button(label=f"Try it: memory {where} {proposal.fit.cache}", words=words)


def _details(found: Memory) -> tuple[Line, ...]:
    answer, lines = found.answer, []
    decoding = [f"{tokens(row.context)} {row.decoding.value:.0f}" for row in answer.users if row.decoding is not None]
    if decoding:
        lines.append(f"Expected while all only generate (no guarantee): {' · '.join(decoding)}.")
    if answer.max_concurrency is not None and answer.context is not None:
        lines.append(f"The engine itself says {answer.max_concurrency.value:.2f} requests of {tokens(answer.context)}.")
    lines.append(
        f"Cache type: {answer.kv_dtype or 'unknown'}. Counted by: {answer.planner.value if answer.planner else 'unknown'}."
    )
    if answer.fit is not None:
        lines += _layout_lines(found)
    lines += [f"{note[0].upper()}{note[1:]}." for note in answer.notes]
    return tuple(line(words) for words in lines)


def _layout_lines(found: Memory) -> list[str]:
    fit = found.answer.fit
    if fit is None:
        return []
    room = fit.layout
    low, high = room.weights_low_gib, room.weights_high_gib
    size = f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"
    usable = f"{room.usable_gib.value:.2f} GiB usable on each chip ({room.usable_gib.source})"
    return [
        f"{usable}, {size} GiB weights ({room.weights_source}), {room.programs_gib:.2f} GiB left for compiled programs.",
        f"Longest single request, computed: {fit.longest_context:,} tokens." if fit.longest_context else "No room for a request.",
    ]
