/** Event type literals, each written once. Other packages name types through these constants. */
export const AGENT_CREATED = "agent/created";
export const AGENT_CONFIGURED = "agent/configured";
export const CONTEXT_ADDED = "agents/context-added";
export const CONTEXT_REWRITTEN = "agents/context-rewritten";
export const LLM_REQUEST_REQUESTED = "agent/llm-request-requested";
export const LLM_REQUEST_SETTLED = "agent/llm-request-settled";
export const TOKEN_USAGE_REPORTED = "agent/token-usage-reported";
export const SUMMARY_UPDATED = "agent/summary-updated";
export const AGENT_PAUSED = "agent/paused";
export const AGENT_RESUMED = "agent/resumed";
export const SCRIPT_RUN_REQUESTED = "capability-host/script-run-requested";
export const SCRIPT_RUN_SETTLED = "capability-host/script-run-settled";
