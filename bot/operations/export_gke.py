"""`export gke`: a deployment's engine as Kubernetes manifests, with the commands for its node pool."""

from bot.errors import UsageError
from bot.nouns import Effect, ProvisioningModel, Role, SeenBy
from bot.operations.export_source import ExportArguments, Source, source
from bot.operations.export_vm import Exported, exported, origin, secrets
from bot.operations.operation import Context, Operation
from bot.serving import cluster
from bot.serving.places import api_key_secret, secret_place
from bot.serving.quoting import shell_text
from bot.serving.specification import EngineExposure
from bot.view import Attachment, Shape, View, bold, line

_HEAD = """\
# {deployment} on GKE, from the specification {fingerprint}. It holds no secret.
# Nobody has applied this to a cluster yet: read it before you do. {memory}
#
# 1. A node pool that is one whole slice (CLUSTER and LOCATION are yours; there is no flag for the topology of a single machine):
#      {pool}
# 2. The cluster needs the Secret Manager add-on and Workload Identity. PROJECT_NUMBER and NAMESPACE are yours:
{grants}
# 3. kubectl apply -n NAMESPACE -f {file}
"""


async def run(context: Context, arguments: ExportArguments) -> Exported:
    """Nothing is changed. Raises UsageError for what is not known, and for what is more than one machine."""
    found = in_cluster(await source(context, arguments))
    file = f"{found.deployment.name}-gke.yaml"
    return exported(context, found, file, _head(found, file) + cluster.manifests(found.specification, found.bought))


def in_cluster(found: Source) -> Source:
    """In a pod the engine listens to the network, with a key. Raises UsageError for reserved capacity."""
    if found.bought is ProvisioningModel.RESERVED:
        raise UsageError("Reserved capacity cannot be written down here.", usage="flex, spot or on-demand")
    if found.specification.exposure is EngineExposure.PRIVATE:
        return found
    key = secret_place(found.project, api_key_secret(found.deployment.name))
    changed = {"exposure": EngineExposure.PRIVATE, "api_key_secret": key}
    guessed = (*found.guessed, "it listens to the cluster's network, with a key")
    return found.model_copy(update={"specification": found.specification.model_copy(update=changed), "guessed": guessed})


def _head(found: Source, file: str) -> str:
    """The comment in front. All in it are names that were checked, one line each."""
    flex = found.bought is ProvisioningModel.FLEX_START
    memory = f"The label {cluster.FROM_MEMORY} and the flag --flex-start are from memory." if flex else ""
    grants = "\n".join(f"#      {shell_text(_grant(found, one))}" for one in _places(found))
    return _HEAD.format(
        deployment=found.deployment.name,
        fingerprint=found.specification.fingerprint,
        memory=memory,
        pool=shell_text(_pool(found)),
        grants=grants,
        file=file,
    )


def _places(found: Source) -> list[str]:
    wanted = (found.specification.hf_token_secret, found.specification.api_key_secret)
    return [place for place in wanted if place is not None]


def _pool(found: Source) -> list[str]:
    bought = {ProvisioningModel.SPOT: ["--spot"], ProvisioningModel.FLEX_START: ["--flex-start"]}
    return [
        *("gcloud", "container", "node-pools", "create", f"{found.deployment.name}-tpu"),
        *("--cluster=CLUSTER", "--location=LOCATION", f"--node-locations={found.zone}", f"--project={found.project}"),
        *(f"--machine-type={cluster.machine_type(found.specification)}", "--num-nodes=1", f"--disk-size={cluster.DISK_GB}"),
        *bought.get(found.bought, []),
    ]


def _grant(found: Source, place: str) -> list[str]:
    """Leave to read one secret, for the pods of this service account alone."""
    pool = f"projects/PROJECT_NUMBER/locations/global/workloadIdentityPools/{found.project}.svc.id.goog"
    member = f"principal://iam.googleapis.com/{pool}/subject/ns/NAMESPACE/sa/gemma-{found.deployment.name}"
    project, secret = place.split("/")[1::2]
    return [
        *("gcloud", "secrets", "add-iam-policy-binding", secret, f"--project={project}"),
        *("--role=roles/secretmanager.secretAccessor", f"--member={member}"),
    ]


def show(made: Exported, _context: Context) -> View:
    """What the manifests make, from what, and that nobody has tried them."""
    return View(
        verdict=line(bold(f"{made.deployment} as Kubernetes manifests"), f" · {made.piece} {made.bought.value} in {made.zone}"),
        shape=Shape.NONE,
        lines=(
            line(
                "Not tried: nobody has applied these to a cluster, so read them first. What is from memory says so in the file."
            ),
            origin(made),
            secrets(made),
            line("One pod takes the whole slice. Only pods with the label in its network policy reach it."),
            line("The node pool is a separate command at the top of the file, and it is what bills."),
        ),
        attachment=Attachment(name=made.file, title=f"{made.deployment}: its engine on GKE", content=made.content),
    )


EXPORT_GKE = Operation(
    path="export.gke",
    summary="a deployment's engine as Kubernetes manifests for GKE, not tried on a cluster",
    when_to_use="To serve the same engine in a cluster of your own.",
    example="export gke prod",
    arguments=ExportArguments,
    effect=Effect.READS,
    role=Role.VIEWER,
    seen_by=SeenBy.YOU,
    run=run,
    show=show,
    timeout=15.0,
    was=("get_vllm_deployment_config",),
)
