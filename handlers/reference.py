"""docs/operations.md, read off the table of operations: nothing in it is written by hand."""

from collections.abc import Iterable

from bot.nouns import Role, SeenBy
from bot.operations import OPERATIONS
from bot.operations.command_line import usage
from bot.operations.operation import AnyOperation, Registry
from handlers.old_tools import COMING, OLD_TOOLS

INTRODUCTION = """# What can be asked

`make docs` writes this page; it is read off the table of operations, so change it there.

In Slack: `/gemma WORD`, or a message to the bot alone, or a mention that starts with the word. In a terminal: `gemma WORD`, with
`--json` for the result as JSON. Values of unmistakable form need no name and come in any order (`v6e-4`, `us-east5-a`);
`key=value`, `--key value` and `--key=value` all work. Words in `[brackets]` may be left out.

*Seen by you* is an answer that only the asker sees and may share. *Seen by the channel* is a message for everybody there.
"""

CONSENT = {
    False: "nobody: it runs at once",
    True: "what it would do decides: it runs at once, asks the asker to confirm, or asks a second person",
}

REPLACED = """## The 33 old tools

The names of the public MCP server that this bot grew from, and the word that does the same here.
"""


def reference(registry: Registry = OPERATIONS) -> str:
    """The page, in Markdown."""
    shown = [operation for operation in registry if not operation.hidden]
    parts = [INTRODUCTION, _overview(shown), *(_section(one) for one in shown), REPLACED, _old_tools(registry)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _overview(shown: Iterable[AnyOperation]) -> str:
    rows = ((f"[`{_name(one)}`](#{_anchor(one)})", one.summary, one.effect.value, _role(one)) for one in shown)
    return _table(("Word", "What a person gets", "Effect", "For"), rows)


def _section(one: AnyOperation) -> str:
    facts = [
        f"- Typed: `{usage(one)}`",
        f"- For example: `/gemma {one.example}`".rstrip(),
        f"- Effect: {one.effect.value} · for {_role(one)}s · seen by {_seen_by(one)} · at most {one.timeout:g} s",
        f"- Who must say yes: {CONSENT[one.preview is not None]}",
        f"- May the model use it: {'yes' if one.tool else 'no'}",
    ]
    if one.was:
        facts.append("- Replaces: " + ", ".join(f"`{name}`" for name in one.was))
    return f"## {_name(one)}\n\n{_sentence(one.summary)} {one.when_to_use}\n\n" + "\n".join(facts)


def _old_tools(registry: Registry) -> str:
    by_old_name = {name: one for one in registry for name in one.was}
    rows = []
    for name in OLD_TOOLS:
        one = by_old_name.get(name)
        rows.append((f"`{name}`", f"[`{_name(one)}`](#{_anchor(one)})" if one else f"not yet; it will be `{COMING[name]}`"))
    return _table(("Old tool", "Here"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _name(one: AnyOperation) -> str:
    return " ".join(one.words)


def _anchor(one: AnyOperation) -> str:
    return "-".join(one.words)


def _role(one: AnyOperation) -> str:
    return Role(one.role).name.lower()


def _seen_by(one: AnyOperation) -> str:
    return "you" if one.seen_by is SeenBy.YOU else "the channel"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
