"""Slack's two markups as HTML. Everything is escaped first; only what is recognised afterwards becomes an element."""

import re
from collections.abc import Callable, Iterator

from markupsafe import Markup, escape

from sandbox.slack.formatting import Reader

FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
PLACE = re.compile("\x02(\\d+)\x02")
MRKDWN = (
    (re.compile(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])"), "strong"),
    (re.compile(r"(?<![\w_])_([^_\n]+)_(?![\w_])"), "em"),
    (re.compile(r"(?<![\w~])~([^~\n]+)~(?![\w~])"), "s"),
)
MARKDOWN = (
    (re.compile(r"\*\*([^*\n]+)\*\*"), "strong"),
    (re.compile(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])"), "em"),
    (re.compile(r"~~([^~\n]+)~~"), "s"),
)
MARKDOWN_LINK = re.compile(r"\[([^\]\n]+)\]\((https?://[^\s)]+)\)")
Rules = tuple[tuple[re.Pattern[str], str], ...]


def mrkdwn(text: str, reader: Reader) -> Markup:
    """Text of messages, sections and contexts."""
    return _lines(_inline(text, reader, MRKDWN), _mrkdwn_line)


def markdown(text: str, reader: Reader) -> Markup:
    """Text of markdown blocks and streams."""
    return _lines(_inline(text, reader, MARKDOWN), _markdown_line)


class _Kept:
    """Finished pieces of HTML that the rules below must not touch."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def keep(self, html: str) -> str:
        self._pieces.append(html)
        return f"\x02{len(self._pieces) - 1}\x02"

    def back(self, text: str) -> str:
        while PLACE.search(text):
            text = PLACE.sub(lambda match: self._pieces[int(match.group(1))], text)
        return text


def _inline(text: str, reader: Reader, rules: Rules) -> str:
    """Tokens, code, links and emphasis; lines stay lines."""
    kept = _Kept()
    text = text.replace("\x02", "")
    text = FENCE.sub(lambda match: kept.keep(f"<pre>{_quoted(match.group(1))}</pre>"), text)
    text = CODE.sub(lambda match: kept.keep(f"<code>{_quoted(match.group(1))}</code>"), text)
    text = reader.tokens(text, lambda words, url: kept.keep(_link(words, url)))
    text = _quoted(text)
    if rules is MARKDOWN:
        text = MARKDOWN_LINK.sub(lambda match: kept.keep(_anchor(match.group(1), match.group(2))), text)
    for pattern, name in rules:
        text = pattern.sub(rf"<{name}>\1</{name}>", text)
    return kept.back(text)


def _quoted(text: str) -> str:
    """Entities that Slack knows are decoded and then everything is escaped, so that nothing is parsed twice."""
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return str(escape(text))


def _link(words: str, url: str) -> str:
    return _anchor(_quoted(words), _quoted(url))


def _anchor(words: str, url: str) -> str:
    """Both parts are escaped already."""
    if not re.match(r"(https?|mailto):", url):
        return words
    return f'<a href="{url}" rel="noopener noreferrer" target="_blank">{words}</a>'


def _lines(text: str, line: Callable[[str], str]) -> Markup:
    """Lines as elements; what is inside <pre> keeps its own line breaks."""
    return Markup("".join(_each(text, line)))


def _each(text: str, line: Callable[[str], str]) -> Iterator[str]:
    for part in re.split(r"(<pre>.*?</pre>)", text, flags=re.DOTALL):
        if part.startswith("<pre>"):
            yield part
        elif part.strip():
            yield from (line(one) for one in part.strip("\n").split("\n"))


def _mrkdwn_line(line: str) -> str:
    if line.startswith("&gt;"):
        return f"<blockquote>{line.removeprefix('&gt;').strip()}</blockquote>"
    return f"<p>{line or '&nbsp;'}</p>"


def _markdown_line(line: str) -> str:
    if heading := re.match(r"#{1,6} (.*)", line):
        return f'<p class="heading">{heading.group(1)}</p>'
    if item := re.match(r"\s*(?:[-*]|\d+\.) (.*)", line):
        return f'<p class="item">{item.group(1)}</p>'
    return _mrkdwn_line(line)
