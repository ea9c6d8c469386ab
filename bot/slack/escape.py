"""The one place where words become Slack mrkdwn. Nothing here can be talked into a ping, a link or formatting.

Sources: docs.slack.dev "Formatting message text" (three characters are escaped: & < >; tokens <@U…>, <!subteam^S…>,
<!date^…>, <url|text>). A zero-width space after a marker keeps it from formatting and is not seen; backslashes do nothing.
"""

import re
import unicodedata
from datetime import UTC, datetime
from urllib.parse import urlsplit

ZERO_WIDTH = "\u200b"
URL_LIMIT = 3000
"""Characters of an address in a block (Block Kit, url)."""

_USER = re.compile(r"[UW][A-Z0-9]{1,30}")
_GROUP = re.compile(r"S[A-Z0-9]{1,30}")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_BACKTICK = re.compile(r"`")
_MARKER = re.compile(r"(?<![^\W_])[*_~]|[*_~](?![^\W_])")
_EMOJI = re.compile(r":([a-z0-9_+'-]++)(?=:)")
_EMOJI_NUMBERS = frozenset({"100", "1234"})
_UNSAFE_IN_URL = re.compile(r"[\s<>|\"'`\\^{}\x00-\x20\x7f-\x9f]")


def clean(text: str) -> str:
    """The text on one line: line breaks and control characters become spaces, invisible and direction-turning ones vanish."""
    if text.isprintable():
        return text
    return "".join(map(_visible, text))


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cc", "Zl", "Zp", "Zs"}:
        return " "
    if category == "Cs":
        return "\ufffd"
    return "" if category == "Cf" and char != "\u200d" else char


def blank(text: str) -> bool:
    """Whether a reader would see nothing."""
    return not any(unicodedata.category(char)[0] in "LNPS" for char in text)


def units(text: str) -> int:
    """Length in UTF-16 code units, the larger of the two counts that Slack may use."""
    return len(text) + sum(char > "\uffff" for char in text)


def literal(text: str) -> str:
    """Mrkdwn that shows exactly these words: no mention, link, formatting, quote or emoji comes out of them."""
    words = clean(text)
    words = _BACKTICK.sub("`" + ZERO_WIDTH, words)
    words = _MARKER.sub(lambda found: found.group() + ZERO_WIDTH, words)
    words = _EMOJI.sub(_unfold, words)
    if words.lstrip().startswith(">"):
        words = ZERO_WIDTH + words
    return words.translate(_ENTITIES)


def _unfold(name: re.Match[str]) -> str:
    """An emoji's name kept as words; the minutes of a time of day are no emoji."""
    word = name.group(1)
    return name.group() if word.isdigit() and word not in _EMOJI_NUMBERS else f":{ZERO_WIDTH}{word}"


def bold(text: str) -> str:
    """Bold words; plain ones when the text holds an asterisk, which could end the bold early. Spaces stay outside."""
    words = clean(text)
    return _marked("*", words, literal(words.strip())) if "*" not in words else literal(words)


def code(text: str) -> str:
    """Inline code; plain words when the text holds a backtick, for then the code could be broken out of."""
    words = clean(text)
    return _marked("`", words, words.strip().translate(_ENTITIES)) if "`" not in words else literal(words)


def _marked(mark: str, words: str, inner: str) -> str:
    if blank(words):
        return literal(words)
    before = " " * (len(words) - len(words.lstrip()))
    after = " " * (len(words) - len(words.rstrip()))
    return f"{before}{mark}{inner}{mark}{after}"


def mention(id_: str) -> str:
    """A ping of one user (U…, W…) or one user group (S…); literal words when the id is neither."""
    if _USER.fullmatch(id_):
        return f"<@{id_}>"
    if _GROUP.fullmatch(id_):
        return f"<!subteam^{id_}>"
    return literal(f"@{id_}")


def moment(at: datetime, *, date: bool) -> str:
    """A time in the reader's own zone, with UTC for whoever cannot show that. A naive time is taken as UTC."""
    form = "{date_short_pretty} {time}" if date else "{time}"
    fallback = utc(at, date=date)
    epoch = int(_aware(at).timestamp())
    return f"<!date^{epoch}^{form}|{fallback}>" if epoch >= 0 else fallback


def utc(at: datetime, *, date: bool) -> str:
    """The time in UTC, as words."""
    moment_ = _aware(at)
    return f"{moment_:%Y-%m-%d %H:%M} UTC" if date else f"{moment_:%H:%M} UTC"


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        return at.replace(tzinfo=UTC)
    try:
        return at.astimezone(UTC)
    except OverflowError:  # within a day of the first or the last year
        return at.replace(tzinfo=UTC)


def link(url: str, text: str) -> str:
    """A link with its words. An address that could break out of the token, hides a login or disagrees with its words is refused:
    then only the words stand there."""
    words = clean(text)
    host = safe_host(url)
    if host is None or _claims_other_host(words, host):
        return literal(words)
    shown = literal(host if blank(words) else words)
    return f"<{url.translate(_ENTITIES)}|{shown}>"


def safe_host(url: str) -> str | None:
    """The host of an http(s) address that may stand in a link, or None when it may not."""
    if len(url) > URL_LIMIT or _UNSAFE_IN_URL.search(url) or not url.isprintable():
        return None
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    return host if host and parts.scheme in {"http", "https"} and "@" not in parts.netloc else None


def _claims_other_host(words: str, host: str) -> bool:
    claimed = re.match(r"\s*https?://([^/\s:?#]+)", words, re.IGNORECASE)
    return claimed is not None and claimed.group(1).lower() != host.lower()
