"""The only place that constructs adapters and stores. Nothing is connected before it is first used."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import aiohttp
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bot.agent import Agent
from bot.cloud.assembly import GoogleCloud
from bot.cloud.channel import TPU_API
from bot.cloud.connection import CloudOnFirstUse, NoCloud
from bot.cloud.tpu import TpuCloud
from bot.errors import NotConnectedError
from bot.machine.connecting import Patience
from bot.machine.engine import DockerEngine
from bot.machine.hosts import MachineHosts
from bot.machine.ssh import SshShell
from bot.model import TimeOuts, VllmEngine
from bot.model.answering import VllmModel
from bot.nouns import Deployment
from bot.operations import OPERATIONS
from bot.operations.money import BookPrices
from bot.ports import Capacity, Cloud, Engines, Grants, House, Identity, Services, Slack
from bot.pricing.snapshot import snapshot
from bot.settings import Settings
from bot.slack.client import SlackClient
from bot.slack.directory import SlackDirectory
from bot.slack.tiers import PER_MINUTE
from bot.slack.wire import Wire, connect
from bot.store.absent import NoApprovals, NoAudit, NoDirectory, NoWishes, NoWork
from bot.store.approvals import ApprovalStore
from bot.store.audit import AuditLog
from bot.store.budget import BudgetStore
from bot.store.cache import RedisCache
from bot.store.conformances import ConformanceStore
from bot.store.conversations import ConversationStore
from bot.store.counters import Counters
from bot.store.deliveries import DeliveryStore
from bot.store.deployments import DeploymentStore, from_file, from_settings
from bot.store.happenings import HappeningStore
from bot.store.history import HistoryStore, NoHistory
from bot.store.known_errors import KnownErrorStore
from bot.store.leases import LeaseStore
from bot.store.ledger import LedgerStore
from bot.store.long_work import LongWorkStore
from bot.store.pace import RedisPace
from bot.store.probes import RedisProbe
from bot.store.read_quota import OwnReadQuota, RedisReadQuota
from bot.store.roles import RoleStore
from bot.store.wishes import WishStore
from bot.store.work import WorkStore

IDENTITY_LIFE_S = 3600

TERMINAL_TEAM = "TERMINAL"
"""The team id where no workspace is known."""


class WallClock:
    """Implements `bot.ports.Clock` by this machine's own time."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True)
class Runtime:
    """What the processes need beside the ports of Core: the stores of work and messages, Slack out, counters."""

    services: Services
    redis: Redis
    work: WorkStore
    deliveries: DeliveryStore
    slack: Slack
    history: HistoryStore
    counters: Counters
    commands_replaceable: bool = True


def connect_redis(settings: Settings) -> Redis:
    """An asynchronous connection pool with short time-outs; nothing is opened yet."""
    return Redis.from_url(
        settings.redis_url.get_secret_value(), socket_timeout=5.0, socket_connect_timeout=1.0, health_check_interval=15
    )


def configured_deployments(settings: Settings) -> tuple[Deployment, ...]:
    """The deployments of the settings and of the file. Raises PersonMovesNext when the file is wrong."""
    return (*from_file(settings.deployments_file), *from_settings(settings.model_base_url))


def engine(settings: Settings, deployments: tuple[Deployment, ...]) -> VllmEngine:
    """The client of the serving engines. MODEL_API_KEY goes to the configured deployments and to no other server."""
    deadline = settings.engine_deadline_seconds
    keys = {one.name: settings.model_api_key for one in deployments} if settings.model_api_key else {}
    return VllmEngine(WallClock(), time_outs=TimeOuts(min(2.0, deadline), deadline, deadline), api_keys=keys)


def model(settings: Settings, deployments: tuple[Deployment, ...], engines: VllmEngine, stack: AsyncExitStack) -> VllmModel:
    """The client of the served Gemma. The key goes where `engine` sends it; `stack` closes the connections."""
    keys = {one.name: settings.model_api_key for one in deployments} if settings.model_api_key else {}
    client = VllmModel(engines, api_keys=keys)
    stack.push_async_callback(client.aclose)
    return client


def _with_gemma(services: Services, client: VllmModel, redis: Redis | None = None, slack: SlackClient | None = None) -> Services:
    """With Gemma as one more port. Its own look-ups see services without an answerer: it cannot ask itself."""
    talks = None if redis is None else ConversationStore(redis)
    seen = None if redis is None else ConformanceStore(redis)
    services = replace(services, model=client, conformances=seen, conversations=talks, threads=slack)
    return replace(services, answerer=Agent(OPERATIONS, services, passing=(RedisError,)))


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


_QUICK = Patience(tries=2, pause_s=1.0, connect_s=4.0, login_s=5.0)
"""How long a machine is tried in one go: a look has no more time, and steps of long work come back by themselves."""


def _engines(capacity: Capacity, redis: Redis | None, stack: AsyncExitStack) -> Engines:
    """The engines on the machines; `stack` closes the connections to them."""
    shell = SshShell(patience=_QUICK)
    stack.push_async_callback(shell.aclose)
    wishes = NoWishes() if redis is None else WishStore(redis)
    return Engines(wishes, MachineHosts(capacity.machines, capacity.secrets), DockerEngine(shell, WallClock()), shell)


def _with_google(services: Services, settings: Settings, stack: AsyncExitStack, redis: Redis | None) -> Services:
    """The same with Google's REST services: the writing half of the cloud, and its logs. `stack` closes what gets opened."""
    google = GoogleCloud.of(settings.google_cloud_project, WallClock(), root=settings.gcp_api_root)
    stack.push_async_callback(google.aclose)
    quota = OwnReadQuota() if redis is None else RedisReadQuota(redis, per_minute=settings.log_reads_per_minute)
    capacity = Capacity(google.provisioner, google.machines, google.quotas, google.hardware, google.secrets)
    engines = _engines(capacity, redis, stack)
    known, project = None if redis is None else KnownErrorStore(redis), settings.google_cloud_project
    return replace(services, capacity=capacity, engines=engines, logs=google.logs(quota), known_errors=known, project=project)


class _Probes(RedisProbe):
    """Implements `bot.ports.Probes`: our memory and our processes, and what Slack says of the app."""

    def __init__(self, redis: Redis, slack: SlackClient) -> None:
        """Nothing is asked before the first call."""
        super().__init__(redis)
        self.scopes = slack.scopes
        self.in_channel = slack.in_channel


class _ProbesWithoutSlack(RedisProbe):
    """Implements `bot.ports.Probes` where there is no bot token."""

    async def scopes(self) -> frozenset[str] | None:
        """Raises NotConnectedError."""
        raise NotConnectedError("Slack", "SLACK_BOT_TOKEN")

    async def in_channel(self, channel: str) -> bool | None:
        """Raises NotConnectedError."""
        del channel
        raise NotConnectedError("Slack", "SLACK_BOT_TOKEN")


def house(redis: Redis, known: DeploymentStore, slack: SlackClient) -> House:
    """What is kept about the house itself."""
    return House(RoleStore(redis), known, BudgetStore(redis), AuditLog(redis), _Probes(redis, slack))


def _outside(settings: Settings, stack: AsyncExitStack) -> tuple[tuple[Deployment, ...], VllmEngine, Cloud]:
    """The configured deployments, the client of their engines, and the cloud; `stack` closes what gets opened."""
    deployments = configured_deployments(settings)
    served = engine(settings, deployments)
    stack.push_async_callback(served.aclose)
    looked_at = cloud(settings)
    if isinstance(looked_at, CloudOnFirstUse):
        stack.push_async_callback(looked_at.aclose)
    return deployments, served, looked_at


async def _identity(slack: Slack, cache: RedisCache, token: str) -> Identity:
    """Who the token makes us, asked of Slack once an hour for all processes."""
    key = "identity:" + hashlib.sha256(token.encode()).hexdigest()[:16]
    known = await cache.get(key)
    if known is not None:
        return Identity(*known.split(" "))
    found = await slack.whoami()
    await cache.put(key, f"{found.team_id} {found.user_id} {found.bot_id}", IDENTITY_LIFE_S)
    return found


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Runtime]:
    """Everything a process or a step needs, inside the running loop; leaving closes it.

    Raises NotConnectedError without a bot token.
    """
    if settings.slack_bot_token is None:
        raise NotConnectedError("Slack", "SLACK_BOT_TOKEN")
    token = settings.slack_bot_token.get_secret_value()
    async with AsyncExitStack() as stack:
        redis = connect_redis(settings)
        stack.push_async_callback(redis.aclose)
        session = await stack.enter_async_context(aiohttp.ClientSession(trust_env=False))
        slack = SlackClient(Wire(connect(token, settings.slack_api_url, session), session, RedisPace(redis, PER_MINUTE)))
        cache = RedisCache(redis)
        deployments, engine, cloud = _outside(settings, stack)
        work = WorkStore(redis, lease_s=settings.lease_seconds, kick_s=settings.kick_seconds)
        known, history = DeploymentStore(redis, deployments), HistoryStore(redis)
        services = Services(
            clock=WallClock(),
            team_id=(await _identity(slack, cache, token)).team_id,
            grants=Grants(admins=settings.admins, operators=settings.operators),
            directory=SlackDirectory(slack, cache),
            deployments=known,
            engine=engine,
            cloud=cloud,
            history=history,
            prices=BookPrices(snapshot().as_book()),
            work=work,
            approvals=ApprovalStore(redis, queue="steps", kick_s=settings.kick_seconds),
            audit=AuditLog(redis),
            house=house(redis, known, slack),
            long_work=LongWorkStore(redis, queue="steps", kick_s=settings.kick_seconds),
            leases=LeaseStore(redis),
            happenings=HappeningStore(redis),
            ledger=LedgerStore(redis),
        )
        stores = (DeliveryStore(redis), slack, history, Counters(redis))
        services = _with_google(services, settings, stack, redis)
        services = _with_gemma(services, model(settings, deployments, engine, stack), redis, slack)
        yield Runtime(services, redis, work, *stores, settings.slack_commands_replaceable)


@asynccontextmanager
async def at_hand(settings: Settings) -> AsyncIterator[Services]:
    """What the terminal needs: cloud and model asked directly, Redis where it answers, Slack for its doctor alone."""
    async with AsyncExitStack() as stack:
        redis = connect_redis(settings)
        stack.push_async_callback(redis.aclose)
        remembered = await _answers(redis)
        deployments, engine, cloud = _outside(settings, stack)
        known = DeploymentStore(redis if remembered else None, deployments)
        services = Services(
            clock=WallClock(),
            team_id=settings.terminal_team or TERMINAL_TEAM,
            grants=Grants(admins=settings.admins, operators=settings.operators),
            directory=NoDirectory(),
            deployments=known,
            engine=engine,
            cloud=cloud,
            history=HistoryStore(redis) if remembered else NoHistory(),
            prices=BookPrices(snapshot().as_book()),
            work=WorkStore(redis, lease_s=settings.lease_seconds, kick_s=settings.kick_seconds) if remembered else NoWork(),
            approvals=ApprovalStore(redis, queue="steps", kick_s=settings.kick_seconds) if remembered else NoApprovals(),
            audit=AuditLog(redis) if remembered else NoAudit(),
            house=await _house_at_hand(settings, redis, known, stack) if remembered else None,
            leases=LeaseStore(redis) if remembered else None,
            happenings=HappeningStore(redis) if remembered else None,
            ledger=LedgerStore(redis) if remembered else None,
        )
        services = _with_google(services, settings, stack, redis if remembered else None)
        yield _with_gemma(services, model(settings, deployments, engine, stack))


async def _house_at_hand(settings: Settings, redis: Redis, known: DeploymentStore, stack: AsyncExitStack) -> House:
    """Without a bot token Slack is the one part that cannot be looked at."""
    if settings.slack_bot_token is None:
        return House(RoleStore(redis), known, BudgetStore(redis), AuditLog(redis), _ProbesWithoutSlack(redis))
    session = await stack.enter_async_context(aiohttp.ClientSession(trust_env=False))
    web = connect(settings.slack_bot_token.get_secret_value(), settings.slack_api_url, session)
    return house(redis, known, SlackClient(Wire(web, session, RedisPace(redis, PER_MINUTE))))


async def _answers(redis: Redis) -> bool:
    try:
        return bool(await redis.ping())
    except RedisError:
        return False
