// A new thread beside one of Discord's, whose token is reset meanwhile.
import { expect, test } from "vitest";
import { createDiscordOpenings } from "../../../src/adapters/discord/openings.ts";
import { isPlatformRefused } from "../../../src/core/errors.ts";
import type { Log } from "../../../src/core/ports/log.ts";
import { silentLog } from "../../support/silent-log.ts";
import { outboundWorld } from "./outbound-world.ts";

const POST = "POST /channels/:channel/messages";

test("where the token is refused while the new thread is looked for, that is what is told, and nothing is posted", async () => {
  await using world = await outboundWorld();
  const { api, discord, session, surface } = world;
  const page = { markdown: "hello", buttons: [] };
  await surface.post("first", page);
  const posts = discord.callsOf(POST).length;
  const told: unknown[] = [];
  const log: Log = { ...silentLog, warn: (_, facts) => void told.push(facts?.["error"]) };
  const openings = createDiscordOpenings({ api, places: { keep: () => Promise.resolve() }, log });
  discord.fault("GET /channels/:channel/messages", { kind: "refused", status: 401, code: 0 });
  const opening = { key: "key-1", name: "new", page, sinceMs: Date.now(), isAgain: true };
  expect(await openings.open(session, opening, () => true)).toMatchObject({ kind: "later" });
  expect(told.map(isPlatformRefused)).toEqual([true]);
  expect(discord.callsOf(POST)).toHaveLength(posts);
});
