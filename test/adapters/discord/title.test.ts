// The name of a thread in Discord: ours to give while nobody else has named it.
import { expect, test } from "vitest";
import { outboundWorld } from "./outbound-world.ts";

const PATCH = "PATCH /channels/:channel";

test("a thread that the bot opened gets its title once it is there", async () => {
  await using world = await outboundWorld();
  expect(await world.surface.rename?.("Release plan")).toBe(false);
  await world.surface.post("key-0", { markdown: "hello", buttons: [] });
  expect(await world.surface.rename?.(`Release plan ${"x".repeat(120)}`)).toBe(true);
  expect(world.discord.threadNamed(world.root.id)?.name).toMatch(/^Release plan x{87}$/);
  expect(world.discord.complaints).toEqual([]);
});

test("the name that a person gave it stays, and one that Discord does not take is no trouble", async () => {
  await using world = await outboundWorld();
  await world.surface.post("key-0", { markdown: "hello", buttons: [] });
  const thread = world.discord.threadNamed(world.root.id);
  world.discord.fault(PATCH, { kind: "refused", status: 403, code: 50013 });
  expect(await world.surface.rename?.("Release plan")).toBe(true);
  if (thread === undefined) throw new Error("there is no thread");
  thread.name = "Ours";
  expect(await world.surface.rename?.("Release plan")).toBe(true);
  expect(thread.name).toBe("Ours");
  expect(world.discord.calls.filter(({ route }) => route === PATCH)).toHaveLength(1);
});
