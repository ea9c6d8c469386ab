"""The manifests of `export gke`, read by a real YAML reader: the same engine, on the node that it needs, without a secret."""

import re

import pytest
import yaml

from bot.errors import UsageError
from bot.nouns import ProvisioningModel
from bot.serving.cluster import machine_type, manifests, topology
from bot.serving.container import SERVE_WITH_KEY, environment
from bot.serving.places import SECRETS
from tests.bot.serving.hostile_words import HOSTILE
from tests.bot.serving.wanted_engine import AT_ONCE, VALUE_FLAGS, wanted

KINDS = {
    "ServiceAccount": "v1",
    "SecretProviderClass": "secrets-store.csi.x-k8s.io/v1",
    "Deployment": "apps/v1",
    "Service": "v1",
    "NetworkPolicy": "networking.k8s.io/v1",
}
LABEL = re.compile(r"(?:[a-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def read(specification, bought=ProvisioningModel.ON_DEMAND):
    return {one["kind"]: one for one in yaml.safe_load_all(manifests(specification, bought))}


def pod_of(documents):
    return documents["Deployment"]["spec"]["template"]["spec"]


def expanded(word: str, variables: dict[str, str]) -> str:
    """What Kubernetes makes of arguments: $(NAME) of a known variable becomes its value, $$ one dollar, the rest stays."""
    return re.sub(r"\$(\$|\(([^)]*)\))", lambda m: "$" if m[1] == "$" else variables.get(m[2], m[0]), word)


def test_five_documents_that_name_each_other():
    documents = read(wanted())
    assert {kind: one["apiVersion"] for kind, one in documents.items()} == KINDS
    assert {one["metadata"]["name"] for one in documents.values()} == {"gemma-prod"}
    pod = pod_of(documents)
    assert pod["serviceAccountName"] == "gemma-prod"
    labels = documents["Deployment"]["spec"]["template"]["metadata"]["labels"]
    for chosen in (
        documents["Deployment"]["spec"]["selector"]["matchLabels"],
        documents["Service"]["spec"]["selector"],
        documents["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert chosen.items() <= labels.items()
    mounted = {one["name"] for one in pod["containers"][0]["volumeMounts"]}
    assert mounted == {one["name"] for one in pod["volumes"]}
    assert documents["Service"]["spec"]["ports"][0]["targetPort"] == pod["containers"][0]["ports"][0]["name"]


@pytest.mark.parametrize(
    ("piece", "accelerator", "shape", "machine", "chips"),
    [
        ("v6e-1", "tpu-v6e-slice", "1x1", "ct6e-standard-1t", 1),
        ("v6e-4", "tpu-v6e-slice", "2x2", "ct6e-standard-4t", 4),
        ("v6e-8", "tpu-v6e-slice", "2x4", "ct6e-standard-8t", 8),
        ("v5e-4", "tpu-v5-lite-podslice", "2x2", "ct5lp-hightpu-4t", 4),
        ("v5p-8", "tpu-v5p-slice", "2x2x1", "ct5p-hightpu-4t", 4),
        ("tpu7x-4", "tpu7x", "2x2x1", "tpu7x-standard-4t", 4),
    ],
)
def test_the_pod_asks_for_the_whole_slice_and_bears_its_node(piece, accelerator, shape, machine, chips):
    specification = wanted(piece=piece)
    pod = pod_of(read(specification))
    assert pod["nodeSelector"] == {
        "cloud.google.com/gke-tpu-accelerator": accelerator,
        "cloud.google.com/gke-tpu-topology": shape,
    }
    resources = pod["containers"][0]["resources"]
    assert resources["limits"] == resources["requests"] == {"google.com/tpu": str(chips)}
    assert pod["tolerations"][0]["key"] == "google.com/tpu"
    assert (topology(specification), machine_type(specification)) == (shape, machine)


@pytest.mark.parametrize(
    ("bought", "label"),
    [(ProvisioningModel.SPOT, "cloud.google.com/gke-spot"), (ProvisioningModel.FLEX_START, "cloud.google.com/gke-flex-start")],
)
def test_how_it_is_bought_chooses_the_node(bought, label):
    assert pod_of(read(wanted(), bought))["nodeSelector"][label] == "true"


def test_the_engine_is_the_one_of_the_container():
    specification = wanted(environment={"MODEL_IMPL_TYPE": "flax_nnx"})
    container = pod_of(read(specification))["containers"][0]
    assert container["image"] == specification.image
    assert tuple(container["args"]) == specification.arguments
    assert [expanded(word, {}) for word in container["command"]] == ["/bin/bash", "-c", SERVE_WITH_KEY, "engine"]
    assert {one["name"]: one["value"] for one in container["env"]} == environment(specification)
    assert container["startupProbe"]["periodSeconds"] * container["startupProbe"]["failureThreshold"] == 3_600
    assert "privileged" not in manifests(specification, ProvisioningModel.SPOT)


def test_secrets_are_named_and_mounted_and_not_held():
    documents = read(wanted())
    rows = yaml.safe_load(documents["SecretProviderClass"]["spec"]["parameters"]["secrets"])
    assert rows == [
        {"resourceName": "projects/my-project/secrets/hf/versions/latest", "path": "hf-token"},
        {"resourceName": "projects/my-project/secrets/key/versions/latest", "path": "api-key"},
    ]
    mounts = {one["name"]: one for one in pod_of(documents)["containers"][0]["volumeMounts"]}
    assert (mounts["secrets"]["mountPath"], mounts["secrets"]["readOnly"]) == (SECRETS, True)
    assert "Secret" not in documents


def test_only_pods_with_a_label_reach_it():
    policy = read(wanted())["NetworkPolicy"]["spec"]
    assert policy["policyTypes"] == ["Ingress"]
    (rule,) = policy["ingress"]
    assert rule["from"] == [{"podSelector": {"matchLabels": {"gemma-prod-client": "true"}}}]
    assert rule["ports"] == [{"port": 8000}]


def test_an_engine_that_nobody_could_reach_is_refused():
    with pytest.raises(UsageError, match="needs an API key"):
        manifests(wanted(exposure="loopback", api_key_secret=None), ProvisioningModel.SPOT)


@pytest.mark.parametrize("start", range(0, len(HOSTILE), AT_ONCE * 2))
def test_no_value_leaves_its_place(start):
    values = [*HOSTILE[start : start + len(VALUE_FLAGS) - 2], "$(VLLM_API_KEY)", "$$(HOME) $$$"]
    flags = tuple(word for pair in zip(VALUE_FLAGS, values, strict=False) for word in pair)
    specification = wanted(flags=flags)
    documents = read(specification)
    container = pod_of(documents)["containers"][0]
    known = {"VLLM_API_KEY": "leaked", "HOME": "leaked"}
    assert tuple(expanded(word, known) for word in container["args"]) == specification.arguments
    assert set(documents) == set(KINDS)


@pytest.mark.parametrize("deployment", ["a", "prod-2", "x" * 40])
def test_names_and_labels_are_ones_that_kubernetes_takes(deployment):
    documents = read(wanted(deployment=deployment))
    for one in documents.values():
        assert NAME.fullmatch(one["metadata"]["name"])
    template = documents["Deployment"]["spec"]["template"]["metadata"]["labels"]
    client = documents["NetworkPolicy"]["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    for name, value in {**template, **client, **pod_of(documents)["nodeSelector"]}.items():
        assert LABEL.fullmatch(name), name
        assert LABEL.fullmatch(value), value
