/**
 * The closed set of errors. A code says whose fault it is; `facts` hold what is needed to act and never a secret.
 * People read `sentenceFor`, never a message or a stack.
 */

export type ErrorCode =
  /** The model's provider refused our key (401, 403). */
  | "model_auth"
  /** 429, after the bounded retries. */
  | "model_rate_limited"
  /** 5xx, connection refused or cut, after the bounded retries. */
  | "model_unavailable"
  /** 4xx that will not change by asking again. */
  | "model_refused"
  /** What the provider sent is the beginning of an answer of which it held the rest back. */
  | "model_filtered"
  /** The answer was not what the protocol allows. */
  | "model_garbage"
  /** The stream ended without an end, after the bounded retries. */
  | "model_cut"
  /** No connection, no byte or no data within the limit. */
  | "model_timeout"
  /** The request was larger than the model's window. */
  | "context_length"
  | "store_unavailable"
  | "store_full"
  /** A write of an attempt that another has replaced. Ends the attempt as `lost`, quietly. */
  | "stale_fence"
  | "lock_failed"
  | "lease_lost"
  | "history_failed"
  | "attempts_used_up"
  /** A chat platform cannot be reached, or does not answer as it should. */
  | "platform_unavailable"
  /** A chat platform does not take our token. */
  | "platform_refused"
  /** A fault of our own. */
  | "panic";

export interface ErrorOptions {
  /** Asking again later, unchanged, may work. */
  readonly retryable?: boolean;
  readonly facts?: Readonly<Record<string, string | number | boolean>>;
  readonly cause?: unknown;
}

export class BobbinError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly facts: Readonly<Record<string, string | number | boolean>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "BobbinError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.facts = options.facts ?? {};
  }
}

/** Wraps whatever was thrown; one of ours passes unchanged. */
export function toBobbinError(thrown: unknown, code: ErrorCode = "panic"): BobbinError {
  if (thrown instanceof BobbinError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new BobbinError(code, message, { cause: thrown });
}

export function isStaleFence(thrown: unknown): boolean {
  return thrown instanceof BobbinError && thrown.code === "stale_fence";
}

/** The platform does not take our token: nothing is done there before it is given another one. */
export function isPlatformRefused(thrown: unknown): boolean {
  return thrown instanceof BobbinError && thrown.code === "platform_refused";
}

/** Why a look for a post of ours found out nothing. @param isBarred the platform does not take our token. */
export function notSearched(why: string, isBarred: boolean): BobbinError {
  const code = isBarred ? "platform_refused" : "platform_unavailable";
  return new BobbinError(code, `it could not be searched: ${why}`);
}

/** The store cannot be used now; what was not stored is not lost, it has to be done again. */
export function isStoreTrouble(thrown: unknown): thrown is BobbinError {
  return (
    thrown instanceof BobbinError && (thrown.code === "store_unavailable" || thrown.code === "store_full")
  );
}

const SENTENCES: Readonly<Record<ErrorCode, string>> = {
  model_auth: "The model's provider does not accept the bot's key. An admin has to check it.",
  model_rate_limited:
    "The model's provider is limiting requests at the moment. Please try again in a minute.",
  model_unavailable: "The model's provider cannot be reached at the moment. Please try again.",
  model_refused: "The model's provider refused the request.",
  model_filtered: "The model's provider held the rest of this answer back.",
  model_garbage: "The model's provider sent an answer that makes no sense. Please try again.",
  model_cut: "The model's answer broke off several times. Please try again.",
  model_timeout: "The model did not answer in time. Please try again.",
  context_length: "This thread has become too long for the model. Use reset to begin anew.",
  store_unavailable: "The bot's database cannot be reached at the moment.",
  store_full: "The bot's database has no room left. An admin has to make some.",
  stale_fence: "Another worker has taken over this answer.",
  lock_failed: "The bot could not reserve this thread. Please try again.",
  lease_lost: "The worker lost its reservation of this thread.",
  history_failed: "The thread's history could not be read or written. Please try again.",
  attempts_used_up: "The bot was interrupted too many times while it worked on this, so it gave up.",
  platform_unavailable: "The chat platform cannot be reached at the moment.",
  platform_refused: "The chat platform does not accept the bot's token. An admin has to check it.",
  panic: "Something went wrong inside the bot. Please try again.",
};

/** One plain sentence for people: no code, no address, no payload. */
export function sentenceFor(error: BobbinError): string {
  return SENTENCES[error.code];
}

/** Nothing can be stored or asked just now, whatever it is of. */
export function isStoreAway(thrown: unknown): boolean {
  const { code } = toBobbinError(thrown);
  return code === "store_unavailable" || code === "store_full";
}
