/**
 * The composition root: settings become parts, parts are started in order and stopped in the reverse one. How a part is
 * made of its adapter stands in `parts/`; how they work together stands here and nowhere else.
 */

import { readFileSync } from "node:fs";
import { createNewId, sha256 } from "./adapters/ids.ts";
import { createAnswers } from "./adapters/postgres/answers.ts";
import { createBranches } from "./adapters/postgres/branches.ts";
import { createDepartures } from "./adapters/postgres/departures.ts";
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
import { createIntake } from "./core/run/intake.ts";
import { createLeaveSpace } from "./core/run/leave-space.ts";
import type { GoalCardsOptions } from "./core/run/goal-cards.ts";
import { createSpaceWork } from "./core/run/space-work.ts";
import type { SweeperOptions } from "./core/run/sweeper.ts";
import type { SessionId } from "./core/thread.ts";
import { openAdmin } from "./parts/admin.ts";
import { modelsOf } from "./parts/agent.ts";
import { openAttendance } from "./parts/attendance.ts";
import type { CoordinationTimes } from "./parts/coordination.ts";
import { openDatabase, type DatabaseTimes } from "./parts/database.ts";
import type { DiscordTimes } from "./parts/discord.ts";
import { openFront } from "./parts/front.ts";
import { openGoals } from "./parts/goal-store.ts";
import { createHooks } from "./parts/hooks.ts";
import { openInstalls } from "./parts/installs.ts";
import { isWebChatOn, openPlaces } from "./parts/places.ts";
import { openCoordination } from "./parts/open-coordination.ts";
import { openDiscord, openSlack } from "./parts/platforms.ts";
import { openStores } from "./parts/stores.ts";
import { openWatch } from "./parts/watch.ts";
import { openWebChat } from "./parts/web-chat.ts";
import { openWorking } from "./parts/working.ts";

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

  const startedAs = (name: string, stop: () => Promise<void>): void => void started.push({ name, stop });

  async function stopAll(): Promise<void> {
    for (const { name, stop } of started.splice(0).toReversed()) {
      await stop().catch((error: unknown) => log.warn("a part did not stop cleanly", { part: name, error }));
    }
  }

  try {
    const hooks = createHooks();
    const isWorker = role === "worker";
    const front = await openFront({ clock, log }, settings, {
      given: [...watch.mounted, ...(isWorker ? [] : [hooks.mounted])],
      isWorker,
    });
    startedAs("traces", () => watch.stop());
    startedAs("http", () => front.close());

    front.waitsFor("Postgres");
    const database = await openDatabase({ clock, log }, settings, signal, world.times);
    startedAs("database", () => database.close());
    database.takenOver?.addEventListener("abort", () =>
      failed.resolve("Another process has taken over the database; this one stops."),
    );
    const sql = world.sql?.(database.sql) ?? database.sql;

    front.waitsFor("Redis");
    const coordination = await openCoordination({ clock, log, newId }, settings, signal, world.times);
    startedAs("coordination", () => coordination.close());

    const { queue, goalQueue, stops, live } = coordination;
    watch.from(sql, coordination);
    const attendance = openAttendance({ sql, newId, clock, log }, settings, { role, version });
    startedAs("attendance", () => attendance.stop());
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
    const { goals, goalCommands, goalCards } = goalLife;
    startedAs("goals", () => goalLife.stop());
    hooks.open({ wakes: goalLife.wakes, hash: sha256, clock, log });

    front.waitsFor("Slack");
    const stored = await openInstalls({ sql, log }, settings);
    const { learn = () => {} } = world;
    const slack = await openSlack(
      { stored, learn, pacer: coordination.pacer, clock, log },
      settings,
      signal,
      world.times,
    );
    if (slack !== undefined) {
      startedAs("slack", () => slack.close());
      front.add(slack.troubles);
    }
    const departures = createDepartures(sql);
    const leaveSpace = createLeaveSpace({ departures, goals, queue, stops });
    front.waitsFor("Discord");
    const discord = await openDiscord(
      { places: createThreadPlaces(sql), pacer: coordination.pacer, clock, log },
      settings,
      signal,
      world.times,
    );
    if (discord !== undefined) {
      startedAs("discord", () => discord.close());
      if (isWorker) front.add(discord.troubles);
    }
    const { replyPages } = settings.config.limits;
    const placeOptions = { botName: BOT_NAME, replyPages };
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
    startedAs("branching", () => branching.stop());
    startedAs("goal cards", () => goalCards.stop());

    if (role !== "gateway") {
      const { tools, times } = world;
      const working = await openWorking(
        {
          sql,
          newId,
          database,
          coordination,
          store,
          inbox,
          pictures,
          mask: shown,
          stops,
          departures,
          access,
          policies,
          goals,
          goalLife,
          places,
          surfaceOf,
          clock,
          log,
          started: startedAs,
        },
        settings,
        { botName: BOT_NAME, tools, sweep: times?.sweep },
      );
      working.start();
      branching.start();
      goalCards.start();
      attendance.start(working.sweeper, working.overviews);
    }

    const hasWebChat = !isWorker && isWebChatOn(settings);
    const watched = { watched: coordination, attendance: attendance.book, commands: () => commands };
    const seen = { served: { slack, discord }, secrets: world.secrets };
    const reviewed = { sql, access, ...seen, ...watched, stops, queue, newId, clock, log };
    const admin = openAdmin(reviewed, settings, { url: front.url, hasWebChat });
    front.show({ admin: admin.site });
    startedAs("eraser", () => admin.eraser.stop());
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
      const web = openWebChat(
        { ...asked, door, messages, pictures, arrivals, live, newId, log, clock, info },
        settings,
      );
      front.show({ web });
    }

    if (slack !== undefined && !isWorker) {
      const { arrived, departed } = createSpaceWork({ departures, leaveSpace, queue, log }, "slack");
      const connection = slack.connect({
        ...asked,
        threads: createPersonThreads(sql),
        answers: createAnswers(sql),
        arrived,
        departed,
      });
      startedAs("slack connection", () => connection.stop());
      await connection.start();
      if (connection.http !== undefined) front.show({ slack: connection.http });
      front.add({ name: "Slack", check: () => Promise.resolve(connection.check()) });
    }

    if (discord !== undefined && !isWorker) {
      const { leadership } = coordination;
      const marks = createReadingMarks(sql);
      const connection = discord.connect({
        ...asked,
        answers: createAnswers(sql),
        marks,
        leaveSpace,
        leadership,
      });
      startedAs("discord connection", () => connection.stop());
      await connection.start();
      front.add({ name: "Discord", check: () => Promise.resolve(connection.check()) });
    }

    front.add({
      name: settings.databaseUrl === undefined ? "Embedded database" : "Postgres",
      check: database.check,
    });
    if (coordination.check !== undefined) front.add({ name: "Redis", check: coordination.check });
    if (role === "gateway") attendance.start();
    front.waitsFor();
    return {
      url: front.url,
      hasWebChat,
      failed: failed.promise,
      stop: () => (stopping ??= stopAll()),
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
