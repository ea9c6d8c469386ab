"""What `memory` may be asked with."""

from typing import Annotated

from pydantic import Field

from bot.operations.operation import Arguments
from bot.operations.values import CacheType, ContextTokens, GivenName, ModelName, SliceName, ZoneName
from bot.serving.planner import Planner


class MemoryArguments(Arguments):
    """Which model, slice, context and cache; without model and slice the deployment as it runs.

    The last seven are for the terminal: with any of them the cache of one chip is planned exactly as an engine would plan it.
    """

    model: ModelName | None = None
    slice: SliceName | None = None
    context: ContextTokens | None = Field(default=None, gt=0, le=10_000_000)
    cache: CacheType | None = None
    zone: ZoneName | None = None
    deployment: GivenName | None = None
    users: int | None = Field(default=None, gt=0, le=1_000_000)
    utilization: float | None = Field(default=None, gt=0, le=1)
    kv_gib: float | None = Field(default=None, gt=0, le=100_000)
    batched_tokens: int | None = Field(default=None, gt=0, le=10_000_000)
    concurrent_batches: int | None = Field(default=None, gt=0, le=64)
    block_size: int | None = Field(default=None, gt=0, le=65_536)
    tp: int | None = Field(default=None, gt=0, le=4_096)
    kv_dtype: Annotated[str | None, Field(max_length=40)] = None
    planner: Planner | None = None
