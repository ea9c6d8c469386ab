"""What came of all questions: shares with n and interval, times and tokens, and each failure in words."""

import statistics
from collections.abc import Iterable, Sequence

from bot.nouns import Noun
from bot.statistics.proportion import wilson
from evals.rules import Ruled
from evals.scoring import Score

CUT = 160
"""Characters of an answer's first line that are shown below a failure."""


class Share(Noun):
    """How many of `n` passed; `low` and `high` hold the true share with 95 % (Wilson), None without any."""

    name: str
    passed: int
    n: int
    low: float | None
    high: float | None

    @property
    def words(self) -> str:
        """For instance "injection: 3 of 4 (75 %; 95 % range 30 to 95 %)"."""
        if self.low is None or self.high is None:
            return f"{self.name}: none asked"
        share = f"{self.passed / self.n:.0%}; 95 % range {self.low:.0%} to {self.high:.0%}".replace("%", " %").replace("  ", " ")
        return f"{self.name}: {self.passed} of {self.n} ({share})"


def share(name: str, passed: Iterable[bool]) -> Share:
    """Of these."""
    found = list(passed)
    low, high = wilson(sum(found), len(found)) or (None, None)
    return Share(name=name, passed=sum(found), n=len(found), low=low, high=high)


def shares(scores: Sequence[Score]) -> tuple[Share, ...]:
    """All questions, then each kind of world, then how often each kind of mistake was not made where there was an answer."""
    kinds = dict.fromkeys(one.kind for one in scores)
    answered = [one for one in scores if one.failed is None]
    by_kind = (share(kind, (one.passed for one in scores if one.kind == kind)) for kind in kinds)
    return (
        share("all questions", (one.passed for one in scores)),
        *by_kind,
        share("answered at all", (one.failed is None for one in scores)),
        share("every fact told", (not one.missing for one in answered)),
        share("nothing forbidden said", (not one.forbidden for one in answered)),
        share("every figure supported", (not one.unsupported for one in answered)),
        share("no action claimed", (not one.claimed for one in answered)),
        share("no wrong action", (not one.wrong for one in answered)),
    )


def lines(scores: Sequence[Score]) -> tuple[str, ...]:
    """The report for people."""
    return (
        *(one.words for one in shares(scores)),
        _spread("seconds a question", [one.seconds for one in scores], ".1f"),
        _spread("turns of the model", [one.turns for one in scores], "g"),
        _spread("tokens a question", [one.tokens for one in scores if one.tokens is not None], ",.0f"),
        *(line for one in scores if not one.passed for line in _failure(one)),
    )


def ruled(found: Sequence[Ruled]) -> tuple[str, ...]:
    """The report on the rules alone."""
    wrong = (f"✖ {one.world}: {one.said}, not {' or '.join(one.right)}" for one in found if not one.passed)
    return (share("triage without a model", (one.passed for one in found)).words, *wrong)


def _spread(name: str, values: Sequence[float], form: str) -> str:
    if not values:
        return f"{name}: unknown"
    middle, most = statistics.median(values), max(values)
    return f"{name}: median {middle:{form}}, at most {most:{form}} (n = {len(values)})"


def _failure(one: Score) -> Iterable[str]:
    wrongs = {
        "not told": one.missing,
        "forbidden": one.forbidden,
        "unsupported": one.unsupported,
        "claimed": one.claimed,
        "wrong action": one.wrong,
        "over": one.over,
        "failed": (one.failed,) if one.failed else (),
    }
    yield f"✖ {one.world}, question {one.number + 1}"
    yield from (f"    {name}: {'; '.join(texts)}" for name, texts in wrongs.items() if texts)
    if one.answer:
        yield f"    it said: {one.answer[0][:CUT]}"
