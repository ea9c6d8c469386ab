"""The only place that constructs adapters and stores, with `bot.outside` for the clients of what runs outside.

Nothing is connected before it is first used.
"""

import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

import aiohttp
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bot.agent import Agent
from bot.errors import NotConnectedError
from bot.model.answering import VllmModel
from bot.operations import OPERATIONS
from bot.operations.money import BookPrices
from bot.outside import WallClock, outside
from bot.ports import Alerting, Grants, House, Identity, Services, Slack
from bot.pricing.snapshot import snapshot
from bot.settings import Settings
from bot.slack.client import SlackClient
from bot.slack.directory import SlackDirectory
from bot.slack.tiers import PER_MINUTE
from bot.slack.wire import Wire, connect
from bot.store.absent import NoApprovals, NoAudit, NoDirectory, NoWork
from bot.store.approvals import ApprovalStore
from bot.store.audit import AuditLog
from bot.store.budget import BudgetStore
from bot.store.cache import RedisCache
from bot.store.conformances import ConformanceStore
from bot.store.conversations import ConversationStore
from bot.store.counters import Counters
from bot.store.deliveries import DeliveryStore
from bot.store.deployments import DeploymentStore
from bot.store.happenings import HappeningStore
from bot.store.history import HistoryStore, NoHistory
from bot.store.incidents import IncidentStore, SightingStore, WatchStore
from bot.store.known_errors import KnownErrorStore
from bot.store.leases import LeaseStore
from bot.store.ledger import LedgerStore
from bot.store.long_work import LongWorkStore
from bot.store.pace import RedisPace
from bot.store.probes import RedisProbe
from bot.store.roles import RoleStore
from bot.store.tries import TryStore
from bot.store.work import WorkStore

IDENTITY_LIFE_S = 3600

TERMINAL_TEAM = "TERMINAL"
"""The team id where no workspace is known."""


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


def _with_gemma(services: Services, client: VllmModel, redis: Redis | None = None, slack: SlackClient | None = None) -> Services:
    """With Gemma as one more port. Its own look-ups see services without an answerer: it cannot ask itself."""
    talks = None if redis is None else ConversationStore(redis)
    seen = None if redis is None else ConformanceStore(redis)
    services = replace(services, model=client, conformances=seen, conversations=talks, threads=slack)
    return replace(services, answerer=Agent(OPERATIONS, services, passing=(RedisError,)))


def _remembering(services: Services, redis: Redis, settings: Settings) -> Services:
    """With what is kept in Redis about machines, errors and incidents."""
    return replace(
        services,
        leases=LeaseStore(redis),
        happenings=HappeningStore(redis),
        ledger=LedgerStore(redis),
        tries=TryStore(redis),
        creates=TryStore(redis),
        known_errors=KnownErrorStore(redis),
        alerting=_alerting(settings, redis),
    )


def _alerting(settings: Settings, redis: Redis) -> Alerting:
    """Urgent alerts name the configured group, else the first group of the operators."""
    oncall = settings.oncall_group or next((one for one in settings.operators if one.startswith("S")), None)
    stores = (IncidentStore(redis), WatchStore(redis), SightingStore(redis))
    return Alerting(*stores, oncall=oncall, channel=settings.alerts_channel, idle_s=settings.idle_minutes * 60)


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
        team_id = (await _identity(slack, cache, token)).team_id
        out = outside(settings, stack, redis, team_id)
        work = WorkStore(redis, lease_s=settings.lease_seconds, kick_s=settings.kick_seconds)
        known, history = DeploymentStore(redis, out.deployments), HistoryStore(redis)
        services = Services(
            clock=WallClock(),
            team_id=team_id,
            grants=Grants(admins=settings.admins, operators=settings.operators),
            directory=SlackDirectory(slack, cache),
            deployments=known,
            engine=out.engine,
            cloud=out.cloud,
            history=history,
            prices=BookPrices(snapshot().as_book()),
            work=work,
            approvals=ApprovalStore(redis, queue="steps", kick_s=settings.kick_seconds),
            audit=AuditLog(redis),
            house=house(redis, known, slack),
            long_work=LongWorkStore(redis, queue="steps", kick_s=settings.kick_seconds),
        )
        stores = (DeliveryStore(redis), slack, history, Counters(redis))
        services = _with_gemma(out.beside(_remembering(services, redis, settings)), out.model, redis, slack)
        yield Runtime(services, redis, work, *stores, settings.slack_commands_replaceable)


@asynccontextmanager
async def at_hand(settings: Settings) -> AsyncIterator[Services]:
    """What the terminal needs: cloud and model asked directly, Redis where it answers, Slack for its doctor alone."""
    async with AsyncExitStack() as stack:
        redis = connect_redis(settings)
        stack.push_async_callback(redis.aclose)
        remembered = await _answers(redis)
        out = outside(settings, stack, redis if remembered else None, settings.terminal_team or TERMINAL_TEAM)
        known = DeploymentStore(redis if remembered else None, out.deployments)
        services = Services(
            clock=WallClock(),
            team_id=settings.terminal_team or TERMINAL_TEAM,
            grants=Grants(admins=settings.admins, operators=settings.operators),
            directory=NoDirectory(),
            deployments=known,
            engine=out.engine,
            cloud=out.cloud,
            history=HistoryStore(redis) if remembered else NoHistory(),
            prices=BookPrices(snapshot().as_book()),
            work=WorkStore(redis, lease_s=settings.lease_seconds, kick_s=settings.kick_seconds) if remembered else NoWork(),
            approvals=ApprovalStore(redis, queue="steps", kick_s=settings.kick_seconds) if remembered else NoApprovals(),
            audit=AuditLog(redis) if remembered else NoAudit(),
            house=await _house_at_hand(settings, redis, known, stack) if remembered else None,
        )
        services = _remembering(services, redis, settings) if remembered else services
        yield _with_gemma(out.beside(services), out.model)


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
