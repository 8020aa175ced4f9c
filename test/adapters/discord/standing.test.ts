// Whether a goal may go on on Discord: asked of the real REST of the local Discord.
import { expect, test } from "vitest";
import { createDiscordStanding } from "../../../src/adapters/discord/standing.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { outboundWorld } from "./outbound-world.ts";

/** @param hasShown whether a page of ours was ever stored for the thread. */
async function world(nowMs: () => number = Date.now, hasShown = true) {
  const w = await outboundWorld({ nowMs });
  const clock = manualClock();
  const places = { hasShown: async () => hasShown };
  const standingOf = createDiscordStanding({ api: w.api, places, clock });
  const owner = { id: w.ana.id, name: "Ana" };
  const look = async (turns = 1) => {
    await clock.advance(60_000);
    return standingOf(w.session, { owner, turns });
  };
  const page = { markdown: "Step one.", buttons: [] };
  return { ...w, clock, places, look, page, [Symbol.asyncDispose]: () => w[Symbol.asyncDispose]() };
}

test("an owner who is in the server is told with their roles, as they are now", async () => {
  await using w = await world();
  await w.surface.post("k1", w.page);
  const reader = w.discord.person("Ben", { roles: ["123"] });
  expect(await w.look()).toMatchObject({ kind: "fine", owner: { id: w.ana.id, roles: [] } });
  const standingOf = createDiscordStanding({ api: w.api, places: w.places, clock: w.clock });
  expect(await standingOf(w.session, { owner: { id: reader.id, name: "Ben" }, turns: 1 })).toMatchObject({
    kind: "fine",
    owner: { kind: "member", roles: ["123"] },
  });
});

test("owner removed from the channel: whoever is not in the server any more is in none of its channels", async () => {
  await using w = await world();
  await w.surface.post("k1", w.page);
  expect((await w.look()).kind).toBe("fine");
  w.discord.removeMember(w.ana);
  expect((await w.look()).kind).toBe("owner_left");
});

test("goal on an archived Discord thread: one that a person closed is told as such, a locked and a deleted one as gone", async () => {
  await using w = await world();
  // The goal is to begin the thread itself.
  expect((await w.look(0)).kind).toBe("fine");
  await w.surface.post("k1", w.page);
  w.discord.archive(w.session.split(":")[2]!);
  expect((await w.look()).kind).toBe("archived");
  // A message opens it again.
  w.ana.say(w.discord.threadNamed(w.session.split(":")[2]!)!, "and now?");
  expect((await w.look()).kind).toBe("fine");
  w.discord.lock(w.session.split(":")[2]!);
  expect((await w.look()).kind).toBe("gone");
});

test("a thread that Discord itself closed since nothing happened in it for long is none that a person closed", async () => {
  let now = Date.now();
  await using w = await world(() => now);
  await w.surface.post("k1", w.page);
  now += 30 * 86_400_000;
  w.discord.archive(w.session.split(":")[2]!);
  expect((await w.look()).kind).toBe("fine");
});

test("a deleted thread is gone", async () => {
  await using w = await world();
  await w.surface.post("k1", w.page);
  w.discord.deleteThread(w.session.split(":")[2]!);
  expect((await w.look()).kind).toBe("gone");
});

test("a thread that could not be opened yet, as in a server that is full of them, is none that is gone", async () => {
  await using w = await world(Date.now, false);
  expect((await w.look(3)).kind).toBe("fine");
});
