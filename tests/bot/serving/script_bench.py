"""Runs our scripts under a real bash whose docker, curl and the like only write down what they were given."""

import base64
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bot.serving.places import SECRETS, STATE

TOKEN = "ya29." + "planted-machine-token-0123456789"
HF_TOKEN = "hf_" + "PlantedTokenPlantedTokenPlanted01"
API_KEY = "planted-api-key-0123456789abcdef"

RECORD = '{ printf "%s\\0" "$((${#@} + 1))" "${0##*/}" "$@" >> "$RECORD"; }\n'
DOCKER = """
case "$1 $2" in
  'container inspect')
    [ -e "$WORLD/container" ] || exit 1
    [ "$3" != --format ] || cat "$WORLD/state" ;;
  'image inspect') [ -e "$WORLD/image" ] ;;
  'pull '*) [ ! -e "$WORLD/no-pull" ] && touch "$WORLD/image" ;;
  'run '*) touch "$WORLD/container"; [ -e "$WORLD/state" ] || printf running > "$WORLD/state" ;;
  'rm '*) rm -f "$WORLD/container" ;;
esac
"""
CURL = """
for word in "$@"; do case $word in
  */token) printf '{"access_token":"%s","expires_in":3599,"token_type":"Bearer"}\\n' "$TOKEN" ;;
  *secretmanager*) name=${word##*/secrets/}; name=${name%%/*}; cat >> "$WORLD/asked-with"; [ ! -e "$WORLD/forbidden" ] || exit 22
    printf '{\\n  "name": "x",\\n  "payload": {\\n    "data": "%s",\\n    "dataCrc32c": "1"\\n  }\\n}\\n' \\
      "$(cat "$WORLD/$name")" ;;
  */health) [ -e "$WORLD/healthy" ] || exit 7 ;;
esac; done
"""
PROGRAMS = {
    "docker": DOCKER,
    "curl": CURL,
    "sleep": "",
    "stat": "printf 'tmpfs\\n'",
    "mount": "",
    "apt-get": "",
}


@dataclass
class Run:
    """What came of one run. `calls` are the recorded argv; `said` is both streams."""

    code: int
    said: str
    calls: list[list[str]]

    def of(self, *words: str) -> list[list[str]]:
        """Calls that begin with these words."""
        return [call for call in self.calls if call[: len(words)] == list(words)]

    @property
    def phases(self) -> list[str]:
        """What was published, without its time."""
        data = [call[call.index("--data") + 1] for call in self.of("curl") if "--data" in call]
        return [value.rpartition(" ")[0] for value in data]


class ScriptBench:
    """A folder that plays a machine. Files in `world` change what the programs answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = folder / "world"
        self.secrets = folder / "run"
        self.state = folder / "state"
        self.bin = folder / "bin"
        self.here = folder / "here"
        for made in (self.world, self.bin, self.here):
            made.mkdir()
        for name, body in PROGRAMS.items():
            (self.bin / name).write_text("#!/bin/bash\n" + RECORD + body)
            (self.bin / name).chmod(0o755)
        (self.world / "hf").write_text(base64.b64encode(HF_TOKEN.encode()).decode())
        (self.world / "key").write_text(base64.b64encode(API_KEY.encode()).decode())
        (self.world / "healthy").touch()

    def run(self, script: str) -> Run:
        """Run a script as the machine would, in folders of its own."""
        record = self.folder / "record"
        record.unlink(missing_ok=True)
        text = self.localised(script)
        path = {"PATH": f"{self.bin}:/usr/bin:/bin", "RECORD": str(record), "WORLD": str(self.world), "TOKEN": TOKEN}
        done = subprocess.run(
            ["bash"],
            input=text.encode(),
            env={**path, "HOME": "/nowhere"},
            cwd=self.here,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Run(done.returncode, (done.stdout + done.stderr).decode(), self._calls(record))

    def localised(self, text: str) -> str:
        """The text with the machine's folders replaced by this one's."""
        return text.replace(SECRETS, str(self.secrets)).replace(STATE, str(self.state))

    def files(self) -> list[str]:
        """What the run left in its working folder: nothing, unless a word escaped."""
        return os.listdir(self.here)

    def _calls(self, record: Path) -> list[list[str]]:
        words = record.read_bytes().decode().split("\0")[:-1] if record.exists() else []
        calls: list[list[str]] = []
        while words:
            length = int(words[0])
            calls.append(words[1 : 1 + length])
            words = words[1 + length :]
        return calls
