"""What is said to Gemma, as text files, never as code. A changed text gets a new name: answers say which one they follow."""

from functools import cache
from importlib.resources import files

ANSWER = "answer-1"
"""How questions are answered: the standing orders in front of every talk."""

WORD = "word-1"
"""How known results are put into words."""


@cache
def text(name: str) -> str:
    """The text of this name, without blanks around it."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
