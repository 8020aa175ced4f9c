/** What a database throws, as one of our errors where it says something about the store and not about the statement. */

import { BobbinError } from "../../core/errors.ts";

/** SQLSTATEs that say "not now": connection trouble, shutting down, no free connection, cancelled by a timeout, failover. */
const UNAVAILABLE = /^(?:08...|57P0[1-5]|57014|53300|53400|25006|40001|40P01|55P03|25P03)$/;
/** Where the system's own word is all there is: a quota, a file that may not grow, PGlite's file system. */
const FULL_TEXT = /no space left on device|disk quota exceeded|file too large/i;
const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);
/** What the driver says where it has no code. */
const DRIVER =
  /connection (?:terminated|ended)|timeout exceeded when trying to connect|timeout expired|query read timeout|client has encountered a connection error|cannot use a pool after|not queryable|pglite is closed/i;

/** A BobbinError for trouble with the store; anything else comes back unchanged. */
export function toStoreError(thrown: unknown): unknown {
  if (thrown instanceof BobbinError || !(thrown instanceof Error)) return thrown;
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  const facts = code === "" ? {} : { sqlState: code };
  if (code === "53100" || code === "ENOSPC" || FULL_TEXT.test(thrown.message)) {
    return new BobbinError("store_full", "the database has no room left", {
      retryable: true,
      facts,
      cause: thrown,
    });
  }
  const isTrouble =
    UNAVAILABLE.test(code) ||
    NETWORK.has(code) ||
    DRIVER.test(thrown.message) ||
    (thrown instanceof AggregateError && thrown.errors.some((one) => toStoreError(one) !== one));
  if (!isTrouble) return thrown;
  return new BobbinError("store_unavailable", "the database cannot be reached", {
    retryable: true,
    facts,
    cause: thrown,
  });
}
