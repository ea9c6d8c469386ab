"""The README is followed literally, up to where something real is needed; what is not followed is listed for people."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from bot.cloud import apis

ROOT = Path(__file__).parents[1]

NEEDS_SOMETHING_REAL = ("gcloud ", "docker compose up -d")
"""Commands that stand in docs/live-check.md instead."""

FOLLOWED = (
    *("make run", "make test", ".venv/bin/gemma sandbox", "cp .env.example", "python3 -m venv", "pip install"),
    *("gemma web", "gemma worker", "gemma clock", "gemma tunnel", "gemma status", "gemma machines", "gemma model"),
)


def commands() -> list[str]:
    """Every indented command line of the README, continued lines joined, comments off."""
    text = (ROOT / "README.md").read_text().replace("\\\n", " ")
    lines = (line.strip().partition("     #")[0].rstrip() for line in text.splitlines() if line.startswith("    "))
    return [re.sub(r"\s+", " ", line) for line in lines if line and not line.startswith(("#", "|"))]


def test_each_command_of_the_readme_is_followed_here_or_listed_for_people() -> None:
    listed = (ROOT / "docs/live-check.md").read_text()
    assert commands()
    for command in commands():
        if command.startswith(NEEDS_SOMETHING_REAL):
            assert any(f"`{step}" in listed for step in (command, command.partition(' "')[0])), command
        else:
            assert command.startswith(FOLLOWED), command


ASKED = [one for one in vars(apis).values() if isinstance(one, apis.Api) and one is not apis.BILLING]
"""Prices come from the snapshot in the tree: nobody asks the Billing API while the bot runs."""


@pytest.mark.parametrize("api", ASKED, ids=lambda one: one.role)
def test_each_api_and_role_that_the_bot_asks_for_is_named(api: apis.Api) -> None:
    text = (ROOT / "README.md").read_text()
    role = re.search(r"\((roles/[^)]+)\)", api.role)
    assert role is not None
    assert api.host in text
    assert f"{role[1]}`" in text or f"={role[1]} " in text


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone beside an empty home."""
    folder = tmp_path_factory.mktemp("readme")
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder / "gemma")], check=True)
    (folder / "home").mkdir()
    return folder / "gemma"


def environment(clone: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG"} or name.startswith("PIP_")}
    return {**kept, "HOME": str(clone.parent / "home"), "PYTHONUNBUFFERED": "1", **more}


def shell(clone: Path, command: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=clone,
        env=environment(clone, **more),
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.mark.long
@pytest.mark.faults
def test_the_first_command_shows_a_page_and_ends_with_control_c(clone: Path) -> None:
    running = subprocess.Popen(
        ["make", "run"], cwd=clone, env=environment(clone), stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stdout is not None
    line = next(said for said in running.stdout if said.startswith("Open http://"))
    page = line.split()[1]
    assert "Sandbox" in urllib.request.urlopen(page, timeout=10).read().decode()
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(30) in {0, 2, -signal.SIGINT}


@pytest.mark.long
@pytest.mark.faults
def test_the_line_without_a_page_answers(clone: Path) -> None:
    (command,) = [one for one in commands() if one.startswith(".venv/bin/gemma sandbox")]
    told = shell(clone, f"make setup >/dev/null && {command}")
    assert told.returncode == 0, told.stderr
    assert "prod is ready" in told.stdout
    assert "machines" in told.stdout


@pytest.mark.long
@pytest.mark.faults
def test_the_installation_without_docker_runs_until_a_token_is_needed(clone: Path) -> None:
    place = clone.parent / "venv"
    made = next(one for one in commands() if one.startswith("python3 -m venv")).replace("/opt/gemma", str(place))
    installed = next(one for one in commands() if one.startswith("pip install"))
    done = shell(clone, f"{made.replace('python3', sys.executable, 1)} && {installed}")
    assert done.returncode == 0, done.stderr[-2000:]
    told = shell(clone, "gemma web", PATH=f"{place}/bin:{os.environ['PATH']}")
    assert told.returncode == 2
    assert "Slack" in told.stderr
    assert "not connected" in told.stderr
    asked = shell(clone, "gemma status", PATH=f"{place}/bin:{os.environ['PATH']}")
    assert asked.returncode == 1
    assert "MODEL_BASE_URL" in asked.stderr
