// A reply in direct messages whose question was deleted before its first sign of life: whatever Slack makes of a stream there, nothing
// stays in the channel itself.
import { afterEach, expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import { stopped } from "../../support/reply-bench.ts";
import type { Fault } from "../../support/slack/faults.ts";
import type { LocalSlackOptions } from "../../support/slack/local-slack.ts";
import { until } from "../../support/until.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";

let world: OutboundWorld;
afterEach(async () => {
  expect(world.strays()).toEqual([]);
  expect(world.texts()).toEqual([]);
  expect(world.slack.complaints).toEqual([]);
  expect(world.slack.unusedFaults).toBe(0);
  await world[Symbol.asyncDispose]();
});

const said = (text: string): RunEvent => ({ kind: "text", text });
const callsOf = (method: string): number => world.slack.callsOf(method).length;
/** A writer that has told Slack to begin a stream. */
async function begun(options: LocalSlackOptions) {
  world = await outboundWorld({ ...options, isDirect: true });
  world.slack.remove(world.root);
  const writer = world.writer("r1", { isNew: true });
  writer.on({ kind: "round", round: 1, state: "start" });
  await until(() => callsOf("chat.startStream") === 1, { what: "a stream is begun" });
  return writer;
}

test("I11: where Slack refuses the stream, the post in its place is taken back", async () => {
  const writer = await begun({ streamBelowDeleted: "refused" });
  writer.on(said("nobody asked"));
  expect(await writer.settle(stopped)).toEqual({ kind: "gone" });
  expect([callsOf("chat.postMessage"), callsOf("chat.delete")]).toEqual([1, 1]);
});

test.each<[string, Fault | undefined]>([
  ["", undefined],
  [", also where the answer to its end was lost", { kind: "lost response" }],
])("I11: where it grows in the channel itself, it is taken back at its end%s", async (_, fault) => {
  const writer = await begun({ streamBelowDeleted: "stray" });
  if (fault !== undefined) world.slack.fault("chat.stopStream", fault);
  await until(() => world.strays().length === 1, { what: "it grows in the channel" });
  writer.on(said("nobody asked"));
  expect(await writer.settle(stopped)).toEqual({ kind: "gone" });
  expect([callsOf("chat.postMessage"), callsOf("chat.update"), callsOf("chat.delete")]).toEqual([0, 0, 1]);
});

test("I11: and where Slack ends it by itself, it is taken back then", async () => {
  let ahead = 0;
  const writer = await begun({ streamBelowDeleted: "stray", nowMs: () => Date.now() + ahead });
  await until(() => world.strays().length === 1, { what: "it grows in the channel" });
  ahead = 5 * 60_000;
  writer.on(said("nobody asked"));
  await until(() => callsOf("chat.delete") === 1, { what: "it is taken back" });
  expect(await writer.settle(stopped)).toEqual({ kind: "gone" });
  expect([callsOf("chat.postMessage"), callsOf("chat.update")]).toEqual([0, 0]);
});

test("I11: and its removal is tried again", async () => {
  const writer = await begun({ streamBelowDeleted: "stray" });
  world.slack.fault("chat.delete", { kind: "rate limited", retryAfterS: 1 });
  writer.on(said("nobody asked"));
  expect(await writer.settle(stopped)).toEqual({ kind: "gone" });
});
