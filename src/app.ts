/**
 * The composition root: settings become parts, parts are started in order and stopped in the reverse one. How a part is
 * made of its adapter stands in `parts/`; how they work together stands here and nowhere else.
 */

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ReadyCheck } from "./adapters/http/health.ts";
import { listen, type Mounted, type MountedDirectly } from "./adapters/http/listen.ts";
import { createNewId, sha256 } from "./adapters/ids.ts";
import { createAnswers } from "./adapters/postgres/answers.ts";
import { createBranches } from "./adapters/postgres/branches.ts";
import { createDepartures } from "./adapters/postgres/departures.ts";
import { createPages } from "./adapters/postgres/pages.ts";
import { createReadingMarks } from "./adapters/postgres/reading-marks.ts";
import { createPersonThreads } from "./adapters/postgres/person-threads.ts";
import { createThreadPlaces } from "./adapters/postgres/thread-places.ts";
import type { Sql } from "./adapters/postgres/sql.ts";
import { createTranscripts } from "./adapters/postgres/transcripts.ts";
import { createPictures } from "./adapters/postgres/pictures.ts";
import { createWebMessages } from "./adapters/postgres/web-messages.ts";
import type { Settings } from "./adapters/settings/settings.ts";
import { createSystemClock } from "./adapters/system-clock.ts";
import { createAccess } from "./core/access/access.ts";
import type { Tool } from "./core/agent/tool.ts";
import { createBranching, type BranchingOptions } from "./core/branch/branching.ts";
import { createCommands } from "./core/command/commands.ts";
import { createGoalPolicies } from "./core/goal/policy.ts";
import type { SecretsInTalk } from "./core/mask.ts";
import type { Log } from "./core/ports/log.ts";
import type { Surface, Voice } from "./core/ports/surface.ts";
import { createBacklog } from "./core/run/backlog.ts";
import { createIntake } from "./core/run/intake.ts";
import { createLeaveSpace } from "./core/run/leave-space.ts";
import type { GoalCardsOptions } from "./core/run/goal-cards.ts";
import { createSpaceWork } from "./core/run/space-work.ts";
import { createSweeper, type SweeperOptions } from "./core/run/sweeper.ts";
import type { SessionId } from "./core/thread.ts";
import { openAdmin } from "./parts/admin.ts";
import { modelsOf, openAgent } from "./parts/agent.ts";
import { openAttendance } from "./parts/attendance.ts";
import type { CoordinationTimes } from "./parts/coordination.ts";
import { openDatabase, type DatabaseTimes } from "./parts/database.ts";
import type { DiscordTimes } from "./parts/discord.ts";
import { openGoals } from "./parts/goal-store.ts";
import { openGoalParts } from "./parts/goal-tools.ts";
import { createHooks } from "./parts/hooks.ts";
import { openInstalls } from "./parts/installs.ts";
import { nothingHere, stillStarting } from "./parts/meanwhile.ts";
import { openOverviews } from "./parts/overviews.ts";
import { isWebChatOn, openPlaces } from "./parts/places.ts";
import { openCoordination } from "./parts/open-coordination.ts";
import { openDiscord, openSlack } from "./parts/platforms.ts";
import { openServing, startWorkers } from "./parts/serving.ts";
import { isSlackOverHttp } from "./parts/slack-settings.ts";
import { openStores } from "./parts/stores.ts";
import { openTitles } from "./parts/titles.ts";
import { openWatch } from "./parts/watch.ts";
import { openWebChat } from "./parts/web-chat.ts";

/** `start`: all in one; `gateway` takes messages in; `worker` answers them. */
export type Role = "start" | "gateway" | "worker";

export interface AppWorld {
  readonly log: Log;
  /** Hears of each secret that becomes known besides those of the settings, before it is used. */
  readonly learn?: (secret: string) => void;
  /** Where secrets stand in what people and the model say. Default well-known patterns only. */
  readonly secrets?: SecretsInTalk;
  /** Internal: shorter times for tests. */
  readonly times?: CoordinationTimes &
    DatabaseTimes &
    DiscordTimes & {
      readonly sweep?: SweeperOptions;
      readonly branches?: BranchingOptions;
      readonly cards?: GoalCardsOptions;
    };
  /** Internal: lets a test stand between the replies and the platform. */
  readonly surface?: (surface: Surface) => Surface;
  /** Internal: the same between the product and its database. */
  readonly sql?: (sql: Sql) => Sql;
  /** Internal: what the agent of a test can do besides. */
  readonly tools?: readonly Tool[];
}

export interface App {
  readonly url: string;
  /** The web chat is served here. */
  readonly hasWebChat: boolean;
  /** Resolves with a sentence when the app cannot go on by itself. */
  readonly failed: Promise<string>;
  /** Takes nothing new, hands over what runs, ends every connection. May be called twice. */
  stop(): Promise<void>;
}

const BOT_NAME = "Bobbin";
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/**
 * Listens first, so that health is told while the servers are waited for. Rejects, with everything ended again, when
 * waiting cannot help or `signal` aborts.
 */
export async function startApp(
  role: Role,
  settings: Settings,
  world: AppWorld,
  signal: AbortSignal,
): Promise<App> {
  const clock = createSystemClock();
  const watch = await openWatch({ clock, log: world.log }, settings, { role, version });
  const { log } = watch;
  const newId = createNewId(clock);
  const failed = Promise.withResolvers<string>();
  /** In the order of starting; ended in the reverse one. */
  const started: { readonly name: string; readonly stop: () => Promise<void> }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const { name, stop } of started.splice(0).toReversed()) {
      await stop().catch((error: unknown) => log.warn("a part did not stop cleanly", { part: name, error }));
    }
  }

  let waitsFor: string | undefined = "its first steps";
  const starting: ReadyCheck = {
    name: "Start",
    check: () => Promise.resolve(waitsFor && `Bobbin is starting and waits for ${waitsFor}.`),
  };
  const checks = [starting];
  let site: Mounted["app"] = {
    fetch: async (request) => {
      const why = await starting.check();
      return why === undefined ? nothingHere() : stillStarting(why, request.method);
    },
  };
  let adminSite: Mounted["app"] = site;
  // Slack sends again what is not taken yet.
  let slackSite: MountedDirectly["direct"] = {
    answer: (_, response) => Promise.resolve(void response.writeHead(503).end("Bobbin is starting.")),
  };

  try {
    const adminPages: Mounted = {
      path: "/admin",
      app: { fetch: (request, env) => adminSite.fetch(request, env) },
    };
    const front: Mounted = { path: "/", app: { fetch: (request, env) => site.fetch(request, env) } };
    const behind: MountedDirectly = {
      path: "/slack",
      direct: { answer: (request, response) => slackSite.answer(request, response) },
    };
    const slackFirst = role !== "worker" && isSlackOverHttp(settings) ? [behind] : [];
    const adminFirst = role === "worker" ? [] : [adminPages];
    const hooks = createHooks();
    const hooksFirst = role === "worker" ? [] : [hooks.mounted];
    const apps = [...slackFirst, ...watch.mounted, ...hooksFirst, ...adminFirst, front];
    const server = await listen({ apps, checks, clock, log }, settings);
    started.push({ name: "traces", stop: () => watch.stop() });
    started.push({ name: "http", stop: () => server.close() });

    waitsFor = "Postgres";
    const database = await openDatabase({ clock, log }, settings, signal, world.times);
    started.push({ name: "database", stop: () => database.close() });
    database.takenOver?.addEventListener("abort", () =>
      failed.resolve("Another process has taken over the database; this one stops."),
    );
    const sql = world.sql?.(database.sql) ?? database.sql;

    waitsFor = "Redis";
    const coordination = await openCoordination({ clock, log, newId }, settings, signal, world.times);
    started.push({ name: "coordination", stop: () => coordination.close() });

    const { queue, goalQueue, stops, live, locker } = coordination;
    watch.from(sql, coordination);
    const attendance = openAttendance({ sql, newId, clock, log }, settings, { role, version });
    started.push({ name: "attendance", stop: () => attendance.stop() });
    const policies = createGoalPolicies(settings.config.goals);
    const { atOnceIn: goalsAtOnceIn } = policies;
    const stores = openStores({ ...world, sql, newId }, { goalsAtOnceIn });
    const { inbox, arrivals, written, mask, shown, opinions } = stores;
    const store = watch.store(written);
    const [messages, pictures] = [createWebMessages(sql), createPictures(sql)];
    const transcripts = createTranscripts(sql);
    const access = createAccess(settings.config.access);
    const intake = watch.intake(
      createIntake({ access, inbox, queue: watch.queue(queue), stops, clock, log }),
    );
    const models = modelsOf(role, settings);
    const goalLife = openGoals(
      {
        sql,
        access,
        inbox,
        mask,
        policies,
        queue: goalQueue,
        surfaceOf: (...at) => surfaceOf(...at),
        reachOf: (at) => places.reachOf(at),
        clock,
        newId,
        log,
      },
      world.times?.cards,
    );
    const { goals, goalCommands, goalCards, proposals } = goalLife;
    started.push({ name: "goals", stop: () => goalLife.stop() });
    hooks.open({ wakes: goalLife.wakes, hash: sha256, clock, log });

    waitsFor = "Slack";
    const stored = await openInstalls({ sql, log }, settings);
    const { learn = () => {} } = world;
    const slack = await openSlack(
      { stored, learn, pacer: coordination.pacer, clock, log },
      settings,
      signal,
      world.times,
    );
    if (slack !== undefined) {
      started.push({ name: "slack", stop: () => slack.close() });
      checks.push(slack.troubles);
    }
    const departures = createDepartures(sql);
    const leaveSpace = createLeaveSpace({ departures, goals, queue, stops });
    waitsFor = "Discord";
    const discord = await openDiscord(
      { places: createThreadPlaces(sql), pacer: coordination.pacer, clock, log },
      settings,
      signal,
      world.times,
    );
    if (discord !== undefined) started.push({ name: "discord", stop: () => discord.close() });
    if (discord !== undefined && role === "worker") checks.push(discord.troubles);
    const placeOptions = { botName: BOT_NAME, replyPages: settings.config.limits.replyPages };
    const places = openPlaces({ sql, messages, live, log, clock }, { slack, discord }, placeOptions);
    const surfaceOf = (session: SessionId, voice?: Voice): Surface => {
      const surface = watch.surface(places.surfaceOf(session, voice), session);
      return world.surface?.(surface) ?? surface;
    };
    const { beginningOf: conversationOf, openings } = places;
    const branching = createBranching(
      {
        branches: createBranches(sql),
        openings,
        intake,
        surfaceOf,
        conversationOf,
        clock,
        hash: sha256,
        log,
      },
      world.times?.branches,
    );
    started.push({ name: "branching", stop: () => branching.stop() });
    started.push({ name: "goal cards", stop: () => goalCards.stop() });

    if (role !== "gateway") {
      const goalParts = await openGoalParts({ goals, proposals, policies, clock, log, newId }, settings);
      started.push({ name: "lite model", stop: () => goalParts.close() });
      const tools = [goalParts.create, ...(world.tools ?? [])];
      const told = { clock, log, conversation: places.conversation, tools, goalTools: goalParts.tools };
      const agent = await openAgent(told, settings, BOT_NAME);
      started.push({ name: "model", stop: () => agent.close() });
      const sweeper = createSweeper(
        {
          store,
          queue,
          goals: { store: goals, queue: goalQueue },
          clock,
          log,
          random: Math.random,
          exclusive: database.exclusive,
        },
        world.times?.sweep,
      );
      coordination.onBack(() => sweeper.lookSoon());
      const overviews = openOverviews(database, { clock, log }, settings.config.retention);
      started.push({ name: "overviews", stop: () => overviews.stop() });
      const serving = openServing(
        {
          store,
          pages: createPages(sql),
          pictures,
          mask: shown,
          stops,
          clock,
          log,
          newId,
          hash: sha256,
          model: agent.model,
          profileOf: agent.profileOf,
          replies: settings.config.replies,
          titler: await openTitles({ sql, surfaceOf, clock, log, newId }, settings),
          surfaceOf,
          backlog: createBacklog({ store, inbox, access, clock, log, conversationOf }),
          goals: goalLife.goalTurns(goalParts.bookkeeping),
          stored: goals,
          locker,
          sweeper,
          departures,
          places,
          access,
          policies,
          after: overviews.after,
        },
        { worker: `${hostname()}/${process.pid}`, lateWritesMs: coordination.lateWritesMs },
      );
      started.push(
        ...(await startWorkers({ coordination, database, store }, serving, settings.workerConcurrency)),
      );
      sweeper.start();
      overviews.start();
      branching.start();
      goalCards.start();
      started.push({ name: "sweeper", stop: () => sweeper.stop() });
      attendance.start(sweeper, overviews);
    }

    const hasWebChat = role !== "worker" && isWebChatOn(settings);
    const watched = { watched: coordination, attendance: attendance.book, commands: () => commands };
    const seen = { served: { slack, discord }, secrets: world.secrets };
    const reviewed = { sql, access, ...seen, ...watched, stops, queue, newId, clock, log };
    const admin = openAdmin(reviewed, settings, { url: server.url, hasWebChat });
    if (role !== "worker") adminSite = admin.site;
    started.push({ name: "eraser", stop: () => admin.eraser.stop() });
    /** What every way in needs to do what people ask for. */
    const { reacted } = goalLife.wakes;
    const asked = {
      access,
      intake,
      branching,
      transcripts,
      models,
      goals: goalCommands,
      ...opinions,
      door: admin.door,
      reacted,
    };
    const commands = createCommands({ ...asked, clock, log });
    if (hasWebChat) {
      // A gateway does not answer: only its workers know which model does.
      const info = { botName: BOT_NAME, version, demo: role === "start" && settings.model === undefined };
      const door = admin.webDoor;
      site = openWebChat(
        { ...asked, door, messages, pictures, arrivals, live, newId, log, clock, info },
        settings,
      );
    }

    if (slack !== undefined && role !== "worker") {
      const { arrived, departed } = createSpaceWork({ departures, leaveSpace, queue, log }, "slack");
      const connection = slack.connect({
        ...asked,
        threads: createPersonThreads(sql),
        answers: createAnswers(sql),
        arrived,
        departed,
      });
      started.push({ name: "slack connection", stop: () => connection.stop() });
      await connection.start();
      slackSite = connection.http ?? slackSite;
      checks.push({ name: "Slack", check: () => Promise.resolve(connection.check()) });
    }

    if (discord !== undefined && role !== "worker") {
      const { leadership } = coordination;
      const marks = createReadingMarks(sql);
      const connection = discord.connect({
        ...asked,
        answers: createAnswers(sql),
        marks,
        leaveSpace,
        leadership,
      });
      started.push({ name: "discord connection", stop: () => connection.stop() });
      await connection.start();
      checks.push({ name: "Discord", check: () => Promise.resolve(connection.check()) });
    }

    checks.push({
      name: settings.databaseUrl === undefined ? "Embedded database" : "Postgres",
      check: database.check,
    });
    if (coordination.check !== undefined) checks.push({ name: "Redis", check: coordination.check });
    if (role === "gateway") attendance.start();
    waitsFor = undefined;
    return {
      url: server.url,
      hasWebChat,
      failed: failed.promise,
      stop: () => (stopping ??= stopAll()),
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
