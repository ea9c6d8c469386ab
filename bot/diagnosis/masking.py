"""Hiding what users asked and what the model answered in the engine's log: it is theirs, and it may carry orders to a model."""

import re

_SPANS = (
    # vLLM's request logger, `--enable-log-requests`: text in quotes up to the next field, whatever stands inside.
    (
        re.compile(r"(?<![\w.])prompt: (?=['\"])"),
        (re.compile(r", params: "), re.compile(r", (?:prompt_token_ids|prompt_embeds|lora_request|prompt_adapter)\b")),
    ),
    (
        re.compile(r"(?<![\w.])output: (?=['\"])"),
        (re.compile(r", output_token_ids: "), re.compile(r", (?:finish_reason|logprobs|num_tokens|streaming)\b")),
    ),
)
_TOKEN_IDS = re.compile(r"(?<!\w)(?P<key>(?:prompt_|output_)?token_ids['\"]?\s{0,3}[:=]\s{0,3})\[(?P<ids>[^\]]*)(?:\]|$)")
"""Token ids can be turned back into the text."""
_QUOTED = re.compile(
    r"""(?P<key>(?P<q>["']?)(?<!\w)(?:content|prompt|reasoning|reasoning_content|arguments|input_value|output_text|completion|delta_text)(?P=q)"""
    r"""\s{0,3}[:=]\s{0,3})(?P<text>"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$))"""
)
_ALSO_IN_MESSAGES = re.compile(
    r"""(?P<key>(?P<q>["'])(?:text|input|output|query|suffix|documents)(?P=q)\s{0,3}:\s{0,3})"""
    r"""(?P<text>"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$))"""
)
_SMALL = 2
"""Characters of text between quotes that are not worth hiding: `''` says that there was none."""


def _hidden(length: int) -> str:
    return f"[hidden: {length:,} characters]"


def _hide_span(line: str, begin: re.Pattern[str], until: tuple[re.Pattern[str], ...]) -> str:
    """Hide from the field's name up to the LAST place where the next field may begin: the text itself may imitate one."""
    opened = begin.search(line)
    if opened is None:
        return line
    ends = next((found for field in until if (found := [m.start() for m in field.finditer(line, opened.end())])), [])
    end = ends[-1] if ends else len(line)
    return line[: opened.end()] + _hidden(end - opened.end()) + line[end:]


def _hide_quoted(match: re.Match[str]) -> str:
    text = match["text"]
    return match.group() if len(text) <= _SMALL else match["key"] + _hidden(len(text.strip("\"'")))


def hide_conversations(line: str) -> str:
    """Return the line with prompts, answers and their token ids replaced by `[hidden: 812 characters]`.

    Known forms: vLLM's "Received request …: prompt: '…', params: …" and "Generated response …: output: '…'", request bodies
    (JSON or Python notation) and validation errors that repeat them. A line cut off inside the text is hidden to its end.
    Everything else stays as it is. Linear time; hiding twice changes nothing.
    """
    if ": '" in line or ': "' in line:
        for begin, until in _SPANS:
            line = _hide_span(line, begin, until)
    if "token_ids" in line:
        line = _TOKEN_IDS.sub(lambda m: f"{m['key']}[hidden: {m['ids'].count(',') + bool(m['ids'])} tokens]", line)
    if '"' in line or "'" in line:
        line = _QUOTED.sub(_hide_quoted, line)
        if "role" in line or "messages" in line or "choices" in line:
            line = _ALSO_IN_MESSAGES.sub(_hide_quoted, line)
    return line
