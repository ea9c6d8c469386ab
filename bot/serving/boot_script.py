"""The start-up script of an engine's machine, and the part of it that fetches secrets, as bash.

Both hold names of secrets and never one. Google's metadata server and Secret Manager are asked as documented ("Authenticate
applications directly with access tokens", "Access a secret version"); a token is given to curl on its standard input, for
arguments are seen by every user of the machine. Written to be run again: at each boot, and by hand.
"""

import re
from collections.abc import Mapping

from bot.serving.places import API_KEY_FILE, CONTAINER, HF_TOKEN_FILE, PHASE_KEY, PHASE_NAMESPACE, SECRETS, STATE
from bot.serving.quoting import shell_text
from bot.serving.specification import EngineSpecification

READY_WITHIN_S = 3_600
"""How long the script watches a start. Cold starts of 26B and 31B took about 30 minutes (PR#3408 of tpu-inference)."""
SECRET_TRIES, SECRET_PAUSE_S = 30, 10
"""New permissions take minutes to arrive (Google Cloud IAM, "access change propagation": 2, sometimes 7 or more)."""

_BEGIN = """\
#!/bin/bash
# Made from one specification; meant for root, at each boot, and safe to run again.
# It holds no secret: those are fetched from Secret Manager with the machine's own identity, into memory only.
set -euo pipefail
umask 077

readonly METADATA=http://metadata.google.internal/computeMetadata/v1/instance
"""

_SECRETS = """\
readonly SECRETS=@SECRETS@

json_text() {
  tr -d '\\n' | sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p"
}

read_secret() {
  local token
  token=$(curl -fsS -m 5 -H 'Metadata-Flavor: Google' "$METADATA/service-accounts/default/token" | json_text access_token)
  [ -n "$token" ] || return 1
  printf 'header = "Authorization: Bearer %s"\\n' "$token" |
    curl -fsS -m 10 --config - "https://secretmanager.googleapis.com/v1/$1/versions/latest:access" |
    json_text data | base64 -d
}

fetch_secret() {
  local try
  for ((try = 1; try <= @TRIES@; try++)); do
    if read_secret "$1" > "$SECRETS/$2.new" && [ -s "$SECRETS/$2.new" ]; then
      mv -f "$SECRETS/$2.new" "$SECRETS/$2"
      return 0
    fi
    rm -f "$SECRETS/$2.new"
    sleep @PAUSE@
  done
  printf 'gemma-engine: cannot read %s: does the machine have the role Secret Manager Secret Accessor on it?\\n' "$1" >&2
  return 1
}

mkdir -p "$SECRETS"
if [ "$(stat -f -c %T "$SECRETS")" != tmpfs ]; then
  mount -t tmpfs -o mode=0700,size=1m tmpfs "$SECRETS"
fi
chmod 0700 "$SECRETS"
@FETCHES@
"""

_PHASES = """\
readonly CONTAINER=@CONTAINER@
readonly IMAGE=@IMAGE@
readonly SPECIFICATION=@SPECIFICATION@
readonly STATE=@STATE@
readonly HEALTH=http://127.0.0.1:@PORT@/health
phase=booting

publish() {
  phase=$1
  printf 'gemma-engine: %s\\n' "$phase"
  curl -fsS -m 5 -X PUT -H 'Metadata-Flavor: Google' --data "$phase $(date +%s)" \\
    "$METADATA/guest-attributes/@ATTRIBUTE@" > /dev/null || printf 'gemma-engine: could not publish the phase\\n' >&2
}

failed() {
  trap - EXIT
  publish "failed: $1"
  exit 1
}

trap 'failed "$phase"' EXIT

publish booting
if ! command -v docker > /dev/null; then
  publish docker
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io
fi
for ((wait = 1; wait <= 60; wait++)); do
  docker version > /dev/null 2>&1 && break
  sleep 2
done

"""

_ENGINE = """\
container_exists() {
  docker container inspect "$CONTAINER" > /dev/null 2>&1
}

pull() {
  local try
  for try in 1 2 3; do
    docker pull --quiet "$IMAGE" && return 0
    printf 'gemma-engine: pull %s of 3 failed\\n' "$try" >&2
    sleep 10
  done
  return 1
}

# What this script brought up before may have been changed since, over SSH: then that stays. A new script brings up its own.
if container_exists && [ "$(cat "$STATE/specification" 2> /dev/null || true)" = "$SPECIFICATION" ]; then
  publish starting
  docker start "$CONTAINER" > /dev/null
else
  if ! docker image inspect "$IMAGE" > /dev/null 2>&1; then
    publish pulling
    pull
  fi
  publish starting
  if container_exists; then
    docker rm --force "$CONTAINER" > /dev/null
  fi
  mkdir -p "$STATE"
  printf '%s\\n' "$SPECIFICATION" > "$STATE/specification"
  @RUN@ > /dev/null
fi

publish loading
deadline=$((SECONDS + @READY@))
until curl -fsS -m 5 -o /dev/null "$HEALTH" 2> /dev/null; do
  state=$(docker container inspect --format '{{.State.Status}}' "$CONTAINER" 2> /dev/null || printf 'gone')
  case $state in
    created | running | restarting) ;;
    *) failed "the container is $state" ;;
  esac
  if [ "$SECONDS" -ge "$deadline" ]; then
    failed 'no answer in time'
  fi
  sleep 5
done
trap - EXIT
publish ready
"""
_PLACE = re.compile(r"@([A-Z]+)@")


def startup_script(specification: EngineSpecification, run: tuple[str, ...]) -> str:
    """What the machine runs as root at each boot; `run` is the container's argv (`bot.serving.container.run_argv`).

    It publishes where it stands as the guest attribute gemma/phase: booting, docker, secrets, pulling, starting, loading, ready,
    or "failed: " and why; each with a Unix time.
    """
    secrets = "publish secrets\n" + _filled(_SECRETS, _secret_values(specification)) if _fetches(specification) else ""
    values = {
        "CONTAINER": CONTAINER,
        "IMAGE": specification.image,
        "SPECIFICATION": specification.fingerprint,
        "STATE": STATE,
        "PORT": str(specification.port),
        "READY": str(READY_WITHIN_S),
        "ATTRIBUTE": f"{PHASE_NAMESPACE}/{PHASE_KEY}",
    }
    quoted = {name: shell_text([value]) for name, value in values.items()} | {"RUN": shell_text(run)}
    return _BEGIN + _filled(_PHASES, quoted) + secrets + _filled(_ENGINE, quoted)


def secrets_script(specification: EngineSpecification) -> str:
    """The part that fetches the secrets, to be run by root over SSH; empty when the engine needs none."""
    return _BEGIN + _filled(_SECRETS, _secret_values(specification)) if _fetches(specification) else ""


def _fetches(specification: EngineSpecification) -> tuple[tuple[str, ...], ...]:
    """(what to call, which secret, which file) for each secret."""
    wanted = ((specification.hf_token_secret, HF_TOKEN_FILE), (specification.api_key_secret, API_KEY_FILE))
    return tuple(("fetch_secret", secret, file) for secret, file in wanted if secret is not None)


def _secret_values(specification: EngineSpecification) -> dict[str, str]:
    return {
        "SECRETS": shell_text([SECRETS]),
        "TRIES": str(SECRET_TRIES),
        "PAUSE": str(SECRET_PAUSE_S),
        "FETCHES": "\n".join(shell_text(call) for call in _fetches(specification)),
    }


def _filled(template: str, values: Mapping[str, str]) -> str:
    """The template with each @NAME@ replaced, once: what stands in a value is not looked at again."""
    return _PLACE.sub(lambda match: values[match[1]], template)
