"""Failures for want of memory: on the chip (HBM, VMEM), in the KV cache, and on the host."""

from bot.diagnosis.findings import COMPILING, ENGINE_DIED, LOADED, LOADING, SERVING, START_FAILED, Signature, figure, sign

_WANTED = figure(r"(?:reserve|allocate) (?P<wanted>[\d.]+ ?[KMGT]?i?B?)\b")
_FREE = figure(r"There (?:are|is) (?P<free>[\d.]+ ?[KMGT]?i?B?) free")
_PROGRAM = figure(r"loading program '(?P<program>[\w.<>\- ]{1,80})'")
_USED = figure(r"Used (?P<used>[\d.]+[KMGT]?) of (?P<capacity>[\d.]+[KMGT]?) (?:hbm|vmem|smem)")
_EXCEEDED = figure(r"Exceeded (?:hbm|vmem|smem) capacity by (?P<short>[\d.]+[KMGT]?)")
_UTILISATION = figure(r"gpu_memory_utilization'?[=:] ?(?P<utilization>0?\.\d+|1\.0)")
_EXHAUSTED = sign("TPU memory ran out", r"RESOURCE_EXHAUSTED(?!.{0,200}quota)|Ran out of memory in memory space hbm|HBM OOM")

SIGNATURES = (
    Signature(
        name="program_too_large",
        title="a compiled program did not fit in TPU memory",
        must=sign(
            "a program did not fit",
            r"Error loading program|Attempting to reserve .{0,60}(?:memory|possible)|Ran out of memory in memory space hbm"
            r"|CompileTimeHbmOom|not enough HBM|program hbm requirement|Exceeded hbm capacity",
        ),
        signs=(_EXHAUSTED, COMPILING, START_FAILED),
        figures=(_PROGRAM, _WANTED, _FREE, _USED, _EXCEEDED, _UTILISATION),
        check="Compare wanted with free in the line; look up --gpu-memory-utilization of this start.",
        next_step="Lower --gpu-memory-utilization by 0.03 to 0.05 (the cache gives the memory up), or shorten --max-model-len.",
        source="vllm-project/tpu-inference PR#3408 (program load at utilization 0.98), AI-Hypercomputer/tpu-recipes#151",
    ),
    Signature(
        name="weights_too_large",
        title="the model's weights do not fit in TPU memory",
        must=sign(
            "memory ran out while loading weights",
            r"RESOURCE_EXHAUSTED(?!.{0,200}(?:quota|loading program"
            r"|compile))|Attempting to allocate|Error allocating device buffer",
        ),
        signs=(LOADING, START_FAILED),
        figures=(
            _WANTED,
            _FREE,
        ),
        after=LOADING,
        not_after=LOADED,
        check="Compare the checkpoint size in the log with chips times memory per chip (v5e 15.75, v6e 31.24 GiB).",
        next_step="Take a bigger slice with the matching --tensor-parallel-size, a smaller model, or quantised weights.",
        source="vllm-project/tpu-inference#2333 (31B on v6e)",
    ),
    Signature(
        name="memory_while_serving",
        title="the engine ran out of TPU memory while it served",
        must=_EXHAUSTED,
        signs=(SERVING, ENGINE_DIED),
        figures=(_PROGRAM, _WANTED, _FREE, _USED, _EXCEEDED),
        after=SERVING,
        not_after=LOADING,
        check="See what was new in that minute: longer prompts, images, a shape that was never compiled.",
        next_step="Restart with a lower --gpu-memory-utilization or a smaller --max-num-batched-tokens.",
        source="vllm-project/tpu-inference PR#3407 (compile in the middle of serving)",
    ),
    Signature(
        name="tpu_memory_exhausted",
        title="TPU memory ran out",
        must=_EXHAUSTED,
        signs=(START_FAILED,),
        figures=(_PROGRAM, _WANTED, _FREE, _USED, _EXCEEDED, _UTILISATION),
        check="Read the line below and the lines before it: was it loading weights, compiling or serving?",
        next_step="Lower --gpu-memory-utilization or --max-model-len, or take a bigger slice.",
        source="vllm-project/tpu-inference#2333",
        generic=True,
    ),
    Signature(
        name="kv_cache_too_small",
        title="the KV cache cannot hold one request of the wanted context length",
        must=sign(
            "the cache is too small for one request",
            r"larger than the (?:available KV cache memory"
            r"|maximum number of tokens that can be stored)"
            r"|To serve at least one request with",
        ),
        signs=(sign("it names the lever", r"max_model_len|gpu_memory_utilization"), START_FAILED),
        figures=(
            figure(r"max(?:imum)? (?:seq(?:uence)? len|model length)\w* \((?P<wanted_tokens>[\d,]+)\)"),
            figure(r"\(?(?P<needed>[\d.]+ ?GiB) KV cache is needed"),
            figure(r"available KV cache memory \((?P<available>[\d.]+ ?GiB)\)"),
            figure(r"estimated maximum model length is (?P<possible_tokens>[\d,]+)"),
            figure(r"stored in KV cache \((?P<possible_tokens>[\d,]+)\)"),
        ),
        check="Run `memory` for this model and slice: it shows how many tokens the cache can hold.",
        next_step="Set --max-model-len to what the line says is possible, or use an fp8 cache or a bigger slice.",
        source="vllm-project/tpu-inference PR#223",
    ),
    Signature(
        name="no_room_for_cache",
        title="after the weights no TPU memory is left for the KV cache",
        must=sign("nothing is left for the cache", r"No available memory for the cache blocks|total_hbm_used_gb.{0,40}exceeds"),
        signs=(LOADED, START_FAILED),
        figures=(
            figure(r"total_hbm_used_gb[='\": ]{1,4}(?P<used>[\d.]+ ?GiB)"),
            figure(r"total_hbm_limit_cap_gb[='\": ]{1,4}(?P<capacity>[\d.]+ ?GiB)"),
            _UTILISATION,
        ),
        check="Compare the memory used after loading with the limit: chips times memory per chip times --gpu-memory-utilization.",
        next_step=(
            "Raise --gpu-memory-utilization (up to about 0.94 on v6e), or "
            "take a bigger slice, a smaller model or quantised weights."
        ),
        source="vllm-project/tpu-inference#2333 (31B on v6e); the engine's own line on total_hbm_limit_cap_gb",
    ),
    Signature(
        name="kernel_memory",
        title="a kernel needs more on-chip scratch memory (VMEM) than there is",
        must=sign("VMEM or SMEM ran out", r"memory space [vs]mem|ScopedVmemOom|exceeded scoped vmem limit|vmem OOM"),
        signs=(COMPILING, START_FAILED),
        figures=(_USED, _EXCEEDED, figure(r"size (?P<wanted>[\d.]+M) and limit (?P<capacity>[\d.]+M)")),
        check="See which kernel and shape the line names, and whether the image or a block size changed.",
        next_step="Lower --max-model-len or --max-num-batched-tokens, or go back to the image that worked.",
        source="vllm-project/vllm#19490, vllm-project/tpu-inference PR#3407",
    ),
    Signature(
        name="host_memory",
        title="the machine's own memory ran out and the system killed the engine",
        must=sign(
            "killed for memory",
            r"Out of memory: Killed process|oom-kill|oom_reaper|OOMKilled|Cannot allocate memory|std::bad_alloc|^MemoryError",
        ),
        signs=(sign("the system's memory killer names it", r"oom|out of memory"), LOADING),
        figures=(figure(r"anon-rss:(?P<resident>\d+ ?kB)"), figure(r"Available RAM: (?P<available_at_start>[\d.]+ ?GiB)")),
        any_level=True,
        fatal=True,
        check="On the machine: `dmesg | grep -i oom`, and `free -g` while it starts; weights in /dev/shm count as memory.",
        next_step="Free host memory (old weights in /dev/shm), lower --shm-size, or take a machine type with more memory.",
        source="Linux kernel messages; xbill9/gemma4-dev keeps weights in /dev/shm, which is memory",
    ),
    Signature(
        name="killed",
        title="something killed the engine from outside; most often the machine ran out of memory",
        must=sign(
            "killed",
            r"exit(?:ed)?(?: with)?(?: code| status)?:? ?\(?137\b|exit code: -9\b"
            r"|died .{0,40}signal 9\b|\bKilled\s+(?:vllm|python|docker)|^Killed$",
        ),
        signs=(sign("no exception explains it", r"Killed|137|-9|signal 9"), LOADING),
        any_level=True,
        fatal=True,
        generic=True,
        check="On the machine: `dmesg | grep -i oom`. Nothing there means that a person or a script stopped the container.",
        next_step="If it was memory: free /dev/shm or take a machine with more; if not, start again.",
        source="exit status 137 = 128 + 9 (SIGKILL)",
    ),
)
