"""The same engine as Kubernetes manifests for GKE (`export gke`), made from the specification that makes the container.

Read, not tried: nobody applied these to a cluster. Node labels, toleration, resource and probes as in public field notes of a
v6e-1 node pool (August 2026); names of accelerators and topologies as in Google's tables; the Secret Manager add-on's driver and
provider as in public manifests of 2026. The label of flex-start is from memory.
"""

from typing import Any

from bot.errors import UsageError
from bot.nouns import ProvisioningModel
from bot.serving.boot_script import READY_WITHIN_S
from bot.serving.container import SERVE_WITH_KEY, US, environment
from bot.serving.places import API_KEY_FILE, HF_TOKEN_FILE, SECRETS
from bot.serving.specification import EngineExposure, EngineSpecification
from bot.serving.yaml_text import yaml_text

_ACCELERATORS = {"v6e": "tpu-v6e-slice", "v5e": "tpu-v5-lite-podslice", "v5p": "tpu-v5p-slice", "v7x": "tpu7x"}
_FLAT = {1: "1x1", 4: "2x2", 8: "2x4"}
_MACHINES = {"v6e": "ct6e-standard-{}t", "v5e": "ct5lp-hightpu-{}t", "v5p": "ct5p-hightpu-{}t", "v7x": "tpu7x-standard-{}t"}
PROBE_S = 15
FROM_MEMORY = "cloud.google.com/gke-flex-start"
"""The node label of flex-start. Nobody here has seen it on a node."""
DISK_GB = 200
"""Of a node, for the image; as in the field notes."""

Json = dict[str, Any]


def manifests(specification: EngineSpecification, provisioning: ProvisioningModel) -> str:
    """Service account, secrets, deployment, service and network policy, as YAML documents.

    Raises UsageError for an engine that listens to its own machine alone: in a pod nobody could reach it.
    """
    if specification.exposure is not EngineExposure.PRIVATE or specification.api_key_secret is None:
        raise UsageError("In a cluster an engine listens to its network, and needs an API key for that.")
    name = f"gemma-{specification.deployment}"
    labels = {"app": name, "managed-by": US}
    documents = (
        _thing("v1", "ServiceAccount", name, labels),
        _secrets(specification, name, labels),
        _deployment(specification, provisioning, name, labels),
        _thing(
            "v1",
            "Service",
            name,
            labels,
            spec={
                "type": "ClusterIP",
                "selector": {"app": name},
                "ports": [{"name": "http", "port": specification.port, "targetPort": "http"}],
            },
        ),
        _policy(specification, name, labels),
    )
    return "---\n".join(map(yaml_text, documents))


def topology(specification: EngineSpecification) -> str:
    """The node label of the slice's shape: flat for v6e and v5e, with a third side for the others."""
    piece = specification.piece
    return _FLAT[piece.chips] if piece.generation in {"v6e", "v5e"} else f"{_FLAT[piece.chips]}x1"


def machine_type(specification: EngineSpecification) -> str:
    """The machine type of a node that is the whole slice."""
    return _MACHINES[specification.piece.generation].format(specification.piece.chips)


def _thing(version: str, kind: str, name: str, labels: dict[str, str], **more: Any) -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "labels": labels}, **more}


def _secrets(specification: EngineSpecification, name: str, labels: dict[str, str]) -> Json:
    """Which secrets are mounted as files. The add-on reads this list as YAML inside a text."""
    wanted = ((specification.hf_token_secret, HF_TOKEN_FILE), (specification.api_key_secret, API_KEY_FILE))
    files = [{"resourceName": f"{place}/versions/latest", "path": file} for place, file in wanted if place is not None]
    rows = "".join(f"- resourceName: {one['resourceName']}\n  path: {one['path']}\n" for one in files)
    spec = {"provider": "gke", "parameters": {"secrets": rows}}
    return _thing("secrets-store.csi.x-k8s.io/v1", "SecretProviderClass", name, labels, spec=spec)


def _deployment(specification: EngineSpecification, provisioning: ProvisioningModel, name: str, labels: dict[str, str]) -> Json:
    """One pod that takes the whole slice; the old one goes before the new one comes, for there is no second slice."""
    pod = {
        "serviceAccountName": name,
        "nodeSelector": _node(specification, provisioning),
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}],
        "terminationGracePeriodSeconds": 60,
        "containers": [_container(specification)],
        "volumes": [
            {"name": "dshm", "emptyDir": {"medium": "Memory"}},
            {"name": "compiled", "emptyDir": {}},
            {
                "name": "secrets",
                "csi": {
                    "driver": "secrets-store-gke.csi.k8s.io",
                    "readOnly": True,
                    "volumeAttributes": {"secretProviderClass": name},
                },
            },
        ],
    }
    marks = labels | {"specification": specification.fingerprint}
    spec = {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": marks}, "spec": pod},
    }
    return _thing("apps/v1", "Deployment", name, labels, spec=spec)


def _node(specification: EngineSpecification, provisioning: ProvisioningModel) -> dict[str, str]:
    """Which node: without these the pod comes to a node without a chip, which looks like a fault of vLLM."""
    bought = {
        ProvisioningModel.SPOT: {"cloud.google.com/gke-spot": "true"},
        ProvisioningModel.FLEX_START: {FROM_MEMORY: "true"},
    }
    return {
        "cloud.google.com/gke-tpu-accelerator": _ACCELERATORS[specification.piece.generation],
        "cloud.google.com/gke-tpu-topology": topology(specification),
        **bought.get(provisioning, {}),
    }


def _container(specification: EngineSpecification) -> Json:
    """No privileged: the device plugin hands over the chips that are asked for. The start may take as long as on a machine."""
    chips = str(specification.piece.chips)
    health = {"httpGet": {"path": "/health", "port": "http"}, "timeoutSeconds": 5}
    return {
        "name": "engine",
        "image": specification.image,
        "command": ["/bin/bash", "-c", _literal(SERVE_WITH_KEY), "engine"],
        "args": [_literal(word) for word in specification.arguments],
        "env": [{"name": name, "value": _literal(value)} for name, value in environment(specification).items()],
        "ports": [{"name": "http", "containerPort": specification.port}],
        "resources": {"requests": {"google.com/tpu": chips}, "limits": {"google.com/tpu": chips}},
        "startupProbe": {**health, "periodSeconds": PROBE_S, "failureThreshold": READY_WITHIN_S // PROBE_S},
        "readinessProbe": {**health, "periodSeconds": 10, "failureThreshold": 3},
        "volumeMounts": [
            {"name": "dshm", "mountPath": "/dev/shm"},  # noqa: S108 shared memory is meant
            {"name": "compiled", "mountPath": "/root/.cache/vllm"},
            {"name": "secrets", "mountPath": SECRETS, "readOnly": True},
        ],
    }


def _literal(word: str) -> str:
    """Kubernetes reads $(NAME) as a variable and $$ as one dollar, so each dollar stands twice."""
    return word.replace("$", "$$")


def _policy(specification: EngineSpecification, name: str, labels: dict[str, str]) -> Json:
    """vLLM's key guards /v1 alone, so only pods that bear a label reach the engine at all."""
    allowed = {"from": [{"podSelector": {"matchLabels": {f"{name}-client": "true"}}}]}
    spec = {
        "podSelector": {"matchLabels": {"app": name}},
        "policyTypes": ["Ingress"],
        "ingress": [{**allowed, "ports": [{"port": specification.port}]}],
    }
    return _thing("networking.k8s.io/v1", "NetworkPolicy", name, labels, spec=spec)
