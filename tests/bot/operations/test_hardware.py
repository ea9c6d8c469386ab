"""`hardware`: dated figures with their sources."""

from typing import Any

import pytest

from bot.errors import UsageError
from bot.view import LINES_LIMIT, VERDICT_LIMIT, plain


async def test_all_generations_stand_side_by_side_with_the_day_they_were_read(world: Any) -> None:
    view = (await world.ask("hardware")).view
    assert plain(view.verdict) == "4 TPU generations, per chip, as read on 20 August 2026"
    assert [plain(one).partition(":")[0] for one in view.lines] == ["v5e", "v5p", "v6e", "v7x"]


async def test_each_figure_of_a_chip_has_a_source(world: Any) -> None:
    view = (await world.ask("hardware v6e-4")).view
    sources = "\n".join(map(plain, view.details))
    for figure in ("usable memory", "bandwidth", "bf16", "low precision", "between chips"):
        assert figure in sources
    assert "start-up log" in sources


async def test_a_figure_from_memory_is_marked_as_unconfirmed(world: Any) -> None:
    v7x = "\n".join(map(plain, (await world.ask("hardware ironwood")).view.lines))
    v6e = "\n".join(map(plain, (await world.ask("hardware trillium")).view.lines))
    assert "7,380 GB/s (unconfirmed)" in v7x
    assert "(unconfirmed)" not in v6e


async def test_what_is_not_known_is_said_and_not_zero(world: Any) -> None:
    shown = "\n".join(map(plain, (await world.ask("hardware v5p")).view.lines))
    assert "low precision unknown" in shown
    assert "fp8 unknown" in shown


async def test_an_unknown_generation_offers_those_that_exist_as_words_to_press(world: Any) -> None:
    with pytest.raises(UsageError) as refused:
        await world.ask("hardware v9")
    assert refused.value.near == ("hardware v5e", "hardware v5p", "hardware v6e", "hardware v7x")


async def test_every_form_fits_a_phone(world: Any) -> None:
    for words in ("hardware", "hardware v5e", "hardware v5p", "hardware v6e", "hardware v7x"):
        view = (await world.ask(words)).view
        assert len(plain(view.verdict)) <= VERDICT_LIMIT
        assert 1 + len(view.lines) <= LINES_LIMIT
