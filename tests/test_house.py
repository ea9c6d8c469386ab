"""The rules of the house that a machine can see. What a file may import stands in pyproject.toml."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
PRODUCT = ("bot", "handlers", "jobs", "prompts", "sandbox", "evals", "benchmarks")
FILE_LIMIT, FUNCTION_LIMIT = 300, 40
EMPTY_NAME = re.compile(r"(?:^|_)(?:utils?|helpers?|common|misc|managers?)(?:_|$)")

TEXT = {".py", ".md", ".toml", ".txt", ".lua", ".yaml", ".json", ".html", ".css", ".js", ".jinja", ".example", ""}
NOT_OURS = {"fixtures", "data", "__pycache__"}

# in two halves each, or these rules would find themselves
REGISTRIES = re.compile("py" + r"pi\.org|python" + "hosted|registry" + r"\.npm|deb" + r"\.debian")
THIS_MACHINE = re.compile(r"(?:^|[^\w.-])/(?:" + "wo" + "rk|far" + r"m)/")
UNFINISHED = re.compile(r"\b(?:" + "TO" + "DO|FIX" + "ME|XX" + r"X)\b|NotImplemented" + "Error|pragma: no " + "cover")
SILENCED = re.compile("# type: " + "ignore|# mypy: " + r"|# noqa(?!: [A-Z0-9, ]+ \S)")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")) if "__pycache__" not in path.parts]


def text_files() -> Iterator[Path]:
    folders = (*PRODUCT, "tests", "docs", ".ci")
    candidates = [path for folder in folders for path in (ROOT / folder).rglob("*")] + list(ROOT.iterdir())
    for path in candidates:
        if path.is_file() and path.suffix in TEXT and NOT_OURS.isdisjoint(path.parts) and path.name not in {".env", ".git"}:
            yield path


def found(pattern: re.Pattern[str], paths: Iterator[Path] | list[Path]) -> list[str]:
    return [
        f"{relative(path)}:{number}: {line.strip()[:120]}"
        for path in paths
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_no_file_is_longer_than_300_lines():
    long = [relative(path) for path in python_files(*PRODUCT) if len(path.read_text().splitlines()) > FILE_LIMIT]
    assert not long, "two things each: name both"


def test_no_function_is_longer_than_40_lines():
    long = [
        f"{relative(path)}:{node.lineno} {node.name}"
        for path in python_files(*PRODUCT)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of(node) > FUNCTION_LIMIT
    ]
    assert not long


def test_every_module_says_what_it_is():
    assert not [relative(path) for path in python_files(*PRODUCT) if not ast.get_docstring(ast.parse(path.read_text()))]


def test_no_module_has_a_name_that_says_nothing():
    assert not [relative(path) for path in python_files(*PRODUCT) if EMPTY_NAME.search(path.stem)]


@pytest.mark.parametrize(
    ("pattern", "example"),
    [(REGISTRIES, "https://py" + "pi.org/simple"), (THIS_MACHINE, '"/wo' + 'rk/main"')],
    ids=["registries", "this machine"],
)
def test_nothing_names_a_registry_or_a_path_of_the_machine_it_was_written_on(pattern, example):
    assert pattern.search(example)
    assert not found(pattern, text_files())


@pytest.mark.parametrize(
    ("pattern", "example"), [(UNFINISHED, "# TO" + "DO later"), (SILENCED, "x = 1  # no" + "qa")], ids=["unfinished", "silenced"]
)
def test_nothing_is_left_unfinished_or_silenced_without_a_reason(pattern, example):
    assert pattern.search(example)
    assert not found(pattern, python_files(*PRODUCT))


def test_imports_go_down_only(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0
    assert re.search(r"Contracts: [3-9] kept, 0 broken", capsys.readouterr().out)
