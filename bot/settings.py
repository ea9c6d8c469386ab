"""The one place that reads the environment. Everything else is handed what it needs."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

Names = Annotated[tuple[str, ...], NoDecode]
"""A comma-separated list of names in the environment."""


class Settings(BaseSettings):
    """Each field is an environment variable of the same name in capitals, or a line of a `.env` file beside the process."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", hide_input_in_errors=True)

    # What is served
    model_base_url: str | None = None
    model_api_key: SecretStr | None = None
    deployments_file: Path = Path("deployments.toml")

    # Google Cloud
    google_cloud_project: str | None = None
    tpu_zones: Names = ()
    tpu_api_address: str | None = None
    """Another address than Google's for the TPU API; plain text is accepted for loopback addresses only."""

    gcp_api_root: str | None = None
    """Another address than Google's for all its REST services together; plain http is accepted for loopback addresses only."""

    log_reads_per_minute: int = Field(default=60, ge=3)
    """Reads of Cloud Logging that the project's quota allows; all our processes together stay below it."""

    # Slack
    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None
    slack_api_url: str = "https://slack.com/api/"
    slack_mode: Literal["auto", "socket", "http"] = "auto"
    """How Slack reaches us. `auto` is Socket Mode when SLACK_APP_TOKEN is set, else HTTP when SLACK_SIGNING_SECRET is."""

    slack_commands_replaceable: bool = True
    """Whether an answer at a command's response_url replaces the one before it there. Slack's pages say so, some users say
    that it does not: set it to false when two messages appear, and a remembered state is no longer shown first."""

    # Redis
    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")

    # Who may do what: Slack user ids (U…) and user group ids (S…)
    admins: Names = ()
    operators: Names = ()
    terminal_user: str | None = None
    """The Slack user id that stands for whoever uses the terminal on this machine; else the terminal is a viewer."""

    terminal_team: str | None = None
    """The Slack team id whose history and work the terminal shows."""

    # Who hears of what goes wrong
    oncall_group: str | None = Field(default=None, pattern=r"^[SUW][A-Z0-9]{1,20}$")
    """The user group (S…) or user that urgent alerts name; else the first group of OPERATORS."""

    alerts_channel: str | None = Field(default=None, pattern=r"^[CGD][A-Z0-9]{1,20}$")
    """The id of the channel for alerts that no channel watches and whose deployment names none."""

    idle_minutes: float = Field(default=60.0, ge=5)
    """A machine without a request for so long is told as idle."""

    # Pace
    lease_seconds: float = Field(default=10.0, gt=0, le=60)
    kick_seconds: float = Field(default=2.0, gt=0)
    """How long accepted work may wait for its first kick before the clock kicks it."""
    tick_seconds: float = Field(default=0.5, gt=0)
    sample_seconds: float = Field(default=30.0, gt=0)
    ledger_seconds: float = Field(default=600.0, ge=0, le=86400)
    """How often the clock counts what machines run; 0 counts nothing."""
    engine_start_minutes: int = Field(default=60, ge=40, le=240)
    """How long a start may take until the engine answers, fetching the image included."""
    watch_seconds: float = Field(default=60.0, ge=0, le=3600)
    """How often the clock looks for what is wrong: engines, machines, ends of leases. 0 watches nothing."""
    engine_deadline_seconds: float = Field(default=2.5, gt=0)
    cloud_deadline_seconds: float = Field(default=5.0, gt=0)
    workers_reads: int = Field(default=2, ge=1)
    workers_answers: int = Field(default=3, ge=1)
    workers_steps: int = Field(default=1, ge=1)
    workers_benchmarks: int = Field(default=1, ge=1)

    # Ourselves
    health_host: str = "127.0.0.1"
    health_port: int = 8080
    metrics_port: int = 9464
    log_level: str = "info"

    @field_validator("tpu_zones", "admins", "operators", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value


@cache
def from_environment() -> Settings:
    """Read the environment once; forked workers inherit what their supervisor read.

    Raises pydantic's ValidationError, which names the variable and never shows its value.
    """
    return Settings()
