from typing import Any

import pytest

from sandbox.page.mrkdwn import markdown, mrkdwn
from sandbox.slack import default_workspace
from sandbox.slack.formatting import Reader

READER = Reader(default_workspace(), "Europe/Berlin", 1_796_000_000.0)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*bold* _em_ ~gone~", "<p><strong>bold</strong> <em>em</em> <s>gone</s></p>"),
        ("`a*b*` 2*3*4", "<p><code>a*b*</code> 2*3*4</p>"),
        ("one\ntwo", "<p>one</p><p>two</p>"),
        ("```\nlog *x*\ny\n```", "<pre>log *x*\ny</pre>"),
        ("&gt; quoted", "<blockquote>quoted</blockquote>"),
        ("<@U0ANNA> at <!date^1796000000^{time}|x>", "<p>@anna at 01:53</p>"),
    ],
)
def test_slacks_markup_becomes_elements(text: str, html: str) -> None:
    assert mrkdwn(text, READER) == html


def test_markdown_knows_headings_items_and_links() -> None:
    html = markdown("## Yes\n- **p90** rose\n[docs](https://x.example/a?b=1)", READER)
    assert html == (
        '<p class="heading">Yes</p><p class="item"><strong>p90</strong> rose</p>'
        '<p><a href="https://x.example/a?b=1" rel="noopener noreferrer" target="_blank">docs</a></p>'
    )


@pytest.mark.parametrize("write", [mrkdwn, markdown])
@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&amp;lt;script&amp;gt;",
        "`<script>`",
        "```<script>```",
        '<https://x.example/"onclick="alert(1)|<script>>',
        "<javascript:alert(1)|click>",
        "[x](javascript:alert(1))",
        "<@U0ANNA|<script>>",
        "\x02 0\x02 \x020\x02",
    ],
)
def test_nothing_that_people_or_models_write_becomes_markup(write: Any, text: str) -> None:
    html = str(write(text, READER))
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert '"onclick="' not in html
