"""What somebody starts with: the settings' example, the deployments' example, the image, the processes, `make run`."""

import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from setuptools import find_namespace_packages
from typer.testing import CliRunner

from bot.settings import Settings
from bot.store.deployments import from_file
from handlers.terminal import PROCESSES, processes

ROOT = Path(__file__).parents[1]
VARIABLE = re.compile(r"^(# )?([A-Z][A-Z_]*)=(.*?)(?: {2,}# (.+))?$")
EXAMPLE = {
    found[2]: found for line in (ROOT / ".env.example").read_text().splitlines() if (found := VARIABLE.match(line)) is not None
}
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
OURS = ("web", "worker", "clock")
OPTIONAL = "tunnel"


def pins(file: str) -> set[tuple[str, ...]]:
    """(name, version, marker) of each pinned package."""
    return set(re.findall(r"^([\w.\-]+)==(\S+)(?: ; ([^\\\n]+))?", (ROOT / file).read_text(), re.M))


def bare_settings(**given):
    return Settings(_env_file=None, **given)


@pytest.fixture
def no_environment(monkeypatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_the_example_of_the_settings_names_each_of_them_and_nothing_else():
    assert set(EXAMPLE) == {name.upper() for name in Settings.model_fields}


@pytest.mark.parametrize("name", sorted(EXAMPLE))
def test_each_line_of_the_example_says_what_it_is_for(name):
    assert EXAMPLE[name][4]


def test_where_there_is_a_default_the_example_shows_it(no_environment):
    defaults = bare_settings().model_dump()
    shown = bare_settings(**{name.lower(): found[3] for name, found in EXAMPLE.items()}).model_dump()
    told = {name for name, value in defaults.items() if value not in (None, ())}
    assert {name: shown[name] for name in told} == {name: defaults[name] for name in told}


def test_the_example_as_it_stands_can_be_read_and_connects_nothing_but_slack(no_environment):
    settings = Settings(_env_file=ROOT / ".env.example")
    assert settings.model_base_url is None
    assert settings.google_cloud_project is None
    assert settings.slack_bot_token.get_secret_value() == "xoxb-"
    assert settings.admins == ()


def test_the_example_of_deployments_is_read_as_written():
    prod, bench = from_file(ROOT / "deployments.example.toml")
    assert (prod.name, prod.context, prod.origin) == ("prod", 65536, "deployments.example.toml")
    assert prod.ends_at.utcoffset() is not None
    assert bench.base_url is None


def test_the_procfile_starts_the_processes_with_commands_that_exist():
    commands = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
    assert tuple(commands) == (*OURS, OPTIONAL)
    for name, command in commands.items():
        assert command.endswith(f"gemma {name}")
        assert name in PROCESSES
        assert CliRunner().invoke(processes, [name, "--help"]).exit_code == 0
    variables = {name for command in commands.values() for name in re.findall(r"([A-Z_]+)=", command)}
    assert variables <= {name.upper() for name in Settings.model_fields}


def test_compose_runs_the_three_processes_and_a_redis_that_forgets_nothing():
    services = COMPOSE["services"]
    always = {name for name, service in services.items() if "profiles" not in service}
    assert always == {*OURS, "redis"}
    assert [services[name]["command"] for name in OURS] == [[name] for name in OURS]
    redis = services["redis"]["command"]
    assert redis[redis.index("--appendonly") + 1] == "yes"
    assert redis[redis.index("--maxmemory-policy") + 1] == "noeviction"
    assert "redis:/data" in services["redis"]["volumes"]
    assert "ports" not in services["redis"]


def test_compose_holds_a_tunnel_beside_each_process_that_asks_engines_and_only_when_wanted():
    tunnels = {service["network_mode"]: service for service in COMPOSE["services"].values() if service["command"] == [OPTIONAL]}
    assert set(tunnels) == {"service:worker", "service:clock"}
    assert all(service["profiles"] == [OPTIONAL] for service in tunnels.values())


@pytest.mark.parametrize("name", OURS)
def test_compose_waits_for_redis_and_gives_settings_that_exist(name):
    service = COMPOSE["services"][name]
    assert service["depends_on"]["redis"]["condition"] == "service_healthy"
    assert set(service["environment"]) <= {field.upper() for field in Settings.model_fields}
    assert service["env_file"] == ".env"


def test_the_image_runs_as_nobody_special_and_holds_no_sandbox():
    final = DOCKERFILE.rsplit("\nFROM ", 1)[1]
    assert re.search(r"^USER gemma$", final, re.M)
    assert "constraints-dev" not in DOCKERFILE
    assert "COPY sandbox" not in DOCKERFILE
    copied = {word for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.M) for word in line.split()}
    assert copied == {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert all((ROOT / name).exists() for name in copied)


def test_the_health_check_of_the_image_is_python_that_compiles_and_asks_healthz():
    code = re.search(r'CMD \["python", "-c", "(.+)"\]', DOCKERFILE)
    assert code is not None
    compile(code[1], "HEALTHCHECK", "exec")
    assert "/healthz" in code[1]


def test_every_pin_for_running_is_the_pin_for_developing():
    pins = [
        set(re.findall(r"^[\w.\-]+==\S+", (ROOT / name).read_text(), re.M)) for name in ("constraints.txt", "constraints-dev.txt")
    ]
    assert len(pins[0]) > 50
    assert pins[0] <= pins[1]


def test_each_direct_dependency_and_the_build_backend_are_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = (*project["project"]["dependencies"], *project["build-system"]["requires"])
    assert {re.split(r"[\[<>=]", one)[0] for one in wanted} <= {name for name, *_ in pins("constraints.txt")}


def test_every_file_that_the_packages_need_is_in_the_wheel():
    """Setuptools takes Python files by itself and the others by pattern, out of folders that are packages."""
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    packages = {ROOT / name.replace(".", "/") for name in find_namespace_packages(str(ROOT), **built["packages"]["find"])}
    patterns = built["package-data"]["*"]
    tops = {name.partition(".")[0] for name in built["packages"]["find"]["include"]}
    needed = [
        path
        for top in tops
        for path in (ROOT / top.rstrip("*")).rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    ]
    assert any(path.name == "metrics_idle.txt" for path in needed)
    assert not [path for path in needed if path.parent not in packages or not any(path.match(one) for one in patterns)]


def test_make_says_in_one_line_that_a_python_is_too_old(tmp_path):
    old = tmp_path / "python-old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    command = ["make", "-C", str(ROOT), f"PYTHON={old}", f"VENV={tmp_path}/v", "setup"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "older than 3.11" in done.stdout
    assert len([line for line in done.stdout.splitlines() if not line.startswith("make")]) == 1


@pytest.mark.wire
def test_the_sandbox_ends_with_control_c_and_leaves_nothing_behind(tmp_path):
    """Ctrl-C reaches all processes of the terminal's foreground group at once, so that is what is sent."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "handlers.terminal", "sandbox"]
    sandbox = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert sandbox.stdout is not None
        assert re.match(r"Open http://127\.0\.0\.1:\d+", sandbox.stdout.readline())
        assert started_in(tmp_path)
        os.killpg(sandbox.pid, signal.SIGINT)
        assert sandbox.wait(30) == 0
    finally:
        sandbox.kill()
    assert started_in(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def started_in(folder: Path) -> list[int]:
    """Processes whose environment or command names this folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in told:
            found.append(int(entry.name))
    return found
