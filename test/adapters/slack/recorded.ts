// Events as Slack sends them, by name; each call gives a copy that a test may change.
import { readFileSync } from "node:fs";
import type { SlackBot } from "../../../src/adapters/slack/identity.ts";
import { fieldsOf, type Payload } from "../../../src/adapters/slack/payload.ts";

const file = new URL("../../fixtures/slack/events.json", import.meta.url);
const events = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Payload>>;

export const bot: SlackBot = { space: "T1", user: "UBOT", bot: "BBOT", name: "Bobbin" };

export const recordedNames: readonly string[] = Object.keys(events);

/** @param more fields of the inner event that are different. */
export function recorded(name: string, more: Payload = {}): Payload {
  const envelope = events[name];
  if (envelope === undefined) throw new Error(`no recorded event is called ${name}`);
  const copy = structuredClone(envelope);
  return "event" in copy ? { ...copy, event: { ...fieldsOf(copy["event"]), ...more } } : copy;
}
