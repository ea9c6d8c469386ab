"""The clients of what runs outside (engines, Gemma, Google Cloud, machines), for `bot.services`. Nothing is connected yet."""

from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from pydantic import SecretStr
from redis.asyncio import Redis

from bot.cloud.assembly import GoogleCloud
from bot.cloud.channel import TPU_API
from bot.cloud.connection import CloudOnFirstUse, NoCloud
from bot.cloud.tpu import TpuCloud
from bot.machine.connecting import Patience
from bot.machine.engine import DockerEngine
from bot.machine.hosts import MachineHosts
from bot.machine.ssh import SshShell
from bot.machine.ways import EngineWays
from bot.model import TimeOuts, VllmEngine
from bot.model.answering import VllmModel
from bot.nouns import Deployment
from bot.ports import Capacity, Cloud, Engines, Logs, Services, Ways
from bot.settings import Settings
from bot.store.absent import NoTunnels, NoWishes
from bot.store.deployments import from_file, from_settings
from bot.store.read_quota import OwnReadQuota, RedisReadQuota
from bot.store.tunnels import TunnelStore
from bot.store.wishes import WishStore

_QUICK = Patience(tries=2, pause_s=1.0, connect_s=4.0, login_s=5.0)
"""How long a machine is tried in one go: a look has no more time, and steps of long work come back by themselves."""


class WallClock:
    """Implements `bot.ports.Clock` by this machine's own time."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True)
class Outside:
    """All of them, and the deployments that were configured."""

    deployments: tuple[Deployment, ...]
    engine: VllmEngine
    model: VllmModel
    cloud: Cloud
    capacity: Capacity
    engines: Engines
    logs: Logs
    project: str | None

    def beside(self, services: Services) -> Services:
        """The same services with Google's REST services and the engines on its machines."""
        return replace(services, capacity=self.capacity, engines=self.engines, logs=self.logs, project=self.project)


def outside(settings: Settings, stack: AsyncExitStack, redis: Redis | None, team_id: str) -> Outside:
    """Build them; `stack` closes what gets opened. Without `redis` nothing is known of wishes and tunnels.

    Raises PersonMovesNext when the deployments file is wrong.
    """
    deployments = configured_deployments(settings)
    google = GoogleCloud.of(settings.google_cloud_project, WallClock(), root=settings.gcp_api_root)
    stack.push_async_callback(google.aclose)
    wishes = NoWishes() if redis is None else WishStore(redis)
    ways = EngineWays(team_id, wishes, NoTunnels() if redis is None else TunnelStore(redis), google.secrets)
    served = engine(settings, deployments, ways)
    stack.push_async_callback(served.aclose)
    gemma = VllmModel(served, api_keys=_keys(settings, deployments), ways=ways)
    stack.push_async_callback(gemma.aclose)
    looked_at = cloud(settings)
    if isinstance(looked_at, CloudOnFirstUse):
        stack.push_async_callback(looked_at.aclose)
    shell = SshShell(patience=_QUICK)
    stack.push_async_callback(shell.aclose)
    quota = OwnReadQuota() if redis is None else RedisReadQuota(redis, per_minute=settings.log_reads_per_minute)
    return Outside(
        deployments=deployments,
        engine=served,
        model=gemma,
        cloud=looked_at,
        capacity=Capacity(google.provisioner, google.machines, google.quotas, google.hardware, google.secrets),
        engines=Engines(
            wishes,
            MachineHosts(google.machines, google.secrets),
            DockerEngine(shell, WallClock()),
            shell,
            start_deadline=timedelta(minutes=settings.engine_start_minutes),
        ),
        logs=google.logs(quota),
        project=settings.google_cloud_project,
    )


def configured_deployments(settings: Settings) -> tuple[Deployment, ...]:
    """The deployments of the settings and of the file. Raises PersonMovesNext when the file is wrong."""
    return (*from_file(settings.deployments_file), *from_settings(settings.model_base_url))


def _keys(settings: Settings, deployments: tuple[Deployment, ...]) -> dict[str, SecretStr]:
    """MODEL_API_KEY goes to the configured deployments and to no other server."""
    return {one.name: settings.model_api_key for one in deployments} if settings.model_api_key else {}


def engine(settings: Settings, deployments: tuple[Deployment, ...], ways: Ways | None = None) -> VllmEngine:
    """The client of the serving engines."""
    deadline = settings.engine_deadline_seconds
    time_outs = TimeOuts(min(2.0, deadline), deadline, deadline)
    return VllmEngine(WallClock(), time_outs=time_outs, api_keys=_keys(settings, deployments), ways=ways)


def cloud(settings: Settings) -> CloudOnFirstUse | NoCloud:
    """TPU capacity of the configured project, or the sentence that says what to set."""
    project = settings.google_cloud_project
    if project is None:
        return NoCloud()

    async def open_it() -> TpuCloud:
        return await TpuCloud.open(
            project,
            clock=WallClock(),
            address=settings.tpu_api_address or TPU_API,
            zones=settings.tpu_zones or None,
            deadline_s=settings.cloud_deadline_seconds,
        )

    return CloudOnFirstUse(open_it)
