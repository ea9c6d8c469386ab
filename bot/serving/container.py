"""The engine's container as docker's argv, made from the specification. Sources: vLLM's TPU recipes, field notes of 2026-08.

Secrets reach the engine through files in a tmpfs of the machine, mounted read-only: Hugging Face's library reads HF_TOKEN_PATH,
and vLLM takes its key from an environment variable that is set inside the container, so that `docker inspect` shows neither.
"""

from collections.abc import Iterable

from bot.nouns import Container
from bot.serving.boot_script import secrets_script
from bot.serving.places import API_KEY_FILE, CACHE, CONTAINER, HF_TOKEN_FILE, SECRETS
from bot.serving.specification import EngineSpecification

LABELS = ("managed-by", "deployment", "specification")
"""Labels on our containers; their values are "gemma-chatops", the deployment's name, and the fingerprint."""
US = "gemma-chatops"

SERVE = 'exec vllm serve "$@"'
SERVE_WITH_KEY = (
    f'set -eu; VLLM_API_KEY="$(cat {SECRETS}/{API_KEY_FILE})"; test -n "$VLLM_API_KEY"; export VLLM_API_KEY; ' + SERVE
)
"""What runs in the container: two constants; every argument comes in by "$@". Without its key the engine ends at once."""
LOG_SIZE, LOG_FILES = "50m", "3"
"""docker keeps at most this much of the log, so that it cannot fill the disk."""


def container_of(specification: EngineSpecification) -> Container:
    """The container that this specification wants, secrets named but not held."""
    return Container(
        name=CONTAINER,
        deployment=specification.deployment,
        image=specification.image,
        run=run_argv(specification),
        arguments=specification.arguments,
        environment=environment(specification),
        secrets_script=secrets_script(specification),
        port=specification.port,
        fingerprint=specification.fingerprint,
    )


def environment(specification: EngineSpecification) -> dict[str, str]:
    """Variables of the container as docker is told them. Weights lie in /dev/shm: it is big on these machines, the disk slow."""
    ours = {"HF_HOME": "/dev/shm"}  # noqa: S108 the host's shared memory is meant, mounted for this container
    if specification.hf_token_secret is not None:
        ours["HF_TOKEN_PATH"] = f"{SECRETS}/{HF_TOKEN_FILE}"
    return ours | dict(sorted(specification.environment.items()))


def run_argv(specification: EngineSpecification) -> tuple[str, ...]:
    """`docker run ...` as argv. TPU containers are privileged and share the host's network (recipes); compiled programs are kept.

    Restarts are bounded. At boot the start-up script starts it, once the secrets are there; before that docker itself cannot, for
    the folder that is mounted does not exist yet.
    """
    labels = dict(zip(LABELS, (US, specification.deployment, specification.fingerprint), strict=True))
    with_key = specification.api_key_secret is not None
    needs_secrets = with_key or specification.hf_token_secret is not None
    return (
        *("docker", "run", "--detach", "--name", CONTAINER),
        f"--restart=on-failure:{specification.restarts}" if specification.restarts else "--restart=no",
        *("--privileged", "--network=host"),
        *_each("--label", (f"{name}={value}" for name, value in labels.items())),
        *("--log-driver=json-file", "--log-opt", f"max-size={LOG_SIZE}", "--log-opt", f"max-file={LOG_FILES}"),
        *("--mount", "type=bind,source=/dev/shm,target=/dev/shm"),
        *("--volume", f"{CACHE}:/root/.cache/vllm"),
        *(("--mount", f"type=bind,source={SECRETS},target={SECRETS},readonly") if needs_secrets else ()),
        *_each("--env", (f"{name}={value}" for name, value in environment(specification).items())),
        *("--entrypoint", "/bin/bash", specification.image),
        *("-c", SERVE_WITH_KEY if with_key else SERVE, "engine"),
        *specification.arguments,
    )


def _each(option: str, values: Iterable[str]) -> tuple[str, ...]:
    """The option again before each value."""
    return tuple(word for value in values for word in (option, value))
