"""Faults on purpose: what goes wrong at which wire call or delivery, and the log of all calls. Safe from any thread."""

import inspect
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sandbox.slack.refusal import Json

CALLS_KEPT = 20_000
"""The log forgets older calls, so that a sandbox may run for days."""
Answer = Literal["429", "500", "503", "drop", "hang"]


@dataclass(slots=True)
class WireCall:
    """One call from the app to Slack. `number` counts from 1; `method` is a Web API method, "response_url" or "upload".

    `unknown_args` are arguments that Slack does not document for the method: it ignores them, so they are a likely mistake.
    """

    number: int
    method: str
    args: Json
    status: int | None = None
    answer: Any = None
    unknown_args: tuple[str, ...] = ()


Hook = Callable[[WireCall], Awaitable[None] | None]


@dataclass(slots=True, eq=False)
class Fault:
    """What goes wrong. It applies to the call with number `at` or, without it, to calls of `method` (None: any), `times` times.

    before: run before the call is handled. after: run when it took effect, before the answer leaves. answer: 429, 500 and 503
    are sent instead of handling; "drop" closes the connection and "hang" never answers. `handled`: it takes effect first.
    delay: seconds before handling, by Slack's clock.
    """

    at: int | None = None
    method: str | None = None
    times: int = 1
    before: Hook | None = None
    after: Hook | None = None
    answer: Answer | None = None
    handled: bool = False
    retry_after: int = 1
    delay: float = 0.0

    def fits(self, call: WireCall) -> bool:
        """Whether it applies to that call."""
        if self.times < 1:
            return False
        if self.at is not None:
            return self.at == call.number
        return self.method is None or self.method == call.method


@dataclass(slots=True)
class DeliveryFault:
    """What goes wrong with payloads of `kind` ("events_api", "slash_commands", "interactive"; None: any), `times` times.

    copies: how many times the payload is sent. lose_ack: an acknowledgement is ignored. delay_ack: seconds added to it.
    """

    kind: str | None = None
    times: int = 1
    copies: int = 1
    lose_ack: bool = False
    delay_ack: float = 0.0


class Faults:
    """The faults that are set, and the log."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._delivery_faults: list[DeliveryFault] = []
        self._calls: deque[WireCall] = deque(maxlen=CALLS_KEPT)
        self._count = 0

    def add(self, fault: Fault | DeliveryFault) -> None:
        """Sets one more."""
        with self._lock:
            if isinstance(fault, Fault):
                self._faults.append(fault)
            else:
                self._delivery_faults.append(fault)

    def clear(self) -> None:
        """Nothing goes wrong any more. The log stays."""
        with self._lock:
            self._faults.clear()
            self._delivery_faults.clear()

    def forget_calls(self) -> None:
        """Empties the log; the next call is number 1 again."""
        with self._lock:
            self._calls.clear()
            self._count = 0

    def calls(self, method: str | None = None) -> list[WireCall]:
        """The calls so far, in order; of one method only when it is named."""
        with self._lock:
            return [call for call in self._calls if method is None or call.method == method]

    def record(self, method: str, args: Json, unknown: tuple[str, ...] = ()) -> WireCall:
        """Notes a call and gives it its number."""
        with self._lock:
            self._count += 1
            call = WireCall(self._count, method, args, unknown_args=unknown)
            self._calls.append(call)
            return call

    def take(self, call: WireCall) -> list[Fault]:
        """The faults for that call, each used up by one: all that only watch or delay, and the first that spoils the answer."""
        with self._lock:
            fitting = [fault for fault in self._faults if fault.fits(call)]
            spoiling = [fault for fault in fitting if fault.answer]
            taken = [fault for fault in fitting if fault not in spoiling[1:]]
            for fault in taken:
                fault.times -= 1
            return taken

    def copies(self, kind: str) -> int:
        """How many times to send a payload."""
        fault = self._take_delivery(kind, lambda f: f.copies > 1)
        return fault.copies if fault else 1

    def ack_fault(self, kind: str) -> DeliveryFault | None:
        """What happens to the acknowledgement of a payload."""
        return self._take_delivery(kind, lambda f: f.lose_ack or f.delay_ack > 0)

    def _take_delivery(self, kind: str, fits: Callable[[DeliveryFault], bool]) -> DeliveryFault | None:
        with self._lock:
            for fault in self._delivery_faults:
                if fault.times > 0 and fault.kind in (None, kind) and fits(fault):
                    fault.times -= 1
                    return fault
        return None


async def run_hooks(hooks: Iterable[Hook | None], call: WireCall) -> None:
    """Runs hooks in order, be they plain or async."""
    for hook in hooks:
        result = hook(call) if hook else None
        if inspect.isawaitable(result):
            await result


def call_shape(call: WireCall) -> Json:
    """A call as JSON, for the control API."""
    return asdict(call)
