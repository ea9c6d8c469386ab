import pytest

from sandbox.slack import default_workspace
from sandbox.slack.formatting import Reader, ago

NOW = 1_796_000_000.0  # 2026-11-30 00:53:20 UTC


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ("<@U0ANNA> <@U0GEMMA> <@U9>", "@anna @gemma @U9"),
        ("<!subteam^S0TPUOPS> <!here> <#C0OPS>", "@tpu-ops @here #ops"),
        ("<https://x.example|Endpoint> <https://y.example>", "Endpoint https://y.example"),
        ("a &lt;b&gt; &amp; c", "a <b> & c"),
        ("&lt;!channel&gt;", "<!channel>"),
        ("&amp;lt;", "&lt;"),
        ("1 < 2 > 0", "1 < 2 > 0"),
    ],
)
def test_markup_reads_as_people_see_it(markup: str, seen: str) -> None:
    assert Reader(default_workspace(), "Etc/UTC", NOW).plain(markup) == seen


@pytest.mark.parametrize(
    ("tz", "seen"), [("Etc/UTC", "at 00:53"), ("Europe/Berlin", "at 01:53"), ("America/New_York", "at 19:53")]
)
def test_times_are_shown_in_the_readers_zone(tz: str, seen: str) -> None:
    assert Reader(default_workspace(), tz, NOW).plain("<!date^1796000000^at {time}|later>") == seen


def test_pretty_dates_know_today_and_yesterday() -> None:
    reader = Reader(default_workspace(), "Etc/UTC", NOW)
    assert reader.plain("<!date^1796000000^{date_short_pretty}|x>") == "today"
    assert reader.plain("<!date^1795913600^{date_pretty} {time}|x>") == "yesterday 00:53"
    assert reader.plain("<!date^1795000000^{date_num}|x>") == "2026-11-18"


def test_a_date_that_cannot_be_read_shows_its_fallback() -> None:
    assert Reader(default_workspace(), "Etc/UTC", NOW).plain("<!date^soon^{time}|18:50 UTC>") == "18:50 UTC"


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "just now"), (120, "2 minutes ago"), (-3700, "in 1 hour"), (90000, "1 day ago")]
)
def test_how_long_ago(seconds: float, words: str) -> None:
    assert ago(seconds) == words
