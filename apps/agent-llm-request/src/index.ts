export { runAgents, type RunAgentsOptions, SCRIPT_PROCESSOR, TURN_PROCESSOR } from "./run-agents.ts";
export { type AgentBirth, birthEvents, BIRTH_WINDOW_MS } from "./birth-events.ts";
export {
  type AgentProblem,
  DEFAULT_AGENTS_PREFIX,
  followAgents,
  type FollowAgentsOptions,
  type WorkerOptions,
} from "./follow-agents.ts";
export {
  type AgentHandler,
  composeHandlers,
  type FollowedAgent,
  type ObservedEvent,
} from "./agent-handler.ts";
export { ScriptLoop, type ScriptLoopOptions } from "./scripts/script-loop.ts";
export { type RequestedScript, sandboxRunner, type ScriptRunner } from "./scripts/script-runner.ts";
export type { CacheListener, CacheReport } from "./turns/cache-watch.ts";
export { TurnLoop, type TurnLoopOptions } from "./turns/turn-loop.ts";
export {
  type ModelAdapter,
  type ModelCall,
  type ModelReply,
  type ModelUsage,
  UNNAMED_MODEL,
} from "./models/model.ts";
export {
  DEFAULT_OPENAI_MODEL,
  openAiChatModel,
  type OpenAiChatModelOptions,
} from "./models/openai-chat-model.ts";
export { CompactionError } from "./compaction/compaction-error.ts";
export { ModelCallError } from "./models/model-call-error.ts";
export { UnsupportedMappingError } from "./models/unsupported-mapping-error.ts";
export { type ReplyScript, scriptedModel } from "./models/scripted-model.ts";
export { type Scheduler, systemScheduler } from "./scheduler.ts";
