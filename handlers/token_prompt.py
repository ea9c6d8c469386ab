"""The Hugging Face token on the command line: never an argument, for those are seen by every user of the machine."""

import getpass
import sys
import warnings

from pydantic import SecretStr

from bot.errors import UsageError
from bot.operations.operation import Registry
from bot.operations.token import PATH, token_operation

PROMPT = "Hugging Face token (nothing is shown while you paste): "
LINE_LIMIT = 4096
"""Characters that are read when it comes from another program."""


def asked_for(words: list[str]) -> SecretStr | None:
    """The token, when these words ask for one: from a prompt that shows nothing, or the first line of what is piped in.

    Raises UsageError when there is none, when it is an argument, or when this terminal cannot hide it. Asked before anything
    else begins, so that Ctrl-C ends it.
    """
    if [word.lower() for word in words[:1]] != [PATH] or words[1:2] == ["key"]:
        return None
    if words[1:]:
        raise UsageError(
            "A token is no argument: every user of this machine can read those. I did not use it.",
            usage="gemma token",
            next_step="Treat it as leaked: revoke it at Hugging Face, and take it out of your shell's history.",
        )
    value = _hidden() if sys.stdin.isatty() else sys.stdin.readline(LINE_LIMIT)
    if not value.strip():
        raise UsageError("There was no token, so nothing was stored.", usage="gemma token")
    return SecretStr(value.strip())


def _hidden() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(PROMPT)
        except getpass.GetPassWarning:
            raise UsageError("This terminal cannot hide what is typed, so I did not ask.", next_step="Pipe it in.") from None
        except EOFError:
            return ""


def with_token(registry: Registry, value: SecretStr | None) -> Registry:
    """The table in which `token` has this value at hand."""
    return tuple(token_operation(value) if one.path == PATH and value is not None else one for one in registry)
