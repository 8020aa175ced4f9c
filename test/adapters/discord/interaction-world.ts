// One who listens for clicks, commands and menus on the local Discord, over a real Postgres; what it does for them is the test's.
import { NO_GOAL_THREADS } from "../../support/memory-goals.ts";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { GatewayDispatchEvents } from "discord-api-types/v10";
import { createAnswerInteraction } from "../../../src/adapters/discord/answer-interaction.ts";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import { Channels } from "../../../src/adapters/discord/channels.ts";
import { wantedCommands } from "../../../src/adapters/discord/commands.ts";
import { OwedAnswers } from "../../../src/adapters/discord/owed-answers.ts";
import { createSuggest } from "../../../src/adapters/discord/suggest.ts";
import { createTakeInteraction } from "../../../src/adapters/discord/take-interaction.ts";
import { createLog } from "../../../src/adapters/log.ts";
import { createAnswers } from "../../../src/adapters/postgres/answers.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Command } from "../../../src/core/command/command.ts";
import type { CommandRequest, CommandResult, Commands } from "../../../src/core/command/commands.ts";
import { formOf } from "../../../src/core/goal/form.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import type { Inbound } from "../../../src/core/inbound.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import { createLocalDiscord, type LocalDiscordOptions } from "../../support/discord/local-discord.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { afterAll } from "vitest";
import { until } from "../../support/until.ts";

export type Run = (command: Command, request: CommandRequest) => Promise<string | CommandResult>;

type WorldOptions = LocalDiscordOptions & { readonly goal?: Goal };

/** What opens the worlds of a file: over one store, since each world's answers are those of an application of its own. Registers the hook that closes it. */
export function interactionWorlds() {
  const stores = new AsyncDisposableStack();
  afterAll(() => stores.disposeAsync());
  let shared: Promise<Sql> | undefined;
  const openStore = async (): Promise<Sql> => {
    const database = stores.use(await freshDatabase());
    return stores.adopt(openPostgres({ url: database.url }), (sql) => sql.close());
  };
  return async (run: Run, options: WorldOptions = {}) =>
    openOver(await (shared ??= openStore()), run, options);
}

async function openOver(sql: Sql, run: Run, { goal, ...options }: WorldOptions) {
  const stack = new AsyncDisposableStack();
  const discord = stack.use(await createLocalDiscord(options));
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) }, { level: "debug", secrets: [] });
  const system = createSystemClock();
  let aheadMs = 0;
  /** Waits are short, and the wall clock may be ahead. */
  const clock: Clock = {
    ...system,
    now: () => system.now() + aheadMs,
    after: (ms, work) => system.after(ms / 100, work),
  };
  const api = createDiscordApi({ log }, { token: discord.token, apiUrl: discord.apiUrl });
  stack.defer(() => api.close());
  const body = wantedCommands(options.installs ?? [0]);
  await api.call("PUT", `/applications/${discord.applicationId}/commands`, { body });
  const bot = { app: discord.applicationId, user: discord.botId, name: "Bobbin" };
  const stored: Inbound[] = [];

  const general = { id: discord.channel("general").id, kind: "text", name: "general" } as const;
  const voice = { id: discord.channel("Stage", "voice").id, kind: "talk", name: "Stage" } as const;

  const hidden = {
    id: "456789012345678901",
    kind: "thread",
    name: "hidden",
    parent: general.id,
    isPrivate: true,
  } as const;

  /** One who listens; what dies before it is done never settles. */
  function listener(does: Run) {
    const commands: Commands = {
      run: async (...asked) => {
        const result = await does(...asked);
        return typeof result === "string" ? { text: result } : result;
      },
      refusal: (_, { name }) => (name === "Gus" ? "You may not." : undefined),
      admin: () => Promise.resolve("admin"),
      goalForm: (_, begun) => Promise.resolve(formOf(goal, begun)),
      help: () => "help",
      choices: (name, session) =>
        Promise.resolve([
          { value: "default", label: `default of ${name} in ${session}`, isCurrent: true },
          { value: "small-1", label: "small-1", isCurrent: false },
          { value: "long".repeat(30), label: "too long for Discord", isCurrent: false },
          ...Array.from({ length: 30 }, (_, n) => ({
            value: `large-${n}`,
            label: `large-${n}`,
            isCurrent: false,
          })),
        ]),
    };
    const answerInteraction = createAnswerInteraction(
      {
        api,
        clock,
        log,
        commands,
        goalThreads: NO_GOAL_THREADS,
        intake: {
          receive(inbound) {
            if (stored.some(({ id }) => id === inbound.id)) return Promise.resolve({ kind: "duplicate" });
            stored.push(inbound);
            return Promise.resolve({ kind: "stored", running: false });
          },
        },
        places: { keep: () => Promise.resolve() },
      },
      bot,
    );
    const owed = new OwedAnswers({ answers: createAnswers(sql), api, answerInteraction, clock, log }, bot);
    const suggest = createSuggest({ api, commands, log });
    const channels = new Channels(bot.user);
    for (const known of [general, voice])
      channels.keep({ guild: discord.guild.id, parent: undefined, newest: undefined, ...known });
    return {
      owed,
      take: createTakeInteraction(
        { api, owed, channels, answerInteraction, suggest, commands, clock, log },
        bot,
      ),
    };
  }

  const { take, owed } = listener(run);
  const manager = new WebSocketManager({ token: discord.token, intents: 1, rest: api.rest });
  manager.on(WebSocketShardEvents.Error, () => undefined);
  const taken: Promise<void>[] = [];
  manager.on(WebSocketShardEvents.Dispatch, ({ data }) => {
    if (data.t === GatewayDispatchEvents.InteractionCreate) taken.push(take(data.d));
  });
  await manager.connect();
  stack.defer(() => manager.destroy());
  const rows = (): Promise<readonly { readonly told: boolean; readonly place: string }[]> =>
    sql.query({ text: "select told, place from answers where space = $1" }, [discord.applicationId]);
  return {
    discord,
    api,
    log,
    clock,
    lines,
    stored,
    rows,
    owed,
    privateThread: hidden.id,
    ana: discord.person("Ana"),
    channel: discord.channel("general"),
    /** Until all that was asked is answered. */
    async settled(count: number) {
      await until(() => taken.length >= count, { what: `${count} were asked` });
      await Promise.all(taken);
    },
    /** Until it is stored that so many wait for an answer, which is after Discord was told that one comes. */
    isOwed: (count: number) =>
      until(async () => (await rows()).filter(({ told }) => !told).length === count, {
        what: `${count} wait`,
      }),
    /** Another process takes over from the one that died. */
    takeOver: (does: Run) => listener(does).owed.takeOver(),
    /** Until what this answers is called, no answer can be stored. */
    async storeGoes(): Promise<() => Promise<void>> {
      await sql.query({ text: "alter table answers rename to answers_elsewhere" });
      return async () => void (await sql.query({ text: "alter table answers_elsewhere rename to answers" }));
    },
    passes: (ms: number) => void (aheadMs += ms),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What a process does that dies before it is done. */
export const dies = (): Promise<string> => new Promise(() => undefined);
