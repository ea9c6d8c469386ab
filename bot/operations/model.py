"""`model`: what is served, with which window, by which version and with which settings."""

import asyncio

from pydantic import BaseModel

from bot.nouns import Deployment, Effect, EngineSample, Quantity, Role, SeenBy, ServedModel
from bot.operations import choice
from bot.operations.operation import Arguments, Context, Operation
from bot.operations.sources import attempt
from bot.operations.values import GivenName
from bot.view import Line, Shape, View, bold, code, line

SETTINGS_SHOWN = ("cache_dtype", "block_size", "gpu_memory_utilization", "enable_prefix_caching")


class ModelArguments(Arguments):
    """Which deployment; the first one when none is named."""

    deployment: GivenName | None = None


class Model(BaseModel):
    """What the server says of itself. `settings` are its own labels, as text; absent ones are unknown."""

    deployment: str
    served: tuple[ServedModel, ...]
    version: str | None
    cache_tokens: Quantity | None
    settings: dict[str, str]
    missing: tuple[str, ...] = ()


async def run(context: Context, arguments: ModelArguments) -> Model:
    """Ask for models, version and metrics at once. Raises what the model list raises: without it there is no answer."""
    deployment = await choice.deployment(context, arguments.deployment)
    engine = context.services.engine
    served, version, sample = await asyncio.gather(
        engine.models(deployment), attempt(engine.version(deployment)), attempt(engine.sample(deployment))
    )
    return _model(deployment, served, version.value, sample.value, tuple(a.missing for a in (version, sample) if a.missing))


def _model(
    deployment: Deployment,
    served: tuple[ServedModel, ...],
    version: str | None,
    sample: EngineSample | None,
    missing: tuple[str, ...],
) -> Model:
    labels = {name: value for name, value in (sample.cache_config if sample else {}).items() if value not in {"", "None"}}
    return Model(
        deployment=deployment.name,
        served=served,
        version=version,
        cache_tokens=_cache_tokens(labels, sample),
        settings={name: labels[name] for name in SETTINGS_SHOWN if name in labels},
        missing=missing,
    )


def _cache_tokens(labels: dict[str, str], sample: EngineSample | None) -> Quantity | None:
    """The server's own `kv_cache_size_tokens`. Blocks times block size would be wrong for hybrid caches (vllm#51163)."""
    said = labels.get("kv_cache_size_tokens")
    if said is None or sample is None or not said.replace(".", "", 1).isdigit():
        return None
    return Quantity(value=float(said), unit="tokens", at=sample.at, source="vLLM cache_config_info")


def show(found: Model, _context: Context) -> View:
    """Ids and window first, then version and settings."""
    lines: list[Line] = [_one(served) for served in found.served[1:4]]
    said = [f"{name} {value}" for name, value in found.settings.items()]
    cache = f"cache holds {found.cache_tokens.value:,.0f} tokens" if found.cache_tokens else "cache size unknown"
    lines.append(line(f"vLLM {found.version or 'version unknown'} · {cache}"))
    lines.append(line(" · ".join(said)) if said else line("Settings unknown: the server does not tell them."))
    lines += [line(words) for words in found.missing]
    return View(verdict=_verdict(found), shape=Shape.NONE, lines=tuple(lines))


def _verdict(found: Model) -> Line:
    if not found.served:
        return line(bold(f"{found.deployment} serves no model"))
    first = found.served[0]
    return line(bold(f"{found.deployment} serves "), code(first.id), _window(first))


def _one(served: ServedModel) -> Line:
    return line("Also ", code(served.id), _window(served))


def _window(served: ServedModel) -> str:
    return f" · window {served.context:,} tokens" if served.context else " · window unknown"


MODEL = Operation(
    path="model",
    summary="what is served: ids, window, version, settings",
    when_to_use="To know which model answers, how long its window is and which vLLM runs it.",
    example="model prod",
    arguments=ModelArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    tool=True,
    run=run,
    show=show,
    was=("get_model_details", "get_active_models", "get_model_show_details"),
)
