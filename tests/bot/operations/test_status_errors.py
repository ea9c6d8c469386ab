"""`status` tells what was read of the logs last, with its time, and does not take nothing read for no errors."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.operations.execute import execute
from bot.operations.status import STATUS
from bot.ports import LastReport
from bot.view import plain
from tests.doubles.ports import NOW, House
from tests.doubles.sights import PROD, fleet, machine, scrape

READ = NOW - timedelta(minutes=4)


class Reports:
    """The newest report, whatever it was."""

    def __init__(self, last: LastReport | None) -> None:
        self.found = last

    async def last(self, team_id: str, deployment: str) -> LastReport | None:
        assert (team_id, deployment) == ("T1", "prod")
        return self.found


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (None, "New errors: unknown. "),
        (LastReport(at=READ, errors=0, new=None), "New errors: none (read 2026-11-30 02:56 UTC). "),
        (LastReport(at=READ, errors=9, new=0), "New errors: none (read 2026-11-30 02:56 UTC). "),
        (LastReport(at=READ, errors=9, new=2), "New errors: 2 kinds (read 2026-11-30 02:56 UTC). "),
        (LastReport(at=READ, errors=9, new=None), "Errors: 9 (read 2026-11-30 02:56 UTC). "),
    ],
)
async def test_what_was_read_last_is_told_with_its_time(last: LastReport | None, said: str) -> None:
    house = House()
    house.names.known = [PROD]
    house.engine.health, house.engine.scrape, house.cloud.answer = True, scrape(running=4), fleet(machine())
    reports: Any = Reports(last)
    services = replace(house.services, known_errors=reports)
    view = (await execute((STATUS,), services, house.request("status"))).view
    assert said in plain(view.lines[1])
