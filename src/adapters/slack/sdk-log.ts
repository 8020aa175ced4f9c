/** Slack's SDKs write into our log. Their debug lines hold whole messages, which belong to people, and are dropped. */

import { LogLevel, type Logger } from "@slack/bolt";
import type { Log } from "../../core/ports/log.ts";

export function sdkLogger(log: Log): Logger {
  const line =
    (write: (message: string, facts: { readonly said: string }) => void) =>
    (...said: readonly unknown[]): void =>
      write("a word of Slack's SDK", { said: said.map(String).join(" ") });
  return {
    debug: () => undefined,
    info: line(log.debug),
    warn: line(log.warn),
    error: line(log.warn),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
