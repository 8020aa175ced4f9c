// What was changed and taken back on Discord while nobody listened, over a real Postgres: it is stored as if it had been heard.
import { expect, test } from "vitest";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import { Channels } from "../../../src/adapters/discord/channels.ts";
import { createMembers } from "../../../src/adapters/discord/members.ts";
import { createMissedChanges } from "../../../src/adapters/discord/missed-changes.ts";
import type { Message } from "../../../src/adapters/discord/parse.ts";
import { createReceive } from "../../../src/adapters/discord/receive.ts";
import { createErasures } from "../../../src/adapters/postgres/admin/erasures.ts";
import { createInbox } from "../../../src/adapters/postgres/inbox.ts";
import { createThreadPlaces } from "../../../src/adapters/postgres/thread-places.ts";
import { createTranscripts } from "../../../src/adapters/postgres/transcripts.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createIntake } from "../../../src/core/run/intake.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { answer, asRun, round } from "../../contract/store-samples.ts";
import { accessWith } from "../../support/access.ts";
import { createLocalDiscord } from "../../support/discord/local-discord.ts";
import type { Said } from "../../support/discord/person.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../postgres/backends.ts";
import { storesOver } from "../postgres/store-subject.ts";

const backend = postgresBackend();

/** A thread with what was taken in of it; nothing is answered. */
async function openWorld() {
  const stack = new AsyncDisposableStack();
  const discord = stack.use(await createLocalDiscord());
  const log = silentLog;
  const api = createDiscordApi({ log }, { token: discord.token, apiUrl: discord.apiUrl });
  stack.defer(() => api.close());
  const clock = createSystemClock();
  const transcripts = createTranscripts(backend.sql());
  const intake = createIntake({
    access: accessWith(),
    inbox: createInbox(backend.sql()),
    queue: { wake: () => Promise.resolve() },
    stops: { signal: () => Promise.resolve(), watch: () => () => undefined },
    clock,
    log,
  });
  const owed = {
    answerTo: () => {
      throw new Error("nothing is owed here");
    },
    owe: () => Promise.resolve(false),
    tell: () => Promise.resolve(),
  };
  const members = createMembers({ api, clock });
  const bot = { app: discord.applicationId, user: discord.botId, name: "Bobbin" };
  const places = createThreadPlaces(backend.sql());
  const channels = new Channels(bot.user);
  const receive = createReceive(
    { api, channels, members, intake, owed, places, transcripts, clock, log },
    bot,
  );
  let looks: Promise<void> = Promise.resolve();
  const reader = { inTurn: (_: string, work: () => Promise<void>) => (looks = work()) };
  const changes = createMissedChanges({ api, reader, receive, transcripts, clock, log });
  const ana = discord.person("Ana");
  const root = ana.say(discord.channel("general"), `${discord.botMention} begin`);
  await api.call("POST", `/channels/${root.channel}/messages/${root.id}/threads`, {
    body: { name: "begin" },
  });
  const session = sessionIdOf({ platform: "discord", space: discord.guild.id, channel: root.id });
  const guild = discord.guild.id;

  return {
    discord,
    ana,
    root,
    thread: root.id,
    session,
    intake,
    /** Takes in what stands there now. */
    async hear(...said: readonly Said[]) {
      for (const { channel, id } of said) {
        const answer = await api.call("GET", `/channels/${channel}/messages/${id}`);
        if (answer.kind === "ok") await receive.message(answer.data as Message, guild);
      }
    },
    /** Somebody begins to listen. */
    async look() {
      changes.look([{ guild, channel: root.id, newest: root.id }]);
      // It begins behind what was looked at before.
      await Promise.resolve();
      await looks;
    },
    /** What is stored, in its order. */
    async stored() {
      return (await transcripts.inbounds(session)).map(({ inbound, fate, state }) => {
        const text = "parts" in inbound ? inbound.parts.map((part) => ("text" in part ? part.text : "")) : [];
        return [inbound.kind, text.join(" "), fate ?? state];
      });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("a Discord that takes no question for a while is asked again", async () => {
  await using world = await openWorld();
  const { discord, ana, root, thread } = world;
  const one = ana.say(thread, "oen");
  await world.hear(root, one);
  ana.edit(one, "one");
  discord.fault("GET /channels/:channel/messages", {
    kind: "rate limited",
    retryAfterS: 0.3,
    scope: "global",
  });
  await world.look();
  await until(async () => (await world.stored()).some(([kind, text]) => kind === "edit" && text === "one"), {
    what: "the edit was found",
  });
  expect(discord.callsOf("GET /channels/:channel/messages")).toHaveLength(2);
});

test("messages that wait are changed and taken back as their authors did meanwhile, the first one of the thread too; looking again changes nothing", async () => {
  await using world = await openWorld();
  const { discord, ana, root, thread } = world;
  const [one, two, three, four] = ["one", "tow", "three", "four"].map((text) => ana.say(thread, text));
  await world.hear(root, one!, two!, three!, four!);
  ana.edit(root, `${discord.botMention} begin here`);
  ana.edit(two!, "two");
  discord.unfurl(one!);
  ana.delete(three!);
  for (let times = 0; times < 2; times++) {
    await world.look();
    expect(await world.stored()).toEqual([
      ["message", "begin here", "waiting"],
      ["message", "one", "waiting"],
      ["message", "two", "waiting"],
      ["message", "three", "cancelled"],
      ["message", "four", "waiting"],
      ["edit", "begin here", "answered"],
      ["edit", "two", "answered"],
      ["delete", "", "answered"],
    ]);
  }
});

test("what was fetched with its change is no change, and what was never for the bot is not either", async () => {
  await using world = await openWorld();
  const { ana, root, thread } = world;
  const missed = ana.say(thread, "mised");
  const aside = ana.say(thread, "(aside) not for it");
  ana.edit(missed, "missed");
  await world.hear(root, missed, aside);
  ana.edit(aside, "(aside) still not");
  await world.look();
  expect(await world.stored()).toEqual([
    ["message", "begin", "waiting"],
    ["message", "missed", "waiting"],
  ]);
});

test("nothing counts as taken back where nothing can be read, and no question about a message does, which stands nowhere", async () => {
  await using world = await openWorld();
  const { discord, ana, root, thread, intake, session } = world;
  const said = ana.say(thread, "said");
  await world.hear(root, said);
  const message = ana.say(thread, "asked about").id;
  await intake.receive({
    v: 1,
    kind: "message",
    id: `discord/${discord.applicationId}/${discord.guild.id}/${thread}/message/${message}-about-${ana.id}` as never,
    session,
    author: { id: ana.id, name: "Ana", kind: "member" },
    at: Date.now(),
    addressed: true,
    message: String(BigInt(message) + 1n),
    parts: [{ kind: "text", text: "what of it?" }],
  });
  ana.say(thread, "the last");
  discord.forbid("ReadMessageHistory");
  const before = await world.stored();
  await world.look();
  expect(await world.stored()).toEqual(before);
  discord.guild.botPermissions.add("ReadMessageHistory");
  await world.look();
  expect(await world.stored()).toEqual(before);
  // A look that finds nothing would find what there is.
  ana.edit(said, "said so");
  await world.look();
  expect(await world.stored()).not.toEqual(before);
});

test("what was erased is no change, although Discord goes on showing it, changed, and its authors may change it again", async () => {
  await using world = await openWorld();
  const { ana, root, thread, session, discord } = world;
  const bo = discord.person("Bo");
  const missed = ana.say(thread, "mised");
  ana.edit(missed, "missed");
  await world.hear(root, missed, bo.say(thread, "of mine"));
  const { store } = storesOver(backend.sql());
  const { fence } = asRun(await store.open(session, "w"));
  await store.end(fence, { reason: "stop", round: round(1, answer("well")), modelCalls: [] });
  await store.settled(fence);
  const erasures = createErasures(backend.sql());
  const who = { platform: "discord", space: discord.guild.id, person: "1", name: "Bea" } as const;
  await erasures.begin("e1", { kind: "person", subject: ana.id }, "asked for", who);
  await erasures.erase("e1", session);
  const erased = await world.stored();
  await world.look();
  ana.edit(root, "of something else");
  await world.look();
  expect(await world.stored()).toEqual(erased);
  expect(erased).toContainEqual(["message", "of mine", "answered"]);
  expect(JSON.stringify(erased)).not.toContain("missed");
});
