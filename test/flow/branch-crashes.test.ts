// A branch on each platform, with whoever makes it dying at each of its steps: somebody else finishes it, and there is one new thread.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDiscordApi } from "../../src/adapters/discord/api.ts";
import { createDiscordConversation } from "../../src/adapters/discord/conversation.ts";
import { createMembers } from "../../src/adapters/discord/members.ts";
import { createDiscordOpenings } from "../../src/adapters/discord/openings.ts";
import { createDiscordSurface } from "../../src/adapters/discord/surface.ts";
import { createThreads } from "../../src/adapters/discord/threads.ts";
import { createNewId, sha256 } from "../../src/adapters/ids.ts";
import { createLocalLive } from "../../src/adapters/local/live.ts";
import { createLocalPacer } from "../../src/adapters/local/pacer.ts";
import { createLocalRunQueue } from "../../src/adapters/local/run-queue.ts";
import { createLocalStops } from "../../src/adapters/local/stops.ts";
import { createBranches } from "../../src/adapters/postgres/branches.ts";
import { createInbox } from "../../src/adapters/postgres/inbox.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { createRunStore } from "../../src/adapters/postgres/run-store.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import { createThreadPlaces } from "../../src/adapters/postgres/thread-places.ts";
import { createTranscripts } from "../../src/adapters/postgres/transcripts.ts";
import { createWebMessages } from "../../src/adapters/postgres/web-messages.ts";
import { createSlackApi } from "../../src/adapters/slack/api.ts";
import { createSlackConversation } from "../../src/adapters/slack/conversation.ts";
import { identify } from "../../src/adapters/slack/identify.ts";
import { createSlackOpenings } from "../../src/adapters/slack/openings.ts";
import { createSlackPeople } from "../../src/adapters/slack/people.ts";
import { createSlackSurfaces } from "../../src/adapters/slack/surfaces.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import { createWebOpenings } from "../../src/adapters/web/openings.ts";
import { createWebSurface } from "../../src/adapters/web/surface.ts";
import { createBranching, type Branching } from "../../src/core/branch/branching.ts";
import type { CommandInbound } from "../../src/core/inbound.ts";
import type { InboundId } from "../../src/core/ids.ts";
import type { OpenConversation } from "../../src/core/ports/conversation.ts";
import type { Openings } from "../../src/core/ports/openings.ts";
import type { Surface } from "../../src/core/ports/surface.ts";
import { createIntake, type Intake } from "../../src/core/run/intake.ts";
import { sessionIdOf, threadOf, type SessionId } from "../../src/core/thread.ts";
import { finish } from "../contract/run-store-subject.ts";
import { asRun, message, newSession } from "../contract/store-samples.ts";
import { accessWith } from "../support/access.ts";
import { createLocalDiscord, type LocalDiscord } from "../support/discord/local-discord.ts";
import { Moments, type When } from "../support/moments.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { silentLog } from "../support/silent-log.ts";
import { createLocalSlack, type LocalSlack } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";

const clock = createSystemClock();
const deps = { clock, log: silentLog };
const building = new AsyncDisposableStack();
let sql: Sql;
let intake: Intake;
let stores: Parameters<typeof finish>[0];

beforeAll(async () => {
  const database = building.use(await freshDatabase());
  sql = building.adopt(openPostgres({ url: database.url, log: silentLog }), (one) => one.close());
  const inbox = createInbox(sql);
  intake = createIntake({
    access: accessWith(),
    inbox,
    queue: createLocalRunQueue(),
    stops: createLocalStops(),
    ...deps,
  });
  const store = createRunStore({ sql, newId: createNewId(clock) });
  stores = { store, inbox, transcripts: createTranscripts(sql), tailLimit: 200 };
});
afterAll(() => building.disposeAsync());

/** A platform with a thread in which something was said. */
interface Scene {
  readonly session: SessionId;
  readonly openings: Openings;
  surfaceOf(session: SessionId): Surface;
  readonly conversation?: OpenConversation;
  /** Somebody writes below the new thread's first post, where nobody listens: what is written is not delivered here. */
  writeInNew?(text: string): void;
  /** What people see of the bot: the first posts of new threads, and what it said in the old one. */
  seen(): Promise<{ readonly roots: readonly string[]; readonly lines: readonly string[] }>;
  /** What the platform would punish. */
  complaints(): readonly string[];
  /** So much later that the platform knows no post by its nonce any more. */
  later?(): void;
  /** The answer to the post that opens the thread is lost. */
  loseAnswer?(): void;
}

let scenes = 0;
let slackServer: Promise<LocalSlack> | undefined;
let discordAheadMs = 0;
let discordServer: Promise<LocalDiscord> | undefined;

async function onSlack(): Promise<Scene> {
  slackServer ??= createLocalSlack().then((server) => building.use(server));
  const slack = await slackServer;
  const channel = slack.channel(`channel-${++scenes}`);
  const ana = slack.person(`Ana ${scenes}`);
  const { ts: root } = ana.say(channel, `${slack.botMention} hello`);
  const api = createSlackApi(deps, { token: slack.app.botToken, apiUrl: slack.slackApiUrl });
  const bot = await identify(api);
  const pacer = createLocalPacer(clock);
  const surfaces = createSlackSurfaces({ api, pacer, ...deps });
  building.defer(() => surfaces.stop());
  const ours = () => slack.channelTop(channel).filter(({ userId }) => userId === slack.app.botUserId);
  return {
    session: sessionIdOf({ platform: "slack", space: slack.teamId, channel: channel.id, root }),
    openings: createSlackOpenings({ apiOf: () => api, botIn: () => Promise.resolve(bot), pacer, ...deps }),
    surfaceOf: (session) => surfaces.of(session),
    conversation: createSlackConversation(
      { api, people: createSlackPeople({ api, clock }), log: silentLog },
      { bot },
    ),
    writeInNew: (text) => void ana.say(channel, text, { thread: ours()[0]! }),
    async seen() {
      const lines = slack.thread(channel, root).filter(({ userId }) => userId === slack.app.botUserId);
      return { roots: ours().map(({ text }) => text), lines: lines.map(({ text }) => text) };
    },
    complaints: () => slack.complaints,
    loseAnswer: () => slack.fault("chat.postMessage", { kind: "lost response" }),
  };
}

async function onDiscord(kind: "text" | "forum"): Promise<Scene> {
  discordServer ??= createLocalDiscord({ nowMs: () => Date.now() + discordAheadMs }).then((server) =>
    building.use(server),
  );
  const discord = await discordServer;
  const channel = discord.channel(`channel-${++scenes}`, kind);
  const ana = discord.person(`Ana ${scenes}`);
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  building.defer(() => api.close());
  const places = createThreadPlaces(sql);
  const threads = createThreads({ api, places, log: silentLog });
  const surfaceOf = (session: SessionId): Surface =>
    createDiscordSurface({ api, threads, pacer: createLocalPacer(clock), ...deps }, session);
  let thread: string;
  if (kind === "forum") {
    thread = ana.publish(channel, "hello", `${discord.botMention} hello`).channel;
  } else {
    const said = ana.say(channel, `${discord.botMention} hello`);
    thread = said.id;
  }
  const session = sessionIdOf({ platform: "discord", space: discord.guild.id, channel: thread });
  if (kind === "text") {
    await places.keep(session, { parent: channel.id, name: "hello" });
    await surfaceOf(session).post("first", { markdown: "the answer", buttons: [] });
  }
  const isOurs = ({ authorId }: { authorId: string }): boolean => authorId === discord.botId;
  const roots = (): readonly { id: string; text: string }[] =>
    kind === "text"
      ? discord.shown(channel).filter(isOurs)
      : discord
          .threadsIn(channel)
          .filter(({ id }) => id !== thread)
          .flatMap(({ id }) => discord.shown(id).filter((one) => isOurs(one) && one.id === id));
  return {
    session,
    openings: createDiscordOpenings({ api, places, log: silentLog }),
    surfaceOf,
    writeInNew: (text) => void ana.say(roots()[0]!.id, text),
    conversation: createDiscordConversation(
      { api, members: createMembers({ api, clock }) },
      { app: discord.applicationId, user: discord.botId, name: "Bobbin" },
    ),
    async seen() {
      const lines = discord
        .shown(thread)
        .filter(isOurs)
        .filter(({ text }) => text !== "the answer");
      const opened = roots().filter(({ id }) => discord.threadNamed(id) !== undefined);
      return { roots: opened.map(({ text }) => text), lines: lines.map(({ text }) => text) };
    },
    complaints: () => [
      ...discord.complaints,
      ...roots()
        .filter(({ id }) => discord.threadNamed(id) === undefined)
        .map(({ text }) => `no thread below: ${text}`),
    ],
    later: () => void (discordAheadMs += 4 * 60_000),
    loseAnswer: () =>
      discord.fault(
        kind === "text" ? "POST /channels/:channel/messages" : "POST /channels/:channel/threads",
        { kind: "lost response" },
      ),
  };
}

async function onWeb(): Promise<Scene> {
  const messages = createWebMessages(sql);
  const web = { messages, live: createLocalLive(), ...deps };
  const session = newSession();
  return {
    session,
    openings: createWebOpenings(web),
    surfaceOf: (one) => createWebSurface(web, one),
    async seen() {
      const { channel, space } = threadOf(session);
      const listed = await messages.threads(1_000);
      const opened = listed.filter(({ label }) => label === `hello ${session}`);
      const firsts = await Promise.all(opened.map((one) => messages.list(one.session)));
      expect([space, channel]).toEqual(["local", "general"]);
      const old = await messages.list(session);
      return {
        roots: firsts.flatMap((rows) => rows.slice(0, 1).map(({ page }) => page.markdown)),
        lines: old.map(({ page }) => page.markdown),
      };
    },
    complaints: () => [],
  };
}

const PLATFORMS: readonly (readonly [string, () => Promise<Scene>])[] = [
  ["Slack", onSlack],
  ["Discord, in a channel", () => onDiscord("text")],
  ["Discord, in a forum", () => onDiscord("forum")],
  ["the web chat", onWeb],
];

/** Those that are the same for all platforms are made on one of them. */
const STEPS: readonly (readonly [port: string, when: When, where: "everywhere" | "on one"])[] = [
  ["put", "after", "on one"],
  ["take", "after", "on one"],
  ["open", "before", "on one"],
  ["open", "after", "everywhere"],
  ["opened", "before", "on one"],
  ["opened", "after", "on one"],
  ["copy", "before", "on one"],
  ["copy", "after", "on one"],
  ["post", "before", "on one"],
  ["post", "after", "everywhere"],
  ["done", "before", "on one"],
];
const stepsOn = (platform: string): typeof STEPS =>
  STEPS.filter(([, , where]) => platform === "Slack" || where === "everywhere");

/** A process that makes branches. */
function processOn(scene: Scene, moments = new Moments(), isDead = (): boolean => false): Branching {
  const around = <P extends object>(port: P): P => moments.around(port, isDead, (method) => method);
  const { refusal } = scene.openings;
  return createBranching({
    branches: around(createBranches(sql)),
    openings: { ...around(scene.openings), refusal },
    intake,
    surfaceOf: (session) => {
      const surface = scene.surfaceOf(session);
      return { ...surface, post: around(surface).post, find: (key, known) => surface.find(key, known) };
    },
    conversationOf: () => scene.conversation,
    hash: sha256,
    ...deps,
  });
}

let asks = 0;

function branchIn(session: SessionId): CommandInbound {
  const id = `${session.replaceAll(":", "/")}/command/ask-${++asks}` as InboundId;
  const author = { id: "U1", name: "Ana", kind: "member" } as const;
  return {
    v: 1,
    kind: "command",
    command: { name: "branch" },
    id,
    session,
    author,
    at: asks,
    addressed: false,
  };
}

async function talk(session: SessionId, text: string): Promise<void> {
  await stores.inbox.put(message(session, text));
  await finish(stores, asRun(await stores.store.open(session, "w")), `answer to ${text}`);
}

interface Row {
  readonly target: SessionId | null;
  readonly done: boolean;
}

async function rowOf({ id }: CommandInbound): Promise<Row | undefined> {
  const text = `select target, done from branches where id = $1`;
  const [row] = await sql.query<Row>({ text }, [id]);
  return row;
}

/** Whoever took it before is long gone. */
async function forgetTaken(): Promise<void> {
  await sql.query({ text: `update branches set taken_at = 0 where not done` });
}

async function finished(asked: CommandInbound): Promise<SessionId> {
  const row = await until(
    async () => {
      const found = await rowOf(asked);
      return found?.done === true ? found : undefined;
    },
    { what: "the branch is finished" },
  );
  if (row.target === null) throw new Error("there is no new thread");
  return row.target;
}

async function bodies(session: SessionId): Promise<readonly unknown[]> {
  return (await stores.transcripts.entries(session)).map(({ body }) => body);
}

describe.each(PLATFORMS)("on %s", (platform, sceneOn) => {
  test("nobody dies: one new thread with a link to the old one, a line with a link in the old one, and the same history", async () => {
    const scene = await sceneOn();
    await talk(scene.session, `hello ${scene.session}`);
    await using branching = disposable(processOn(scene));
    const asked = branchIn(scene.session);
    expect(await branching.ask(asked, undefined)).toContain("2 entries");
    const to = await finished(asked);
    const { roots, lines } = await scene.seen();
    expect(roots).toEqual([
      expect.stringMatching(/Branch of .*2 entries.*goal, waiting messages and approvals stay/s),
    ]);
    expect(lines).toEqual([expect.stringMatching(/Ana branched this thread/)]);
    expect(await bodies(to)).toEqual(await bodies(scene.session));
    expect(scene.complaints()).toEqual([]);
  });

  test.each(stepsOn(platform))("dead at %s (%s)", async (port, when) => {
    const scene = await sceneOn();
    await talk(scene.session, `hello ${scene.session}`);
    let isDead = false;
    const died = Promise.withResolvers<void>();
    const moments = new Moments().at(port, when, () => {
      isDead = true;
      died.resolve();
    });
    const asked = branchIn(scene.session);
    const first = processOn(scene, moments, () => isDead);
    await Promise.race([first.ask(asked, undefined), died.promise]);
    await died.promise;
    scene.later?.();
    await forgetTaken();
    await using second = disposable(processOn(scene));
    second.start();
    const to = await finished(asked);
    const { roots, lines } = await scene.seen();
    expect(roots).toHaveLength(1);
    expect(lines).toHaveLength(1);
    expect(await bodies(to)).toEqual(await bodies(scene.session));
    expect(scene.complaints()).toEqual([]);
    // The platform delivers the command once more.
    await second.ask(asked, undefined);
    expect((await scene.seen()).roots).toHaveLength(1);
  });

  test("what was written in the new thread before it had the history is taken in with it", async () => {
    const scene = await sceneOn();
    if (scene.writeInNew === undefined) return;
    await talk(scene.session, `hello ${scene.session}`);
    let isDead = false;
    const died = Promise.withResolvers<void>();
    const moments = new Moments().at("copy", "before", () => {
      isDead = true;
      died.resolve();
    });
    const asked = branchIn(scene.session);
    const first = processOn(scene, moments, () => isDead);
    await Promise.race([first.ask(asked, undefined), died.promise]);
    await died.promise;
    scene.writeInNew("is anybody here?");
    await forgetTaken();
    await using second = disposable(processOn(scene));
    second.start();
    const to = await finished(asked);
    const { tail } = asRun(await stores.store.open(to, "w"));
    expect(tail).toHaveLength(3);
    expect(JSON.stringify(tail.at(-1))).toContain("is anybody here?");
  });

  test("the answer to its first post is lost: it is found, and not posted again", async () => {
    const scene = await sceneOn();
    if (scene.loseAnswer === undefined) return;
    await talk(scene.session, `hello ${scene.session}`);
    scene.loseAnswer();
    await using branching = disposable(processOn(scene));
    const asked = branchIn(scene.session);
    await branching.ask(asked, undefined);
    const to = await finished(asked);
    expect((await scene.seen()).roots).toHaveLength(1);
    expect(await bodies(to)).toHaveLength(2);
  });
});

function disposable(branching: Branching): Branching & AsyncDisposable {
  return { ...branching, [Symbol.asyncDispose]: () => branching.stop() };
}
