/** What a database throws, as one of our errors where it says something about the store and not about the statement. */

import { BobbinError } from "../../core/errors.ts";

/**
 * SQLSTATEs that say "not now": connection trouble, shutting down, no memory or connection left, cancelled by a timeout, failover,
 * what the server's own system refuses it. What a statement asks for (22, 23, 42) is wrong at any time.
 */
const UNAVAILABLE = /^(?:08...|53...|58...|57P0[1-5]|57014|25006|40001|40P01|55P03|25P03)$/;
/** Where the system's own word is all there is: a quota, a file that may not grow, PGlite's file system. */
const FULL_TEXT = /no space left on device|disk quota exceeded|file too large/i;
/** A word of the system's, and none of Node's own (`ERR_…`): the connection's, or that of the files of an embedded database. */
const SYSTEM = /^E(?!RR_)[A-Z][A-Z0-9_]+$/;
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
    SYSTEM.test(code) ||
    isOfProxy(thrown, code) ||
    DRIVER.test(thrown.message) ||
    (thrown instanceof AggregateError && thrown.errors.some((one) => toStoreError(one) !== one));
  if (!isTrouble) return thrown;
  return new BobbinError("store_unavailable", "the database cannot be reached", {
    retryable: true,
    facts,
    cause: thrown,
  });
}

/** A fault of Postgres' own says where in its source it is; a proxy that has lost its server says the same code and no place. */
function isOfProxy(thrown: Error, code: string): boolean {
  return code === "XX000" && !("routine" in thrown && typeof thrown.routine === "string");
}
