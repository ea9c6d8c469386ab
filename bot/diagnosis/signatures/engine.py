"""The engine as a process: it died, it hangs, it is slow to start. These say that, rarely why, so they come last."""

from bot.diagnosis.findings import ENGINE_DIED, SERVING, Nature, Signature, figure, sign

SIGNATURES = (
    Signature(
        name="engine_died",
        title="the engine core died",
        must=ENGINE_DIED,
        signs=(
            SERVING,
            sign(
                "requests failed with it",
                r'HTTP/[\d.]+" 50[03]|Internal Server Error|AsyncLLM output_handler failed|Request .{1,80} failed',
            ),
            sign(
                "the server shut down",
                r"Application shutdown complete|Shutting down|shutting down client"
                r"|Finished server process|exited|Waiting for application shutdown",
            ),
        ),
        fatal=True,
        check="Read the first exception above this line; look at the machine's memory and health at that minute.",
        next_step="Restart the engine; if it dies again within the hour, go back to the last image or flags that worked.",
        source="vllm-project/vllm#27549, vllm-project/vllm#17276",
        generic=True,
    ),
    Signature(
        name="engine_hangs",
        title="the engine hangs: it runs but makes no progress",
        must=sign(
            "no progress",
            r"No available shared memory broadcast block found"
            r"|execute_model timed out|RPC call to \w{1,40} timed out|TimeoutError: RPC"
            r"|Timed out waiting for engine|Did not receive response from .{0,30}engine"
            r"|watchdog.{0,40}(?:timeout|timed out|expired)|deadlock detected",
        ),
        signs=(SERVING, sign("it was said more than once", r"broadcast block found in \d+ sec|timed out")),
        figures=(figure(r"in (?P<waited_s>\d+) ?sec"),),
        any_level=True,
        check=(
            "Does `generation_tokens_total` grow, and is the chip busy? A "
            "compile in the middle of serving looks the same for a minute."
        ),
        next_step="Wait three minutes; if nothing moves, restart the engine.",
        source="vllm-project/vllm#40002 (hang at long context)",
    ),
    Signature(
        name="recompiling",
        title="slow start, not a failure: the compile cache was not used, so everything is compiled again",
        must=sign(
            "the compile cache was missed",
            r"compilation cache miss|cache miss.{0,60}(?:jit_|compil|executable)|(?:compil\w+ cache"
            r"|XLA cache).{0,60}(?:disabled|not (?:found|used|writ)|could not|unable|empty)",
        ),
        signs=(sign("programs are being compiled", r"Precompile|Compilation of|Compiling "),),
        nature=Nature.SLOW,
        any_level=True,
        check=(
            "Is /root/.cache/vllm on a disk that outlives the container? Measured once: 857 s without the cache, 497 s with it."
        ),
        next_step="Wait: a first start takes 10 to 30 minutes. Keep the cache on the machine's disk (local, not a bucket).",
        source="vllm-project/tpu-inference#606, marin-community/marin#2318",
    ),
)
