"""The single figures in a start-up log, each by the line that states it."""

import ast
import re
from typing import TypedDict

from pydantic import JsonValue

Flag = JsonValue

_COUNT = r"(\d[\d,]{0,15})(?!\d)"
_REAL = r"(\d{1,9}(?:\.\d{1,9})?)"
_NEAR_START = r"^.{0,80}?"
"""A statement stands at the start of its line, perhaps behind an unknown prefix. Anchored: no hostile line is slow to read."""


class Values(TypedDict):
    """The facts that go into a Startup by name."""

    model: str | None
    version: str | None
    accelerator: str | None
    max_model_len: int | None
    tensor_parallel: int | None
    chips: int | None
    num_blocks: int | None
    block_size: int | None
    kv_groups: int | None
    kv_dtype: str | None
    kv_dtype_asked: str | None
    kv_tokens: int | None
    max_concurrency: float | None
    concurrency_context: int | None
    available_kv_gib: float | None
    available_kv_gib_per_chip: float | None
    hbm_limit_gib: float | None
    weights_gib_per_chip: float | None
    init_engine_seconds: float | None


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


_TEXTS: dict[str, tuple[re.Pattern[str], ...]] = {
    "model": (
        _rule(_NEAR_START + r"Initializing a V1 LLM engine .{0,80}?\bmodel='([^']{1,200})'"),
        _rule(_NEAR_START + r"non-default args: .*?'model': '([^']{1,200})'"),
        _rule(r"Starting to load model (\S{1,200}?)\.\.\."),
    ),
    "version": (
        _rule(_NEAR_START + r"Initializing a V1 LLM engine \(v([^)\s]{1,60})\)"),
        _rule(r"vLLM API server version (\S{1,60})"),
        _rule(r"^(?!.*:).{0,60}\bversion (\d\S{1,60})$"),
    ),
    "accelerator": (_rule(r"\btpu_type=(\w[\w-]{0,30})"),),
    "kv_dtype": (
        _rule(_NEAR_START + r"Init kv-cache .*?\b(?:regular_attn_)?dtype=(?:<class ')?(?:jax\.numpy\.|jnp\.|torch\.)?(\w{1,30})"),
    ),
    "kv_dtype_asked": (_rule(_NEAR_START + r"Initializing a V1 LLM engine .*?\bkv_cache_dtype=(\w{1,30})"),),
}
_COUNTS: dict[str, tuple[re.Pattern[str], ...]] = {
    "max_model_len": (
        _rule(r"Using max model len " + _COUNT),
        _rule(_NEAR_START + r"Initializing a V1 LLM engine .*?\bmax_seq_len=" + _COUNT),
        _rule(_NEAR_START + r"non-default args: .*?'max_model_len': " + _COUNT),
    ),
    "tensor_parallel": (_rule(_NEAR_START + r"Initializing a V1 LLM engine .*?\btensor_parallel_size=" + _COUNT),),
    "num_blocks": (
        _rule(r"\bnum_blocks=\[?" + _COUNT),
        _rule(r"# (?:GPU|TPU|CPU) blocks: " + _COUNT),
        _rule(r"\bnum_gpu_blocks(?:=|: | is )" + _COUNT),
    ),
    "kv_groups": (_rule(r"\bnum_kv_cache_groups=" + _COUNT),),
    "kv_tokens": (_rule(r"KV cache size: " + _COUNT + " tokens"),),
    "concurrency_context": (_rule(r"Maximum concurrency for " + _COUNT + " tokens per request"),),
}
_REALS: dict[str, tuple[re.Pattern[str], ...]] = {
    "max_concurrency": (_rule(r"Maximum concurrency for [\d,]{1,16} tokens per request: " + _REAL + "x"),),
    "available_kv_gib": (
        _rule(r"total_hbm_avail_gb=" + _REAL + "GiB"),
        _rule(r"Available KV cache memory: " + _REAL + " GiB"),
        _rule(r"set \(" + _REAL + r"/[\d.]{1,12}\) GiB for KV cache"),
    ),
    "init_engine_seconds": (_rule(_NEAR_START + r"init engine \([^)]{0,120}\) took " + _REAL + r" s"),),
}
_BLOCK_SIZES: tuple[re.Pattern[str], ...] = (
    _rule(_NEAR_START + r"Init kv-cache .*?shape=\(num_blocks, \((\d{1,5}),"),
    _rule(r"page size from \d{1,6} to (\d{1,6})\b"),
    _rule(r"Using cache_config\.block_size: (\d{1,6})\b"),
)
_GROUP_SIZES = _rule(r"kv cache group sizes \(((?:\d{1,6}, ?)*\d{1,6},?)\)")
_HBM = _rule(_NEAR_START + r"(Init worker|Init model) \|.*?hbm=\[((?:\([\d., ]{3,40}\)(?:, )?){1,512})\]")
_LOADED = _rule(r"^Model loading took " + _REAL + r" GiB")
_PAIR = _rule(r"\(" + _REAL + r", " + _REAL + r"\)")
_COMPILED = _rule(r"^Compilation of .* finished in " + _REAL + r" ?\[?s")
_PASS = _rule(r"^Warm-up call pass finished in " + _REAL + r" ?\[?s")
_GPU_COMPILE = _rule(r"torch\.compile (?:takes|took) " + _REAL + r" s in total|Graph capturing finished in " + _REAL + r" sec")
_STATED = _rule(_NEAR_START + r"init engine \(.*\(compilation: " + _REAL + r" s\)")
_ARGS = _rule(_NEAR_START + r"non-default args: (\{.*\})\s*$")
_SECRET = _rule(r"(?:^|[_-])(?:api_?keys?|token|password|secret|ssl_keyfile)$")


class Facts:
    """Figures gathered so far. Of equally good sources the last line wins; better ones are never overruled."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._found: dict[str, tuple[int, str]] = {}
        self._block: tuple[int, int] | None = None
        self._groups: int | None = None
        self._chips: int | None = None
        self._limit: float | None = None
        self._weights: float | None = None
        self.flags: dict[str, Flag] | None = None
        self.compile_stated: float | None = None
        self.compile_sum: float | None = None
        self.compile_count = 0

    def learn(self, text: str) -> None:
        """Take every figure that `text`, one line without its prefix, states."""
        for table in (_TEXTS, _COUNTS, _REALS):
            for name, rules in table.items():
                self._learn_one(name, rules, text)
        self._learn_blocks(text)
        self._learn_memory(text)
        self._learn_compile(text)
        args = _ARGS.search(text)
        if args:
            self.flags = flags(args[1]) or self.flags

    def _learn_one(self, name: str, rules: tuple[re.Pattern[str], ...], text: str) -> None:
        for rank, rule in enumerate(rules):
            match = rule.search(text)
            if match and rank <= self._found.get(name, (rank, ""))[0]:
                self._found[name] = (rank, match[1])
                return

    def _learn_blocks(self, text: str) -> None:
        """Block size from the cache's shape, the groups' sizes when all agree, or the platform's word on pages."""
        sizes = _GROUP_SIZES.search(text)
        if sizes:
            numbers = [int(number) for number in sizes[1].split(",") if number.strip()]
            self._groups = len(numbers)
            if len(set(numbers)) == 1:
                self._block = (0, numbers[0])
        for rank, rule in enumerate(_BLOCK_SIZES):
            match = rule.search(text)
            if match and (self._block is None or rank <= self._block[0]):
                self._block = (rank, int(match[1]))

    def _learn_memory(self, text: str) -> None:
        """Memory of the chips: one pair (used, limit) in GiB for each. GPU builds only say what loading took."""
        loaded = _LOADED.search(text)
        if loaded:
            self._weights = float(loaded[1])
        match = _HBM.search(text)
        pairs = _PAIR.findall(match[2]) if match else []
        if match and pairs:
            self._chips, self._limit = len(pairs), float(pairs[0][1])
            if match[1] == "Init model":
                self._weights = max(float(used) for used, _ in pairs)

    def _learn_compile(self, text: str) -> None:
        """Seconds of compile lines, and the engine's own total."""
        stated = _STATED.search(text)
        if stated:
            self.compile_stated = float(stated[1])
        one = _COMPILED.search(text)
        gpu = _GPU_COMPILE.search(text)
        took = one or _PASS.search(text)
        seconds = float(took[1]) if took else float(gpu[1] or gpu[2]) if gpu else None
        if seconds is not None:
            self.compile_sum = round((self.compile_sum or 0.0) + seconds, 3)
            self.compile_count += 1 if one or gpu else 0

    def values(self) -> Values:
        """Everything by name, None where no line said it."""
        found = {name: text for name, (_, text) in self._found.items()}
        available = _real(found.get("available_kv_gib"))
        return Values(
            model=found.get("model"),
            version=found.get("version"),
            accelerator=found.get("accelerator"),
            max_model_len=_count(found.get("max_model_len")),
            tensor_parallel=_count(found.get("tensor_parallel")),
            chips=self._chips,
            num_blocks=_count(found.get("num_blocks")),
            block_size=self._block[1] if self._block else None,
            kv_groups=self._groups if self._groups is not None else _count(found.get("kv_groups")),
            kv_dtype=found.get("kv_dtype"),
            kv_dtype_asked=found.get("kv_dtype_asked"),
            kv_tokens=_count(found.get("kv_tokens")),
            max_concurrency=_real(found.get("max_concurrency")),
            concurrency_context=_count(found.get("concurrency_context")),
            available_kv_gib=available,
            available_kv_gib_per_chip=available / self._chips if available is not None and self._chips else None,
            hbm_limit_gib=self._limit,
            weights_gib_per_chip=self._weights,
            init_engine_seconds=_real(found.get("init_engine_seconds")),
        )


def _count(text: str | None) -> int | None:
    return int(text.replace(",", "")) if text else None


def _real(text: str | None) -> float | None:
    return float(text) if text else None


def flags(text: str) -> dict[str, Flag] | None:
    """The engine's arguments from their printed dict, secrets hidden. None when the text is cut or is no dict of plain values."""
    try:
        said = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    if not isinstance(said, dict):
        return None
    return {str(name): "[hidden]" if _SECRET.search(str(name).lower()) else _plain(value, 8) for name, value in said.items()}


def _plain(value: object, depth: int) -> Flag:
    """The value as JSON knows it; what is nested too deep or strange becomes its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict) and depth:
        return {str(name): _plain(one, depth - 1) for name, one in value.items()}
    if isinstance(value, list | tuple) and depth:
        return [_plain(one, depth - 1) for one in value]
    return str(value)[:500]
