"""The 33 tools of the public MCP server that this bot grew from, and what became of each."""

from collections.abc import Mapping

OLD_TOOLS = (
    *("get_system_status", "analyze_cloud_logging", "get_vllm_docker_logs", "get_tpu_system_logs", "get_cloud_logging_logs"),
    *("get_metrics", "verify_model_health", "get_model_details", "get_active_models", "get_model_show_details"),
    *("get_vllm_endpoint", "get_deployed_endpoint", "list_queued_resources", "describe_queued_resource", "status_v6e4"),
    *("check_tpu_availability", "get_reservation_status", "start_v6e4", "stop_v6e4", "get_zones_with_available_quota"),
    *("find_tpu", "create_tpu_queued_resource", "destroy_queued_resource", "manage_queued_resource", "manage_vllm_docker"),
    *("get_vllm_deployment_config", "get_vllm_tpu_deployment_config", "save_hf_token", "query_queued_gemma4"),
    *("query_queued_gemma4_with_stats", "run_vllm_benchmark", "estimate_deployment_cost", "get_help"),
)
"""Their names, in the order of the words that replace them."""

COMING: Mapping[str, str] = {
    "run_vllm_benchmark": "bench",
}
"""Those that no operation replaces yet, with the word that will. This list may only shrink."""
