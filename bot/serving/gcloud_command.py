"""The gcloud command that makes an engine's machine, for people who want to see it or run it themselves (`export vm`).

Flags as in the reference of `gcloud alpha compute tpus queued-resources create` (2026). The scope lets the machine's account use
Secret Manager, where its roles allow it; what it may do is decided by roles alone.
"""

import re
from collections.abc import Sequence

from pydantic import Field

from bot.errors import UsageError
from bot.nouns import Exposure, Noun, ProvisioningModel
from bot.serving import hardware
from bot.serving.quoting import shell_text
from bot.serving.specification import EngineSpecification

_NAME = r"^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$"
_LABEL = re.compile(r"[a-z0-9_-]{1,63}", re.ASCII)


class Site(Noun):
    """Where and how a machine is made. `wait_s` and `run_s` in seconds, the second for flex-start only."""

    project: str = Field(pattern=r"^[a-z0-9][a-z0-9.:-]{2,61}[a-z0-9]$")
    zone: str = Field(pattern=r"^[a-z]+-[a-z0-9]+-[a-z0-9]+$")
    machine: str = Field(pattern=_NAME)
    provisioning: ProvisioningModel
    wait_s: int | None = Field(default=None, gt=0)
    run_s: int | None = Field(default=None, gt=0)
    exposure: Exposure = Exposure.INTERNAL
    network: str = Field(default="default", pattern=r"^[a-z][a-z0-9/-]{0,200}$")
    labels: dict[str, str] = Field(default_factory=dict)

    @property
    def script_file(self) -> str:
        """Under which name the start-up script lies beside the command."""
        return f"{self.machine}-startup.sh"


def gcloud_argv(specification: EngineSpecification, site: Site) -> tuple[str, ...]:
    """The command as argv. Raises UsageError for what the TPU API does not sell, or labels that are none."""
    chip = hardware.chip(specification.piece.generation)
    if not chip.in_tpu_api or chip.runtime_version is None:
        raise UsageError(f"Google's TPU API does not offer {specification.piece.name}: {chip.note}.")
    options: list[tuple[str, str | None]] = [
        ("--project", site.project),
        ("--zone", site.zone),
        ("--node-id", site.machine),
        ("--accelerator-type", specification.piece.name),
        ("--runtime-version", chip.runtime_version),
        *_terms(site),
        ("--network", site.network),
        *([("--internal-ips", None)] if site.exposure is Exposure.INTERNAL else []),
        ("--metadata", "enable-guest-attributes=TRUE"),
        ("--metadata-from-file", f"startup-script={site.script_file}"),
    ]
    options.append(("--scopes", "cloud-platform"))
    if specification.service_account is not None:
        options.append(("--service-account", specification.service_account))
    if site.labels:
        options.append(("--labels", _labels(site.labels)))
    words = tuple(word if value is None else f"{word}={value}" for word, value in options)
    return ("gcloud", "alpha", "compute", "tpus", "queued-resources", "create", f"{site.machine}-request", *words)


def gcloud_text(argv: Sequence[str]) -> str:
    """The command as a person copies it: one option a line."""
    begin = next((at for at, word in enumerate(argv) if word.startswith("--")), len(argv))
    lines = [shell_text(argv[:begin]), *(shell_text([word]) for word in argv[begin:])]
    return " \\\n  ".join(lines) + "\n"


def _terms(site: Site) -> list[tuple[str, str | None]]:
    """How it is bought: on demand needs no word."""
    if site.provisioning is ProvisioningModel.RESERVED:
        raise UsageError("Reserved capacity cannot be ordered here.", usage="flex, spot or on-demand")
    terms: list[tuple[str, str | None]] = []
    flex = site.provisioning is ProvisioningModel.FLEX_START
    if flex != (site.run_s is not None):
        raise UsageError("Flex-start needs the time that it runs, and only flex-start takes one.", usage="flex for 8h")
    if flex or site.provisioning is ProvisioningModel.SPOT:
        terms.append(("--provisioning-model", "flex-start" if flex else "spot"))
    if site.run_s is not None:
        terms.append(("--max-run-duration", f"{site.run_s}s"))
    if site.wait_s is not None:
        terms.append(("--valid-until-duration", f"{site.wait_s}s"))
    return terms


def _labels(labels: dict[str, str]) -> str:
    """gcloud takes them in one word, separated by commas: nothing else may stand in them."""
    if not all(_LABEL.fullmatch(word) for pair in labels.items() for word in pair):
        raise UsageError("A label holds small letters, digits, - and _ only.", usage="deployment=prod")
    return ",".join(f"{name}={value}" for name, value in labels.items())
