"""The file of `export vm`, run by a real shell: it writes the script beside itself and gives gcloud the argv that was meant."""

import subprocess

import pytest

from bot.errors import UsageError
from bot.serving.create_file import create_file
from bot.serving.gcloud_command import gcloud_argv
from tests.bot.serving.hostile_words import HOSTILE
from tests.bot.serving.wanted_engine import AT_ONCE, SITE, VALUE_FLAGS, script_of, shellcheck, wanted


def run(text, tmp_path):
    """The argv that gcloud was given, and what the file wrote."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "gcloud").write_text("#!/bin/bash\nprintf '%s\\0' gcloud \"$@\"\n")
    (programs / "gcloud").chmod(0o755)
    here = tmp_path / "here"
    here.mkdir()
    done = subprocess.run(
        ["bash"], input=text.encode(), cwd=here, capture_output=True, check=True, env={"PATH": f"{programs}:/usr/bin:/bin"}
    )
    return done.stdout.decode().split("\0")[:-1], {one.name: one.read_text() for one in here.iterdir()}


def test_it_makes_the_command_and_the_script_that_were_meant(tmp_path):
    argv, files = run(create_file(wanted(), SITE), tmp_path)
    assert tuple(argv) == gcloud_argv(wanted(), SITE)
    assert files == {"prod-1-startup.sh": script_of(wanted())}


@pytest.mark.parametrize("start", range(0, len(HOSTILE), AT_ONCE * 2))
def test_no_value_leaves_its_place(tmp_path, start):
    values = HOSTILE[start : start + len(VALUE_FLAGS)]
    flags = tuple(word for pair in zip(VALUE_FLAGS, values, strict=False) for word in pair)
    specification = wanted(flags=flags)
    argv, files = run(create_file(specification, SITE), tmp_path)
    assert tuple(argv) == gcloud_argv(specification, SITE)
    assert files == {"prod-1-startup.sh": script_of(specification)}


def test_a_value_cannot_end_the_script(tmp_path):
    specification = wanted(flags=("--served-model-name", "END_OF_STARTUP_SCRIPT"))
    _, files = run(create_file(specification, SITE), tmp_path)
    assert files == {"prod-1-startup.sh": script_of(specification)}


@pytest.mark.parametrize("changes", [{}, {"exposure": "loopback", "api_key_secret": None, "hf_token_secret": None}])
def test_shellcheck_finds_nothing(changes):
    done = shellcheck(create_file(wanted(**changes), SITE))
    assert done.returncode == 0, done.stdout


def test_what_the_tpu_api_does_not_sell_is_told():
    with pytest.raises(UsageError, match="does not offer"):
        create_file(wanted(piece="tpu7x-4"), SITE)
