"""Google's errors put into our tree, by who moves next. Pure: no call is made here."""

import re

from google.api_core import exceptions as google_errors
from google.auth import exceptions as auth_errors

from bot.cloud.apis import TPU_VIEW, Api
from bot.diagnosis.secrets import redact
from bot.errors import BotError, PersonMovesNext, RetryLater, WeMoveNext

SIGN_IN = "Give the bot Google credentials (GOOGLE_APPLICATION_CREDENTIALS or the machine's service account), then restart it."
MINUTE_S = 60.0
"""Google's per-minute quotas fill up again within a minute (Service Usage, "rate quotas")."""

_LONGEST = 300
_PER_MINUTE = re.compile(r"per[ _]minute", re.IGNORECASE)
_PLUGIN = "Getting metadata from plugin failed"
_NO_CREDENTIALS = re.compile(r"RefreshError|invalid_grant|Reauthentication|DefaultCredentials")


def told(error: Exception, doing: str, project: str, api: Api = TPU_VIEW) -> BotError:
    """What a person is told about `error`, which came from `api` while `doing` ("listing machines in us-east5-a").

    Permission, credentials, a disabled API and refused values are for a person; time-outs, outages and quotas are for later.
    """
    while isinstance(error, google_errors.RetryError) and isinstance(error.cause, Exception):
        error = error.cause
    if isinstance(error, auth_errors.GoogleAuthError):
        return _sign_in_told(error, doing)
    if isinstance(error, google_errors.GoogleAPICallError):
        return _refused(error, doing, project, api)
    if isinstance(error, TimeoutError | google_errors.RetryError):
        return RetryLater(f"Google Cloud did not answer in time while {doing}.", next_step="Try again in a minute.")
    return WeMoveNext(f"Something of ours went wrong while {doing}: {type(error).__name__}.")


def reason(error: BotError, zone: str) -> str:
    """Plain words to stand beside the name of a zone: the first sentence without its full stop and without the zone again."""
    return error.telling.failed.replace(f" in {zone}", "", 1).rstrip(".")


def _sign_in_told(error: auth_errors.GoogleAuthError, doing: str) -> BotError:
    """A broken network on the way to the credentials is for later; missing or refused credentials are for a person."""
    if isinstance(error, auth_errors.TransportError) or error.retryable:
        return RetryLater(f"Google's sign-in did not answer while {doing}.", arrived=False, next_step="Try again in a minute.")
    return PersonMovesNext(f"Google did not accept the bot's credentials while {doing}.", next_step=SIGN_IN)


def _refused(error: google_errors.GoogleAPICallError, doing: str, project: str, api: Api) -> BotError:
    """An answer with a gRPC status. What Google says of the reason is kept, cut to a length that a person reads."""
    said = plain(error.message)
    match error:
        case google_errors.Unauthenticated():
            return PersonMovesNext(f"Google did not accept the bot's credentials while {doing}.", next_step=SIGN_IN)
        case google_errors.PermissionDenied():
            return _forbidden(error, said, doing, project, api)
        case google_errors.ResourceExhausted():
            return _exhausted(error, said, doing)
        case google_errors.ServiceUnavailable():
            return _unavailable(said, doing)
        case google_errors.DeadlineExceeded() | google_errors.Cancelled():
            return RetryLater(f"Google Cloud did not answer in time while {doing}.", next_step="Try again in a minute.")
        case google_errors.Aborted() | google_errors.InternalServerError() | google_errors.Unknown():
            return RetryLater(f"Google Cloud failed while {doing}: {said}", next_step="Try again in a minute.")
        case google_errors.MethodNotImplemented():
            return WeMoveNext(f"Google Cloud does not know the call that was made while {doing}.")
    return PersonMovesNext(f"Google Cloud refused while {doing}: {said}")


def _forbidden(error: google_errors.GoogleAPICallError, said: str, doing: str, project: str, api: Api) -> PersonMovesNext:
    """A disabled API, a project that is not there, or a missing role: three different things to do."""
    if error.reason == "SERVICE_DISABLED" or "has not been used in project" in said:
        return PersonMovesNext(
            f"The {api.title} is switched off in project {project}.",
            next_step=f"Switch on {api.host} for project {project} in the Google Cloud console, then wait five minutes.",
        )
    if error.reason in {"CONSUMER_INVALID", "USER_PROJECT_DENIED"}:
        return PersonMovesNext(
            f"Google does not know project {project}, or the bot may not see it.",
            next_step="Check GOOGLE_CLOUD_PROJECT: it is the project id, not its name.",
        )
    return PersonMovesNext(
        f"The bot lacks the permission for {doing}.",
        next_step=f"Give its service account the role {api.role} in project {project}.",
    )


def _exhausted(error: google_errors.GoogleAPICallError, said: str, doing: str) -> RetryLater:
    """Rate quotas refill by the minute; for other quotas and missing capacity Google names no time."""
    asked = _asked_wait_s(error)
    if asked is None and _PER_MINUTE.search(said):
        asked = MINUTE_S
    return RetryLater(f"Google Cloud's limit was reached while {doing}: {said}", after_s=asked, arrived=False)


def _unavailable(said: str, doing: str) -> BotError:
    """gRPC reports credentials that cannot be refreshed as an outage of its plug-in; that one is for a person."""
    if _PLUGIN in said and _NO_CREDENTIALS.search(said):
        return PersonMovesNext(f"Google did not accept the bot's credentials while {doing}.", next_step=SIGN_IN)
    return RetryLater(f"Google Cloud could not be reached while {doing}.", next_step="Try again in a minute.")


def _asked_wait_s(error: google_errors.GoogleAPICallError) -> float | None:
    """Seconds in google.rpc.RetryInfo, when the answer carries one."""
    for detail in error.details:
        delay = getattr(detail, "retry_delay", None)
        if delay is not None:
            return float(delay.ToTimedelta().total_seconds())
    return None


def plain(message: str) -> str:
    """Google's words on one line, without control characters and known secrets (it may repeat what it was sent), cut to 300.

    The support id `[EID: ...]` at the end survives.
    """
    line = redact(" ".join("".join(letter if letter.isprintable() else " " for letter in message).split())).text
    if len(line) <= _LONGEST:
        return line
    support = re.search(r"\[EID: ?[0-9a-fx]+\]", line)
    tail = f" … {support.group()}" if support and support.end() > _LONGEST else " …"
    return line[: _LONGEST - len(tail)] + tail
