// The sign that the bot types: for as long as an answer was begun and nothing of it stands, and never below it.
import { expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { REQUESTS } from "../../../src/adapters/discord/budgets.ts";
import type { Pacer } from "../../../src/core/ports/pacer.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";
import { outboundWorld } from "./outbound-world.ts";

const TYPING = "POST /channels/:channel/typing";
const page = { markdown: "Thinking…", buttons: [] };

/** @param isOpen something stands in the thread already. */
async function openWorld({ isOpen = true } = {}) {
  const clock = manualClock();
  const local = createLocalPacer(clock);
  const left: string[] = [];
  const pacer: Pacer = {
    ...local,
    leave(budget, who) {
      left.push(who);
      return local.leave(budget, who);
    },
  };
  const world = await outboundWorld({ clock, pacer });
  if (isOpen) await world.another().post("old", page);
  const typed = () => world.discord.callsOf(TYPING).length;
  return {
    ...world,
    clock,
    pacer,
    left,
    typed,
    isTyping: () => world.discord.isTyping(world.root.id),
    async hasTyped(times: number) {
      await until(() => typed() === times, { what: `the bot has typed ${times} times` });
      // The next one is planned when the answer is there.
      await until(() => clock.waiting > 0, { what: "it goes on" });
    },
  };
}

test("it types anew every eight seconds until its first page stands, and not once more", async () => {
  await using world = await openWorld();
  const { clock, surface } = world;
  surface.show?.("starting");
  await clock.advance(199);
  expect(world.typed()).toBe(0);
  await clock.advance(1);
  await world.hasTyped(1);
  expect(world.isTyping()).toBe(true);
  await clock.advance(8_000);
  await world.hasTyped(2);
  const written = await surface.post("new", page);
  expect(world.isTyping()).toBe(false);
  if (written.kind === "ok") await surface.edit(written.message, { markdown: "All of it.", buttons: [] });
  await clock.advance(60_000);
  surface.show?.("idle");
  expect(clock.waiting).toBe(0);
  expect(world.typed()).toBe(2);
});

test("a page that is there at once needs no such sign", async () => {
  await using world = await openWorld();
  const { clock, surface } = world;
  surface.show?.("starting");
  await surface.post("new", page);
  await clock.advance(60_000);
  expect(clock.waiting).toBe(0);
  expect(world.typed()).toBe(0);
});

test.each(["idle", "waiting", "left"] as const)(
  "it ends with the work (%s), also where no page came",
  async (presence) => {
    await using world = await openWorld();
    const { clock, surface } = world;
    surface.show?.("starting");
    await clock.advance(200);
    await world.hasTyped(1);
    surface.show?.(presence);
    expect(clock.waiting).toBe(0);
    await clock.advance(60_000);
    expect(world.typed()).toBe(1);
  },
);

test("it ends by itself after five minutes, whoever forgets to end it", async () => {
  await using world = await openWorld();
  const { clock, surface } = world;
  surface.show?.("starting");
  await clock.advance(200);
  await world.hasTyped(1);
  for (let passed = 0; passed < 300_000; passed += 8_000) {
    await until(() => clock.waiting === 1, { what: "it goes on" });
    await clock.advance(8_000);
  }
  await until(() => clock.waiting === 0, { what: "it is over" });
});

test("a page waits for a sign that is under way, so that it ends it, and for no longer than half a second", async () => {
  await using world = await openWorld();
  const { clock, surface, discord } = world;
  for (const isQuick of [true, false]) {
    const arrives = Promise.withResolvers<void>();
    discord.fault(TYPING, { kind: "late", until: arrives.promise });
    const before = world.typed();
    const shown = world.shown().length;
    surface.show?.("starting");
    await clock.advance(200);
    await until(() => discord.unusedFaults === 0, { what: "the sign is under way" });
    const posting = surface.post(`new ${isQuick}`, page);
    await clock.advance(499);
    expect(world.shown()).toHaveLength(shown);
    if (isQuick) arrives.resolve();
    else await clock.advance(1);
    expect((await posting).kind).toBe("ok");
    expect(world.isTyping()).toBe(false);
    arrives.resolve();
    await until(() => world.typed() === before + 1, { what: "the sign has arrived" });
    await clock.advance(60_000);
    expect(clock.waiting).toBe(0);
  }
});

test("where there is no thread yet it is tried once", async () => {
  await using world = await openWorld({ isOpen: false });
  const { clock, surface, discord } = world;
  surface.show?.("starting");
  await clock.advance(200);
  await until(() => world.typed() === 1, { what: "it was tried" });
  await until(() => clock.waiting === 0, { what: "it is over" });
  await surface.post("new", page);
  expect(discord.callsOf(TYPING).map(({ status }) => status)).toEqual([404]);
});

test("a page that is not taken just now is still waited for; what others write comes first, and nobody waits behind a sign", async () => {
  await using world = await openWorld();
  const { clock, surface, discord, pacer, left } = world;
  surface.show?.("starting");
  discord.fault("POST /channels/:channel/messages", { kind: "rate limited", retryAfterS: 1 });
  expect((await surface.post("new", page)).kind).toBe("later");
  await pacer.hold(REQUESTS, 5_000);
  await clock.advance(200);
  expect(world.typed()).toBe(0);
  expect(left).toEqual([`${world.session} typing`]);
  await clock.advance(8_000);
  await world.hasTyped(1);
  surface.show?.("idle");
});

test("a page whose answer was lost ends it as soon as it is found or changed", async () => {
  for (const how of ["found", "changed"] as const) {
    await using world = await openWorld();
    const { clock, surface, discord } = world;
    surface.show?.("starting");
    discord.fault("POST /channels/:channel/messages", { kind: "lost response" });
    expect((await surface.post("new", page)).kind).toBe("unknown");
    const typed = world.typed();
    if (how === "found") expect(await surface.find("new", { since: 0, page })).toBeDefined();
    else await surface.edit(world.shown().at(-1)?.id ?? "", page);
    await clock.advance(60_000);
    expect(clock.waiting).toBe(0);
    expect(world.typed()).toBe(typed);
  }
});
