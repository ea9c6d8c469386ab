"""Which flags of `vllm serve` may be set beside those that the specification makes itself.

An allow-list, for some flags load code, read files of the machine or carry secrets (--trust-remote-code, --middleware,
--tool-parser-plugin, --allowed-local-media-path, --api-key). Names as in vLLM 0.32's command line.
"""

from collections.abc import Sequence
from typing import NamedTuple

from bot.diagnosis.secrets import redact
from bot.errors import UsageError

SWITCHES: frozenset[str] = frozenset(
    {
        "--async-scheduling",
        "--no-async-scheduling",
        "--disable-uvicorn-access-log",
        "--disable-log-stats",
        "--enable-chunked-prefill",
        "--no-enable-chunked-prefill",
        "--enable-force-include-usage",
        "--enable-prefix-caching",
        "--no-enable-prefix-caching",
        "--enable-prompt-tokens-details",
        "--enable-server-load-tracking",
        "--enforce-eager",
    }
)
WITH_VALUE: frozenset[str] = frozenset(
    {
        "--additional-config",
        "--chat-template-content-format",
        "--default-chat-template-kwargs",
        "--disable-access-log-for-endpoints",
        "--dtype",
        "--generation-config",
        "--hf-overrides",
        "--limit-mm-per-prompt",
        "--load-format",
        "--max-log-len",
        "--max-logprobs",
        "--max-num-seqs",
        "--num-gpu-blocks-override",
        "--override-generation-config",
        "--quantization",
        "--revision",
        "--scheduling-policy",
        "--seed",
        "--served-model-name",
        "--speculative-config",
        "--structured-outputs-config",
        "--tokenizer-revision",
        "--uvicorn-log-level",
    }
)
MANAGED: dict[str, str] = {
    "--model": "model",
    "--tensor-parallel-size": "slice",
    "--max-model-len": "context",
    "--gpu-memory-utilization": "utilization",
    "--kv-cache-dtype": "cache",
    "--block-size": "cache",
    "--host": "exposure",
    "--port": "port",
}
"""Flags that the specification makes, and the word that changes them."""
LONGEST_VALUE = 4_000


class Flag(NamedTuple):
    """One flag and its value; a switch has none."""

    name: str
    value: str | None

    @property
    def words(self) -> tuple[str, ...]:
        """As arguments. Name and value are one word: a value that looks like a flag must not become one."""
        return (self.name,) if self.value is None else (f"{self.name}={self.value}",)


def read_flags(words: Sequence[str]) -> tuple[Flag, ...]:
    """The flags in `words` ("--seed", "7" or "--seed=7"). Raises UsageError for flags that are not allowed, each with what to do.

    Values may hold any printable text: they are always quoted. Secrets are refused without being repeated.
    """
    found: list[Flag] = []
    rest = list(words)
    while rest:
        name, has_value, value = rest.pop(0).partition("=")
        name = name.replace("_", "-")
        _check_name(name)
        if name in SWITCHES:
            if has_value:
                raise UsageError(f"{name} takes no value.", usage=name)
            found.append(Flag(name, None))
            continue
        if not has_value:
            if not rest:
                raise UsageError(f"{name} needs a value.", usage=f"{name} VALUE")
            value = rest.pop(0)
        found.append(Flag(name, check_value(name, value)))
    _check_once(found)
    return tuple(found)


def check_value(name: str, value: str) -> str:
    """The value itself. Raises UsageError when it is too long, not printable, or a secret."""
    if len(value) > LONGEST_VALUE or not value.isprintable():
        raise UsageError(f"The value of {name} is longer than {LONGEST_VALUE} characters or not printable.")
    if redact(f"{name}={value}").found or redact(value).found:
        raise UsageError(
            f"The value of {name} looks like a secret. I did not keep it.", next_step="Secrets are stored with `/gemma token`."
        )
    return value


def _check_name(name: str) -> None:
    if name in SWITCHES or name in WITH_VALUE:
        return
    shown = name[:40] if name.isprintable() else "a flag"
    if name in MANAGED:
        raise UsageError(f"{shown} is made from `{MANAGED[name]}`.", usage=f"{MANAGED[name]}=…")
    if redact(name).found:
        shown = "that"
    raise UsageError(f"I do not set {shown} on an engine.", usage="one of " + ", ".join(sorted(SWITCHES | WITH_VALUE)))


def _check_once(flags: Sequence[Flag]) -> None:
    names = [flag.name for flag in flags]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is given twice.")
