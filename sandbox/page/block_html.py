"""Blocks as HTML. Elements carry what the script needs to press them: data-button is "block_id/action_id"."""

from collections.abc import Callable
from typing import Any

from markupsafe import Markup, escape

from sandbox.page.controls import control
from sandbox.page.mrkdwn import markdown, mrkdwn
from sandbox.slack import block_text
from sandbox.slack.formatting import Reader
from sandbox.slack.refusal import Json
from sandbox.slack.workspace import Workspace

Names = list[tuple[str, str]]


class BlockHtml:
    """Writes blocks for one reader. `people` are offered by user selects."""

    def __init__(self, reader: Reader, workspace: Workspace) -> None:
        self._reader = reader
        self._people: Names = [(person.id, person.name) for person in workspace.people.values()]
        self._render: dict[str, Callable[[Json], Markup]] = {
            "section": self._section,
            "header": self._header,
            "context": self._context,
            "actions": self._actions,
            "context_actions": self._actions,
            "divider": self._divider,
            "image": self._image,
            "markdown": self._markdown,
            "table": self._table,
            "data_table": self._table,
            "input": self._input,
            "container": self._container,
        }

    def blocks(self, blocks: list[Json]) -> Markup:
        """All of them, in order. Kinds without a rule of their own are shown as the text they read as."""
        return Markup().join(self._render.get(block["type"], self._as_text)(block) for block in blocks)

    def text(self, of: Any) -> Markup:
        """A text object."""
        if not isinstance(of, dict):
            return escape(str(of))
        words = str(of.get("text", ""))
        return escape(words) if of.get("type") == "plain_text" else mrkdwn(words, self._reader)

    def _as_text(self, block: Json) -> Markup:
        lines = block_text.lines([block], self._reader)
        return Markup().join(Markup("<p>{}</p>").format(line) for line in lines)

    def _section(self, block: Json) -> Markup:
        text = Markup('<div class="text">{}</div>').format(self.text(block["text"])) if block.get("text") else Markup()
        fields = Markup().join(Markup("<div>{}</div>").format(self.text(one)) for one in block.get("fields") or [])
        if fields:
            text += Markup('<div class="fields">{}</div>').format(fields)
        accessory = self._element(block, block["accessory"]) if block.get("accessory") else Markup()
        return Markup('<div class="section"><div class="grow">{}</div>{}</div>').format(text, accessory)

    def _header(self, block: Json) -> Markup:
        return Markup('<p class="header">{}</p>').format(self.text(block["text"]))

    def _context(self, block: Json) -> Markup:
        parts = [self._element(block, e) if e["type"] == "image" else self.text(e) for e in block["elements"]]
        return Markup('<div class="context">{}</div>').format(Markup().join(Markup("<div>{}</div>").format(p) for p in parts))

    def _actions(self, block: Json) -> Markup:
        elements = Markup().join(self._element(block, element) for element in block["elements"])
        return Markup('<div class="actions">{}</div>').format(elements)

    def _divider(self, block: Json) -> Markup:
        del block
        return Markup("<hr>")

    def _image(self, block: Json) -> Markup:
        title = self.text(block["title"]) if block.get("title") else Markup()
        return Markup("<figure><figcaption>{}</figcaption>{}</figure>").format(title, image(block))

    def _markdown(self, block: Json) -> Markup:
        return Markup('<div class="text">{}</div>').format(markdown(block["text"], self._reader))

    def _table(self, block: Json) -> Markup:
        rows = Markup().join(self._row(row) for row in block["rows"])
        return Markup('<div class="scroll"><table>{}</table></div>').format(rows)

    def _row(self, row: list[Json]) -> Markup:
        cells = [next(iter(block_text.lines([{"type": "table", "rows": [[cell]]}], self._reader)), "") for cell in row]
        return Markup("<tr>{}</tr>").format(Markup().join(Markup("<td>{}</td>").format(cell) for cell in cells))

    def _input(self, block: Json) -> Markup:
        label = Markup('<label for="{}">{}</label>').format(block["block_id"], self.text(block["label"]))
        hint = Markup('<p class="hint">{}</p>').format(self.text(block["hint"])) if block.get("hint") else Markup()
        error = Markup('<p class="error" data-error-for="{}"></p>').format(block["block_id"])
        return Markup('<div class="input">{}{}{}{}</div>').format(label, self._element(block, block["element"]), hint, error)

    def _container(self, block: Json) -> Markup:
        title = Markup('<p class="header">{}</p>').format(self.text(block["title"])) if block.get("title") else Markup()
        return Markup('<div class="container">{}{}</div>').format(title, self.blocks(block["child_blocks"]))

    def _element(self, block: Json, element: Json) -> Markup:
        if element["type"] == "image":
            return image(element)
        return control(block, element, self._people)


def image(of: Json) -> Markup:
    """An uploaded picture. One from elsewhere is only linked: the page loads nothing from outside."""
    if of.get("slack_file", {}).get("id"):
        return Markup('<img src="/files-pri/{}" alt="{}">').format(of["slack_file"]["id"], of["alt_text"])
    if str(of.get("image_url", "")).startswith("http"):
        return Markup('<a href="{}" rel="noopener noreferrer" target="_blank">[image: {}]</a>').format(
            of["image_url"], of["alt_text"]
        )
    return Markup("[image: {}]").format(of["alt_text"])
