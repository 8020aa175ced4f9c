/**
 * The log: one JSON line for each message (a readable one on a terminal), with secrets masked in the finished line, so
 * that none gets past in a message, a nested fact, a stack or a URL. What is logged of an error is its kind, code, facts
 * and causes, never the request or the response that libraries hang on it.
 */
import { pino } from "pino";
import { maskEntropy } from "../core/mask-entropy.ts";
import { maskerOf, type KnownSecrets } from "../core/mask.ts";
import type { Facts, Log } from "../core/ports/log.ts";

export interface LogOptions {
  /** The least level that is written; `silent` writes nothing. */
  readonly level: LogLevel;
  /** Values that may never be written; more of them may become known later. */
  readonly secrets: readonly string[] | KnownSecrets;
  /** `text` is for people at a terminal; `json` unless said. */
  readonly form?: "json" | "text";
}

export interface LogDeps {
  /** Takes one line with its line end. Must not throw. */
  readonly write: (line: string) => void;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Never throws, also not for facts that cannot be written as JSON. */
export function createLog({ write }: LogDeps, { level, secrets, form = "json" }: LogOptions): Log {
  const mask = "learn" in secrets ? (line: string) => secrets.mask(line) : maskerOf(secrets);
  const shape = form === "text" ? readable : (line: string) => line;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Facts arrive here as plain values already; pino's own error serializer would add what errors carry around.
      serializers: {},
    },
    { write: (line: string) => write(maskEntropy(mask(shape(line)))) },
  );
  return logOver(() => logger);
}

type Logger = Pick<ReturnType<typeof pino>, "debug" | "info" | "warn" | "error" | "isLevelEnabled"> & {
  child(bindings: Record<string, unknown>): Logger;
};

/** @param loggerOf is asked when a line comes: most logs with facts of their own never write one. */
function logOver(loggerOf: () => Logger): Log {
  const at =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, facts?: Facts): void => {
      const logger = loggerOf();
      if (!logger.isLevelEnabled(level)) return;
      logger[level](facts === undefined ? {} : plainFacts(facts), message);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with(facts) {
      let child: Logger | undefined;
      return logOver(() => (child ??= loggerOf().child(plainFacts(facts))));
    },
  };
}

/** The names that pino gives to its own fields. */
const TAKEN = new Set(["level", "time", "msg"]);

function plainFacts(facts: Facts): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(readableFacts(facts)))
    plain[TAKEN.has(name) ? `${name}_` : name] = plainOf(value, 0);
  return plain;
}

/** The facts themselves may have a getter that throws; then the message is written without them. */
function readableFacts(facts: Facts): Facts {
  try {
    return { ...facts };
  } catch {
    return { facts: "[unreadable]" };
  }
}

const DEEPEST = 6;

/** A copy that JSON can hold: errors by their facts, no getters that throw, no cycles (too deep is cut). */
function plainOf(value: unknown, depth: number): unknown {
  if (typeof value === "bigint" || typeof value === "symbol") return value.toString();
  if (typeof value === "function") return `[function ${value.name}]`;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "[deeper]";
  try {
    if (value instanceof Error) return plainError(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
    if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
    if (value instanceof Set) return [...value].map((item) => plainOf(item, depth + 1));
    if (value instanceof Map) return plainOf(Object.fromEntries(value), depth);
    if (Array.isArray(value)) return value.map((item) => plainOf(item, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainOf(item, depth + 1)]));
  } catch {
    return "[unreadable]";
  }
}

function plainError(error: Error, depth: number): Record<string, unknown> {
  const { code, status, facts } = error as Error & { code?: unknown; status?: unknown; facts?: unknown };
  return {
    name: error.name,
    message: error.message,
    ...(isScalar(code) ? { code } : {}),
    ...(isScalar(status) ? { status } : {}),
    ...(typeof facts === "object" && facts !== null ? { facts: plainOf(facts, depth + 1) } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack.replace(/^.*?\n(?= {4}at )/s, "") }),
    ...(error.cause === undefined ? {} : { cause: plainOf(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: plainOf(error.errors, depth + 1) } : {}),
  };
}

function isScalar(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function readable(line: string): string {
  const { level, time, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 19);
  const rest = Object.entries(facts).map(([name, value]) => {
    if (typeof value === "string" && /^[^\s"=]+$/.test(value)) return ` ${name}=${value}`;
    return ` ${name}=${JSON.stringify(value)}`;
  });
  return `${clock} ${String(level).padEnd(5)} ${String(msg)}${rest.join("")}\n`;
}
