"""One engine as tests want it, its machine's place, and the script that is made of them."""

import subprocess
import sys
from pathlib import Path

from bot.serving.boot_script import startup_script
from bot.serving.container import run_argv
from bot.serving.engine_flags import WITH_VALUE
from bot.serving.gcloud_command import Site
from bot.serving.specification import EngineSpecification

WISH = {
    "deployment": "prod",
    "model": "31B",
    "image": "vllm/vllm-tpu:v0.26.0",
    "piece": "v6e-4",
    "context": 65_536,
    "hf_token_secret": "projects/my-project/secrets/hf",
    "api_key_secret": "projects/my-project/secrets/key",
    "service_account": "engine@my-project.iam.gserviceaccount.com",
}
SITE = Site(
    project="my-project",
    zone="us-east5-a",
    machine="prod-1",
    provisioning="flex-start",
    wait_s=3600,
    run_s=14_400,
    labels={"managed-by": "gemma-chatops", "deployment": "prod"},
)
VALUE_FLAGS = sorted(WITH_VALUE)
AT_ONCE = 100
"""Hostile values in one test."""


def wanted(**changes):
    return EngineSpecification(**{**WISH, **changes})


def script_of(specification):
    return startup_script(specification, run_argv(specification))


def shellcheck(text: str, severity: str = "style") -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("shellcheck")
    return subprocess.run(
        [str(program), "--shell=bash", f"--severity={severity}", "-"], input=text, capture_output=True, text=True, check=False
    )
