// A log that says nothing, for tests of what is done and not of what is told.
import type { Log } from "../../src/core/ports/log.ts";

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLog,
};
