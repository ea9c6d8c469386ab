"""Whatever an argument holds, a real shell makes exactly that argument of it again, and nothing happens on the way."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.serving.quoting import shell_text
from tests.bot.serving.hostile_words import HOSTILE, NOT_PRINTABLE

SHELLS = ("bash", "sh")
NO_NUL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)


def read_by(shell: str, text: str, folder) -> list[str]:
    """The arguments that a shell makes of the text, one behind the other."""
    script = f"printf '%s\\0' {text}"
    done = subprocess.run([shell, "-c", script], capture_output=True, cwd=folder, check=False, timeout=20)
    assert done.stderr == b""
    return done.stdout.decode().split("\0")[:-1]


def test_there_are_more_than_five_hundred_hostile_words():
    assert len(HOSTILE) > 500


@pytest.mark.parametrize("shell", SHELLS)
def test_each_hostile_word_comes_out_of_a_real_shell_as_it_went_in(shell, tmp_path):
    words = [*HOSTILE, *NOT_PRINTABLE]
    assert read_by(shell, shell_text(words), tmp_path) == words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_a_command_of_hostile_words_still_has_them_inside_another_shell(shell, tmp_path):
    """SSH to a machine that runs `bash -c TEXT`: two shells read it, each once."""
    inner = shell_text(["printf", "%s\\0", *HOSTILE[:80]])
    done = subprocess.run([shell, "-c", shell_text([shell, "-c", inner])], capture_output=True, cwd=tmp_path, check=True)
    assert done.stdout.decode().split("\0")[:-1] == list(HOSTILE[:80])
    assert list(tmp_path.iterdir()) == []


@given(st.lists(NO_NUL, min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_any_text_comes_out_of_a_real_shell_as_it_went_in(words):
    assert read_by("bash", shell_text(words), None) == words


@pytest.mark.parametrize("bad", ["a\0b", "\ud800"])
def test_what_no_program_can_be_given_is_refused(bad):
    with pytest.raises(UsageError):
        shell_text(["echo", bad])


def test_plain_words_stay_readable():
    assert shell_text(["docker", "logs", "--tail", "200", "gemma-engine"]) == "docker logs --tail 200 gemma-engine"
