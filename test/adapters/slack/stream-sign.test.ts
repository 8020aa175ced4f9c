// Slack's own sign that the bot works, which a stream brings with it, under a reply that is over before the sign would be said: the clock
// stands still.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSlackSurfaces, type SlackSurfaces } from "../../../src/adapters/slack/surfaces.ts";
import type { PageContent } from "../../../src/core/ports/surface.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";

let world: OutboundWorld;
let clock: ManualClock;
let surfaces: SlackSurfaces;
beforeEach(async () => {
  world = await outboundWorld({ isDirect: true });
  clock = manualClock();
  const pacer = createLocalPacer(clock);
  surfaces = createSlackSurfaces({ api: world.api, pacer, clock, log: silentLog });
});
afterEach(async () => {
  await surfaces.stop();
  expect(clock.waiting).toBe(0);
  expect(world.slack.complaints).toEqual([]);
  expect(world.slack.unusedFaults).toBe(0);
  await world[Symbol.asyncDispose]();
});

const line = (): string => world.slack.statusLine(world.channel, world.root.ts);
const said = (): number => world.slack.callsOf("agents.sessions.setStatus").length;
const beginning: PageContent = {
  markdown: "",
  unhealed: "",
  status: "Thinking",
  buttons: [{ action: "stop", label: "Stop", value: "r1" }],
};

test("goes also where the answer to the beginning of the stream was lost", async () => {
  const surface = surfaces.of(world.session);
  surface.show?.("starting");
  world.slack.fault("chat.startStream", { kind: "lost response" });
  expect(await surface.post("key-1", beginning, undefined, "reply")).toMatchObject({ kind: "unknown" });
  expect(line()).toBe("processing");
  const message = (await surface.find("key-1")) ?? "";
  expect(await surface.edit(message, { markdown: "42", buttons: [] })).toEqual({ kind: "ok", message });
  surface.show?.("idle");
  await until(() => line() === "", { what: "the sign goes" });
  expect(world.texts()).toEqual(["42"]);
});

test("is said as ever where the work goes on after that", async () => {
  const surface = surfaces.of(world.session);
  surface.show?.("starting", "Plans");
  world.slack.fault("chat.startStream", { kind: "lost response" });
  expect(await surface.post("key-1", beginning, undefined, "reply")).toMatchObject({ kind: "unknown" });
  await clock.advance(800);
  await until(() => said() === 1 && clock.waiting === 1, { what: "it is said, and will be refreshed" });
  const message = (await surface.find("key-1")) ?? "";
  expect(await surface.edit(message, { markdown: "42", buttons: [] })).toEqual({ kind: "ok", message });
  surface.show?.("idle");
  await until(() => line() === "", { what: "the sign goes" });
});

test("is no matter where Slack has begun no stream for sure", async () => {
  const surface = surfaces.of(world.session);
  surface.show?.("starting");
  world.slack.fault("chat.startStream", { kind: "refused", error: "invalid_arguments" });
  const posted = await surface.post("key-1", beginning, undefined, "reply");
  if (posted.kind !== "ok") throw new Error(posted.kind);
  expect(await surface.edit(posted.message, { markdown: "42", buttons: [] })).toEqual(posted);
  surface.show?.("idle");
  await surfaces.stop();
  expect(said()).toBe(0);
});
