// Slack's own sign that the bot works in a thread, through the real reply writer.
import { afterEach, describe, expect, test } from "vitest";
import { createSlackApi } from "../../../src/adapters/slack/api.ts";
import { methodBudget } from "../../../src/adapters/slack/budgets.ts";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { SlackStatus } from "../../../src/adapters/slack/status.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { roundOf, stopped } from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";

const started: RunEvent = { kind: "round", round: 1, state: "start" };
const line = (world: OutboundWorld): string => world.slack.statusLine(world.channel, world.root);
const lines = (world: OutboundWorld): readonly string[] =>
  world.slack.statusHistory(world.channel, world.root);
const reads = (world: OutboundWorld, what: string) =>
  until(() => line(world) === what, { what: `the line reads ${JSON.stringify(what)}` });

const said = (): number => world.slack.callsOf("agents.sessions.setStatus").length;
/** Threads of the channel beside the world's own. */
const threads = (count: number) =>
  Array.from({ length: count }, () => {
    const { ts } = world.ana.say(world.channel, "hello");
    return `slack:${world.slack.teamId}:${world.channel.id}:${ts}` as typeof world.session;
  });

let world: OutboundWorld;
afterEach(async () => {
  expect(world.slack.complaints).toEqual([]);
  await world[Symbol.asyncDispose]();
});

describe("the status of a thread", () => {
  test("pitfall 19: says that the bot works, and is gone when the reply has settled", async () => {
    world = await outboundWorld();
    const writer = world.writer();
    writer.on(started);
    await reads(world, "processing");
    for (const event of roundOf(1, "done").slice(1)) writer.on(event);
    await writer.settle(stopped);
    await reads(world, "");
    expect(lines(world)).toEqual(["processing", ""]);
    expect(world.slack.callsOf("agents.sessions.setStatus")).toHaveLength(2);
  });

  test("names the thread in Slack's list of sessions, as people name it later, and closes it where it begins anew", async () => {
    world = await outboundWorld();
    const session = () => world.slack.sessionShown(world.channel, world.root);
    const { status } = world.surfaces;
    // What Slack knows as no session keeps its name, without noise.
    await status.rename(world.session, "Too early");
    status.show(world.session, "working", "Plans: spring");
    await until(() => session()?.status === "processing", { what: "it works" });
    expect(session()?.title).toBe("Plans_ spring");
    await status.rename(world.session, "Plans for autumn");
    expect(session()?.title).toBe("Plans for autumn");
    // What is said anew while it works says the newest name.
    status.show(world.session, "waiting");
    await until(() => session()?.status === "suspended", { what: "it waits" });
    status.show(world.session, "working", "Plans: spring");
    await until(() => session()?.status === "processing", { what: "it works again" });
    status.show(world.session, "idle");
    await until(() => session()?.status === "active", { what: "it rests" });
    status.show(world.session, "closed");
    await until(() => session()?.status === "closed", { what: "it is closed" });
    await status.stop();
  });

  test("says that the bot waits for a person, where it does", async () => {
    world = await outboundWorld();
    const writer = world.writer();
    writer.on(started);
    await reads(world, "processing");
    await writer.settle({ ...stopped, reason: "waiting" });
    await reads(world, "suspended");
  });

  test("stays when another attempt goes on, and goes with that one", async () => {
    world = await outboundWorld();
    const first = world.writer();
    first.on(started);
    await reads(world, "processing");
    await first.stop();
    expect(line(world)).toBe("processing");
    const second = world.writer("r1", { fenceNumber: 2 });
    for (const event of roundOf(1, "done")) second.on(event);
    await second.settle(stopped);
    await reads(world, "");
  });

  test("is the older one where the app is no agent, and that is asked once for the install", async () => {
    world = await outboundWorld({ isAgent: false });
    for (const name of ["r1", "r2"]) {
      const writer = world.writer(name);
      writer.on(started);
      await until(() => world.slack.callsOf("assistant.threads.setStatus").length > 0, {
        what: "it is said",
      });
      for (const event of roundOf(1, name).slice(1)) writer.on(event);
      await writer.settle(stopped);
    }
    await reads(world, "");
    expect(world.slack.callsOf("agents.sessions.setStatus")).toHaveLength(1);
    expect(world.texts()).toHaveLength(2);
  });

  test("pitfall 19: that Slack does not take is no trouble for the reply, and a sign that has to go is tried again", async () => {
    world = await outboundWorld();
    const writer = world.writer();
    writer.on(started);
    await reads(world, "processing");
    world.slack.fault("agents.sessions.setStatus", { kind: "status", status: 500 });
    world.slack.fault("agents.sessions.setStatus", { kind: "lost response" });
    for (const event of roundOf(1, "done").slice(1)) writer.on(event);
    expect(await writer.settle(stopped)).toEqual({ kind: "settled" });
    await reads(world, "");
    await until(() => world.slack.unusedFaults === 0, { what: "it was tried again" });
  });

  test("is said again before Slack forgets it, and only as long as the work goes on", async () => {
    world = await outboundWorld();
    const clock = manualClock();
    const status = new SlackStatus({ api: world.api, pacer: createLocalPacer(clock), clock, log: silentLog });
    const times = (count: number) =>
      until(() => world.slack.callsOf("agents.sessions.setStatus").length === count && clock.waiting > 0, {
        what: `it was said ${count} times`,
      });
    status.show(world.session, "working");
    await times(1);
    await clock.advance(31 * 60_000);
    await times(2);
    status.show(world.session, "idle");
    await reads(world, "");
    await status.stop();
    expect(clock.waiting).toBe(0);
  });

  test("that the bot works is not said where Slack takes no more of it, and that it does no more always is", async () => {
    world = await outboundWorld();
    const clock = manualClock();
    const pacer = createLocalPacer(clock);
    const status = new SlackStatus({ api: world.api, pacer, clock, log: silentLog });
    const twelve = threads(12);
    for (const session of twelve) status.show(session, "starting");
    await clock.advance(800);
    await until(() => said() === 8, { what: "there is room for eight" });
    for (const session of twelve) status.show(session, "idle");
    await until(() => said() === 16, { what: "eight signs are taken away, and no other" });
    await status.stop();
    expect(clock.waiting).toBe(0);
    expect(
      await pacer.take(methodBudget(world.slack.teamId, "agents.sessions.setStatus"), {
        who: "next",
        urgency: "final",
      }),
    ).toBe(0);
  });

  describe("that has to go", () => {
    /** A status on a clock of the test's, under which all of these threads work. */
    async function working(count: number, mostGoing?: number) {
      world = await outboundWorld();
      const clock = manualClock();
      const { app, slackApiUrl } = world.slack;
      const api = createSlackApi({ clock }, { token: app.botToken, apiUrl: slackApiUrl });
      const deps = { api, pacer: createLocalPacer(clock), clock, log: silentLog };
      const status = new SlackStatus(deps, mostGoing);
      const sessions = threads(count);
      for (const session of sessions) status.show(session, "working");
      await until(() => said() === count && clock.waiting === count, { what: "all work" });
      const shown = () =>
        sessions.map((session) => world.slack.statusLine(world.channel, session.split(":").at(-1) ?? ""));
      const ends = () => sessions.forEach((session) => status.show(session, "idle"));
      return { clock, status, shown, ends };
    }

    test.each(["internal_error", "fatal_error", "service_unavailable", "request_timeout", "token_revoked"])(
      "goes after a refusal that passes: %s",
      async (error) => {
        const { clock, status, shown, ends } = await working(1);
        world.slack.fault("agents.sessions.setStatus", { kind: "refused", error });
        ends();
        await until(() => said() === 2 && clock.waiting === 1, { what: "it is to be tried again" });
        expect(shown()).toEqual(["processing"]);
        await clock.advance(500);
        await until(() => shown()[0] === "", { what: "it has gone" });
        await status.stop();
        expect(clock.waiting).toBe(0);
      },
    );

    test("stays where Slack will never take it away, and is not tried again", async () => {
      const { clock, status, ends } = await working(1);
      world.slack.fault("agents.sessions.setStatus", { kind: "refused", error: "channel_not_found" });
      ends();
      await until(() => said() === 2, { what: "it is said" });
      await status.stop();
      expect(clock.waiting).toBe(0);
    });

    test("is tried to be taken away ever more rarely for as long as Slack is away", async () => {
      const { clock, status, shown, ends } = await working(1);
      world.slack.fault("agents.sessions.setStatus", { kind: "unreachable" }, { times: 11 });
      ends();
      for (let tries = 1; tries <= 11; tries++) {
        await until(() => said() === 1 + tries && clock.waiting === 1, { what: `try ${tries} has failed` });
        const pauseMs = Math.min(120_000, 500 * 2 ** (tries - 1));
        await clock.advance(pauseMs - 1);
        expect(clock.waiting).toBe(1);
        await clock.advance(1);
      }
      await until(() => shown()[0] === "", { what: "it has gone" });
      await status.stop();
      expect(clock.waiting).toBe(0);
    });

    test("leaves no timer behind when nothing is to be said any more", async () => {
      const { clock, status, ends } = await working(1);
      world.slack.fault("agents.sessions.setStatus", { kind: "status", status: 503 });
      ends();
      await until(() => said() === 2 && clock.waiting === 1, { what: "it is to be tried again" });
      await status.stop();
      expect(clock.waiting).toBe(0);
      await clock.advance(3_600_000);
      expect(said()).toBe(2);
    });

    test("is tried again in so many threads only", async () => {
      const { clock, status, shown, ends } = await working(3, 2);
      world.slack.fault("agents.sessions.setStatus", { kind: "status", status: 503 }, { times: 3 });
      ends();
      await until(() => said() === 6 && clock.waiting === 2, { what: "two are to be tried again" });
      await clock.advance(500);
      await until(() => shown().filter((one) => one === "").length === 2, { what: "two have gone" });
      expect(shown().toSorted()).toEqual(["", "", "processing"]);
      await status.stop();
      expect([said(), clock.waiting]).toEqual([8, 0]);
    });
  });

  describe("for work that has just begun", () => {
    async function begun() {
      world = await outboundWorld();
      const clock = manualClock();
      const status = new SlackStatus({
        api: world.api,
        pacer: createLocalPacer(clock),
        clock,
        log: silentLog,
      });
      status.show(world.session, "starting");
      expect(clock.waiting).toBe(1);
      return { clock, status };
    }

    test("is never said where it is over in a moment", async () => {
      const { clock, status } = await begun();
      status.show(world.session, "idle");
      expect(clock.waiting).toBe(0);
      await clock.advance(60_000);
      await status.stop();
      expect(said()).toBe(0);
    });

    test("is said within a second where it goes on, and goes with it", async () => {
      const { clock, status } = await begun();
      await clock.advance(999);
      await reads(world, "processing");
      status.show(world.session, "idle");
      await reads(world, "");
      await status.stop();
    });

    test("says at once that it waits for a person", async () => {
      const { status } = await begun();
      status.show(world.session, "waiting");
      await reads(world, "suspended");
      await status.stop();
    });

    test("goes at once where an attempt before may have said it", async () => {
      world = await outboundWorld();
      const first = world.writer("r1", { isNew: true });
      first.on(started);
      await reads(world, "processing");
      await first.stop();
      const second = world.writer("r1", { fenceNumber: 2 });
      for (const event of roundOf(1, "done")) second.on(event);
      await second.settle(stopped);
      await reads(world, "");
    });
  });
});
