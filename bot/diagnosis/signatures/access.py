"""Failures to fetch something: the model from Hugging Face, the image from a registry, a name from DNS; and full disks."""

from bot.diagnosis.findings import START_FAILED, Signature, figure, sign

_REPOSITORY = figure(r"huggingface\.co/(?:api/models/)?(?P<model>[\w.\-]{1,60}/[\w.\-]{1,96})")
_NOT_LOGGED_IN = sign("not logged in", r"401 Client Error|401 Unauthorized")
_REFUSED = sign("refused", r"40[13] Client Error|Client error '40[13]|gated repo")
_MODEL = figure(r"(?:gated repo|repo|model|access to)[^\w]{1,20}(?P<model>[\w.\-]{1,60}/[\w.\-]{1,96})")

SIGNATURES = (
    Signature(
        name="huggingface_gated",
        title="Hugging Face refused the model: the licence was not accepted for this token (403)",
        must=sign(
            "access refused",
            r"403 Client Error|Client error '403|gated repo|GatedRepoError|awaiting a review"
            r"|not in the authorized list|access to model .{0,120} is restricted",
        ),
        signs=(sign("it was Hugging Face", r"huggingface|hf\.co|gated"), START_FAILED),
        figures=(_REPOSITORY, _MODEL),
        unless=_NOT_LOGGED_IN,
        check="Open the model's page with the account the token belongs to: is the licence accepted?",
        next_step="Accept the licence there, make sure the token may read gated repositories, then start again.",
        source="Hugging Face hub: 403 on a gated repository whose licence was not accepted",
    ),
    Signature(
        name="huggingface_token",
        title="Hugging Face did not accept the token, or none was given (401)",
        must=sign(
            "not logged in",
            r"401 Client Error|401 Unauthorized|Invalid (?:username or password"
            r"|user token|credentials in Authorization)|LocalTokenNotFound"
            r"|Token is required|You must (?:be authenticated|have access to it and be authenticated)"
            r"|Please log in|token .{0,30}(?:has expired|is invalid)",
        ),
        signs=(sign("it was Hugging Face", r"huggingface|hf\.co|hf_token|hub"), START_FAILED),
        figures=(_REPOSITORY, _MODEL),
        check="Is a token stored, and is it still valid? A revoked token also answers 401.",
        next_step="Store a fresh token with `token`, then start again.",
        source="Hugging Face hub: 401 without a valid token",
    ),
    Signature(
        name="model_not_found",
        title="there is no such model or revision on Hugging Face",
        must=sign(
            "not found",
            r"404 Client Error|Client error '404|RepositoryNotFoundError|RevisionNotFoundError"
            r"|is not a local folder and is not a valid model identifier"
            r"|does not appear to have a file named|Repo id must be"
            r"|(?<!Local)EntryNotFoundError|No model weights found|Invalid repository ID",
        ),
        signs=(sign("it was the model", r"huggingface|hf\.co|model identifier|repo"), START_FAILED),
        figures=(_REPOSITORY, figure(r"['\"]?(?P<model>[\w.\-]{1,60}/[\w.\-]{1,96})['\"]? is not a local folder")),
        unless=_REFUSED,
        check="Compare the model's name letter by letter; without access a private model also looks missing.",
        next_step="Correct the model's name and start again.",
        source="Hugging Face hub client errors",
    ),
    Signature(
        name="huggingface_unreachable",
        title="Hugging Face could not be reached from the machine",
        must=sign(
            "no connection",
            r"(?:huggingface|hf)\.co.{0,300}(?:Max retries exceeded|timed out"
            r"|Name or service not known|Temporary failure in name resolution"
            r"|Network is unreachable|Connection (?:refused|reset|aborted))"
            r"|couldn't connect to .{0,40}huggingface|We couldn't connect to|LocalEntryNotFoundError"
            r"|(?:NameResolutionError|Temporary failure in name resolution"
            r"|Name or service not known).{0,200}|Failed to resolve ['\"]?\S{0,80}hf"
            r"|(?:429|50[234]) (?:Client|Server) Error.{0,200}hugging",
        ),
        signs=(sign("it was Hugging Face", r"huggingface|hf\.co|hub"), START_FAILED),
        check="On the machine: `curl -sI https://huggingface.co`. No external address and no Cloud NAT means no way out.",
        next_step=(
            "Give the machine a way out (external address or Cloud NAT), "
            "or wait when Hugging Face itself is down, then start again."
        ),
        source="Cloud TPU API: no external address unless enableExternalIps is set",
    ),
    Signature(
        name="disk_full",
        title="the disk is full",
        must=sign("no space", r"No space left on device|\[Errno 28\]|Disk quota exceeded|not enough (?:free )?disk space"),
        signs=(sign("a file was being written", r"writ|download|pull|extract|sav|layer|/dev/shm|cache"), START_FAILED),
        figures=(figure(r"(?P<path>/(?:dev/shm|var/lib/docker|root/\.cache|mnt|home|tmp)[\w./\-]{0,120})"),),
        any_level=True,
        check="On the machine: `df -h / /dev/shm` and `docker system df`.",
        next_step="Remove old images and weights, or start a machine with a bigger boot disk (200 GB or more).",
        source="xbill9/gemma4-dev, August 2026 (a 10 GB boot disk fills during the pull)",
    ),
    Signature(
        name="image_pull",
        title="the container image could not be pulled",
        must=sign(
            "the pull failed",
            r"manifest (?:unknown|for .{1,200} not found)|pull access denied|ErrImagePull"
            r"|ImagePullBackOff|failed to pull|Error (?:pulling|response from daemon: (?:manifest"
            r"|pull|Get \"?https|toomanyrequests))|toomanyrequests|no matching manifest"
            r"|failed to resolve reference|invalid reference format",
        ),
        signs=(sign("docker said so", r"docker|daemon|image|manifest|registry"),),
        figures=(figure(r"(?P<image>(?:[\w.\-]+/)?vllm[\w\-]*(?:/[\w.\-]+)?:[\w.\-]{1,128})"),),
        any_level=True,
        check="Does the tag exist in the registry? Some vLLM releases have no TPU image.",
        next_step="Pin a tag that exists (better a digest) and start again; on toomanyrequests wait, or use a mirror.",
        source="vllm-project/vllm#30053 (no v0.11.2, v0.12.0 TPU tags), vllm-project/vllm#17114",
    ),
)
