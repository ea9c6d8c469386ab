"""Refused requests: the engine is well, whoever calls it sends what it cannot take."""

from bot.diagnosis.findings import Nature, Signature, figure, sign

_BAD_REQUEST = sign("the server answered 400", r'HTTP/[\d.]+" 400|BadRequestError|\b400 Bad Request')

SIGNATURES = (
    Signature(
        name="prompt_too_long",
        title="callers send prompts longer than the context; the engine is well",
        must=sign(
            "a prompt was too long",
            r"maximum context length is|prompt contains at least \d+ input tokens"
            r"|longer than the maximum model length|cannot be greater than max_model_len"
            r"|exceeds? (?:the )?max_model_len",
        ),
        signs=(_BAD_REQUEST,),
        figures=(
            figure(r"maximum context length is (?P<context>[\d,]+)"),
            figure(r"(?:contains at least|you requested) (?P<asked>[\d,]+)"),
            figure(r"max_model_len=(?P<context>[\d,]+)"),
        ),
        nature=Nature.CALLER,
        any_level=True,
        check="Who calls it? vLLM's log gives the address of the caller with each 400.",
        next_step="Ask the caller to shorten prompts or max_tokens; a longer context needs a restart and more cache.",
        source="recorded answers of vLLM 0.32 (400, input_tokens)",
    ),
    Signature(
        name="requests_refused",
        title="callers send requests that the server refuses (400); the engine is well",
        must=sign("requests were refused", r'"POST /v1/\S{1,60} HTTP/[\d.]+" 400'),
        nature=Nature.CALLER,
        any_level=True,
        generic=True,
        at_least=5,
        figures=(figure(r"(?P<caller>\d{1,3}(?:\.\d{1,3}){3}):\d+ - "),),
        check="vLLM does not log why. Ask the caller for the answer's body: most often the prompt is longer than the context.",
        next_step="Correct the requests at the caller; a longer context needs a restart and more cache.",
        source="recorded log of vLLM 0.32 (400 Bad Request without a reason)",
    ),
    Signature(
        name="tool_flags_missing",
        title="callers use tools, but the server was started without the tool flags",
        must=sign(
            "tools are not enabled",
            r"tool choice requires --enable-auto-tool-choice|requires --tool-call-parser"
            r"|--enable-auto-tool-choice and --tool-call-parser to be set",
        ),
        signs=(_BAD_REQUEST,),
        nature=Nature.CALLER,
        any_level=True,
        check="Look at the start-up line `non-default args`: enable_auto_tool_choice and tool_call_parser must be there.",
        next_step="Restart with --enable-auto-tool-choice --tool-call-parser gemma4 --reasoning-parser gemma4.",
        source="swiss-ai/model-launch#213",
    ),
    Signature(
        name="wrong_model_name",
        title="callers ask for a model that this server does not serve",
        must=sign("unknown model", r"The model [`'\"].{1,120}[`'\"] does not exist"),
        signs=(sign("the server answered 404", r'HTTP/[\d.]+" 404|NotFoundError'),),
        figures=(figure(r"The model [`'\"](?P<model>[^`'\"]{1,120})"),),
        nature=Nature.CALLER,
        any_level=True,
        check="Compare with /v1/models.",
        next_step="Correct the name at the caller, or start with --served-model-name.",
        source="recorded answers of vLLM 0.32 (404 NotFoundError)",
    ),
)
