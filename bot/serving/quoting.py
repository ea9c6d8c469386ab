"""The one function that makes shell text out of arguments: SSH hands a single string to a shell, and scripts are read by one."""

import shlex
from collections.abc import Iterable

from bot.errors import UsageError


def shell_text(arguments: Iterable[str]) -> str:
    """The arguments as POSIX shell text; a shell that reads it makes exactly these arguments again and runs nothing in them.

    Each word with anything but letters, digits and `@%+=:,./-_` stands in single quotes (shlex.quote). Raises UsageError for
    what no argument can hold: a NUL, or a half character that cannot be sent.
    """
    return " ".join(shlex.quote(_sendable(argument)) for argument in arguments)


def _sendable(argument: str) -> str:
    if "\0" in argument:
        raise UsageError("An argument holds a NUL character; no program can be given that.")
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise UsageError("An argument holds half a character; it cannot be sent.") from None
    return argument
