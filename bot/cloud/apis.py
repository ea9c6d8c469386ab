"""Google's services by host, with the role that a person must give the bot for each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Api:
    """One REST service. `role` is what the bot's service account needs there, as it stands in Google's console and in IAM."""

    host: str
    title: str
    role: str


TPU_VIEW = Api("tpu.googleapis.com", "Cloud TPU API", "TPU Viewer (roles/tpu.viewer)")
TPU = Api("tpu.googleapis.com", "Cloud TPU API", "TPU Admin (roles/tpu.admin)")
QUOTAS = Api("cloudquotas.googleapis.com", "Cloud Quotas API", "Cloud Quotas Viewer (roles/cloudquotas.viewer)")
BILLING = Api(
    "cloudbilling.googleapis.com", "Cloud Billing API", "Service Usage Consumer (roles/serviceusage.serviceUsageConsumer)"
)
SECRETS = Api("secretmanager.googleapis.com", "Secret Manager API", "Secret Manager Admin (roles/secretmanager.admin)")
SECRETS_READ = Api(
    "secretmanager.googleapis.com", "Secret Manager API", "Secret Manager Secret Accessor (roles/secretmanager.secretAccessor)"
)
LOGGING = Api("logging.googleapis.com", "Cloud Logging API", "Logs Viewer (roles/logging.viewer)")
"""Roles as Google's IAM reference names them; all but TPU Viewer from memory, not tried against the real services."""
