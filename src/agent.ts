/** The package's `./agent`: the agent core as a library, without the bot. Everything else of `src` is the bot's own. */

export { createNewId, sha256 } from "./adapters/ids.ts";
export { createOpenAiModel } from "./adapters/openai/model.ts";
export type { OpenAiModel } from "./adapters/openai/model.ts";
export type { OpenAiOptions } from "./adapters/openai/options.ts";
export { createSystemClock } from "./adapters/system-clock.ts";
export { drain, type Drained } from "./core/agent/drain.ts";
export { tee } from "./core/agent/event-stream.ts";
export { DEFAULT_LIMITS } from "./core/agent/limits.ts";
export { createLocalLocker, type LocalLocker } from "./core/agent/local-locker.ts";
export { createLocalSession, type LocalSessionDeps } from "./core/agent/local-session.ts";
export type { Limits } from "./core/agent/loop-types.ts";
export { createMemoryHistory } from "./core/agent/memory-history.ts";
export type { RunOptions, SessionOptions } from "./core/agent/session-options.ts";
export { createSession, type Session, type SessionDeps, type SessionInput } from "./core/agent/session.ts";
export { allowAll, defineTool } from "./core/agent/tool.ts";
export type { Effect, GateDecision, Tool, ToolContext, ToolGate, ToolOutput } from "./core/agent/tool.ts";
export type { AssistantEntry, Entry, EntryBody, ToolCall, ToolEntry, UserEntry } from "./core/entry.ts";
export { BobbinError, sentenceFor, type ErrorCode } from "./core/errors.ts";
export type { EndReason, RunEvent, ToolResult } from "./core/events.ts";
export type { Hash, NewId } from "./core/ids.ts";
export type { Part } from "./core/part.ts";
export type { Clock } from "./core/ports/clock.ts";
export type { History } from "./core/ports/history.ts";
export type { Lease, Locked, Locker, LockOptions } from "./core/ports/locker.ts";
export type { Model, ModelEvent, ModelRecord, ModelRequest, Thinking, ToolSpec } from "./core/ports/model.ts";
export type { CallUsage, Usage } from "./core/usage.ts";
