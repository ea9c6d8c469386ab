"""One file that makes an engine's machine by hand: it writes the start-up script beside itself, then calls gcloud (`export vm`).

A person runs it where gcloud is signed in. It holds names of secrets and never one.
"""

from bot.serving.boot_script import startup_script
from bot.serving.container import run_argv
from bot.serving.gcloud_command import Site, gcloud_argv, gcloud_text
from bot.serving.quoting import shell_text
from bot.serving.specification import EngineSpecification

_END = "END_OF_STARTUP_SCRIPT"
_TEXT = """\
#!/bin/bash
# Makes the TPU machine {machine} in {zone} for the deployment {deployment}. Running it spends money.
# It holds no secret: the machine fetches them from Secret Manager with its own identity.
set -euo pipefail

cat > {file} << '{end}'
{script}{end}

{command}"""


def create_file(specification: EngineSpecification, site: Site) -> str:
    """The whole text. Raises UsageError for what the TPU API does not sell.

    No line of the start-up script can end its quotation: values of a person are one printable line each, inside a longer one.
    """
    return _TEXT.format(
        machine=site.machine,
        zone=site.zone,
        deployment=specification.deployment,
        file=shell_text([site.script_file]),
        end=_END,
        script=startup_script(specification, run_argv(specification)),
        command=gcloud_text(gcloud_argv(specification, site)),
    )
