"""What an engine writes when it dies while it serves; the forms are those of vLLM 0.32, made by hand."""

ENGINE_CORE_DIED = (
    '(APIServer pid=1) INFO:     10.0.0.7:5012 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "(EngineCore pid=90) ERROR <time> [core.py:1349] EngineCore encountered a fatal error.",
    "(APIServer pid=1) ERROR <time> [async_llm.py:639] AsyncLLM output_handler failed.",
    '(APIServer pid=1) INFO:     10.0.0.7:5012 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error',
    "(APIServer pid=1) INFO:     Shutting down",
    "(APIServer pid=1) INFO:     Application shutdown complete.",
    "(APIServer pid=1) INFO:     Finished server process [1]",
)
"""Its exit code was 1."""
