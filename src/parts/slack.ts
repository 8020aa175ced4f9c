/**
 * Slack, for one workspace by its bot token, for many by OAuth, or for both: the way out for every role, and the way in for who takes
 * messages. A Slack that is away holds nothing else up: what needs it waits by itself.
 */

import { backUrlOf } from "../adapters/admin/pages/paths.ts";
import { sha256 } from "../adapters/ids.ts";
import type { ReadyCheck } from "../adapters/http/health.ts";
import type { MountedDirectly } from "../adapters/http/listen.ts";
import { createSlackApi } from "../adapters/slack/api.ts";
import { SlackConnection, type SlackInlet } from "../adapters/slack/connection.ts";
import { createDeliveries } from "../adapters/slack/deliveries.ts";
import { withEnvironmentInstall } from "../adapters/slack/environment-install.ts";
import { createOpenForm } from "../adapters/slack/goal-form.ts";
import { createHome } from "../adapters/slack/home.ts";
import { identify } from "../adapters/slack/identify.ts";
import { writtenTo, type SlackBot } from "../adapters/slack/identity.ts";
import { createInstallPages } from "../adapters/slack/install-pages.ts";
import { PrivateAnswers } from "../adapters/slack/private-answers.ts";
import { createReceive, type Receive } from "../adapters/slack/receive.ts";
import { createSlackChannelsNow } from "../adapters/slack/channels-now.ts";
import { createSlackPeopleNow } from "../adapters/slack/people-now.ts";
import { createSlackSignIn } from "../adapters/slack/sign-in.ts";
import { createSlackStanding, type SlackStandingOptions } from "../adapters/slack/standing.ts";
import { botOf, createSlackSpaces } from "../adapters/slack/spaces.ts";
import type { Access } from "../core/access/access.ts";
import type { Door } from "../core/admin/door.ts";
import type { Branching } from "../core/branch/branching.ts";
import type { Models } from "../core/command/models.ts";
import type { GoalCommands } from "../core/command/goal-command.ts";
import { createGoalThreads } from "../core/command/goal-thread.ts";
import { createCommands, type CommandDeps } from "../core/command/commands.ts";
import { toBobbinError } from "../core/errors.ts";
import type { Answers } from "../core/ports/answers.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { OpenConversation } from "../core/ports/conversation.ts";
import type { Openings } from "../core/ports/openings.ts";
import type { Log } from "../core/ports/log.ts";
import type { Pacer } from "../core/ports/pacer.ts";
import type { PersonThreads } from "../core/ports/person-threads.ts";
import type { ReactionBook } from "../core/ports/reactions.ts";
import type { ChannelsNow } from "../core/ports/channel-privacy.ts";
import type { PeopleNow } from "../core/ports/people-now.ts";
import type { SignInWay } from "../core/ports/sign-in-way.ts";
import type { StandingOf } from "../core/ports/standings.ts";
import type { Surface, Voice } from "../core/ports/surface.ts";
import type { Transcripts } from "../core/ports/transcripts.ts";
import type { Intake } from "../core/run/intake.ts";
import type { Reach } from "../core/run/where-installed.ts";
import type { GoalWakes } from "../core/run/wake-goal.ts";
import { threadOf, type SessionId } from "../core/thread.ts";
import type { StoredInstalls } from "./installs.ts";
import { orLater } from "./or-later.ts";
import { isSlackOverHttp, type SlackSettings } from "./slack-settings.ts";
import { createSlackTroubles } from "./slack-troubles.ts";
import { untilThere } from "./until-there.ts";

export interface Slack {
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  readonly standingOf: StandingOf;
  readonly openings: Openings;
  readonly conversation: OpenConversation;
  /** Whether somebody can be answered there now. Rejects when that cannot be known. */
  reachOf(session: SessionId): Promise<Reach>;
  readonly peopleNow: PeopleNow;
  /** Where an app for it is configured. */
  readonly signIn: SignInWay | undefined;
  readonly channelsNow: ChannelsNow;
  /** Workspaces in which nothing can be called; the others work. */
  readonly troubles: ReadyCheck;
  /** The way in; not started yet. Aborting the signal of `openSlack` ends it, also while it waits for Slack. */
  connect(deps: SlackWayInDeps): SlackWayIn;
  close(): Promise<void>;
}

export interface SlackWayInDeps {
  readonly access: Access;
  readonly intake: Intake;
  readonly branching: Branching;
  readonly transcripts: Transcripts;
  readonly models: Models;
  readonly goals: GoalCommands;
  readonly door: Door;
  readonly feedback: CommandDeps["feedback"];
  readonly threads: PersonThreads;
  readonly reacted: GoalWakes["reacted"];
  readonly reactions: ReactionBook;
  readonly answers: Answers;
  /** Rings for what waits in the space. Never rejects. */
  arrived(space: string): Promise<void>;
  /** Ends what is left to do in the space. Never rejects. */
  departed(space: string): Promise<void>;
}

export interface SlackWayIn {
  /**
   * Resolves when Slack is connected, or while it still is away; then it is connected later.
   * @throws BobbinError when Slack refuses a token now.
   */
  start(): Promise<void>;
  /** One sentence on what is missing, or nothing. */
  check(): string | undefined;
  /** What answers below `/slack`; absent where nothing of Slack comes over HTTP. */
  readonly http: MountedDirectly["direct"] | undefined;
  /** May be called twice. */
  stop(): Promise<void>;
}

export interface SlackDeps {
  /** Present where the app is distributed. */
  readonly stored: StoredInstalls | undefined;
  /** Hears of each token before it is used. */
  readonly learn: (secret: string) => void;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Nothing where neither a bot token nor an app for many workspaces is configured.
 * @throws BobbinError when Slack does not take the token. A Slack that cannot be reached is asked again until it answers.
 */
export async function openSlack(
  deps: SlackDeps,
  settings: SlackSettings,
  signal: AbortSignal,
  times: { readonly standings?: SlackStandingOptions } = {},
): Promise<Slack | undefined> {
  const { slackBotToken: botToken, slackApiUrl } = settings;
  const { clock, log, stored } = deps;
  if (botToken === undefined && stored === undefined) return undefined;
  const replies = { replyPages: settings.config.limits.replyPages };
  const elsewhere = slackApiUrl === undefined ? {} : { apiUrl: `${slackApiUrl.replace(/\/$/, "")}/` };
  const closing = new AbortController();
  const leaving = AbortSignal.any([signal, closing.signal]);
  const away = Promise.withResolvers<undefined>();
  const own = botToken === undefined ? undefined : withEnvironmentInstall(botToken, stored?.installs);
  const installs = own?.installs ?? stored?.installs;
  if (installs === undefined) return undefined;
  const troubles = createSlackTroubles({ installs, log });
  const spaces = createSlackSpaces({ ...deps, installs }, { ...elsewhere, ...replies });

  /** Resolves once Slack has said whose the bot token is; at once where there is none. */
  async function identified(): Promise<void> {
    if (own === undefined || botToken === undefined) return;
    const api = createSlackApi(deps, { token: botToken, ...elsewhere });
    const attempt = (): Promise<SlackBot> =>
      identify(api).catch((error: unknown) => {
        if (toBobbinError(error).retryable) away.resolve(undefined);
        throw error;
      });
    own.identified(await untilThere("Slack", attempt, deps, leaving), clock.now());
  }
  const ready = identified();
  let refused: string | undefined;
  ready.catch((error: unknown) => {
    if (!leaving.aborted) refused = toBobbinError(error).message;
  });
  await orLater(Promise.race([ready, away.promise]), clock);

  function receiveOf(gateway: SlackWayInDeps, owing: PrivateAnswers): (bot: SlackBot) => Receive {
    const { access, intake, branching, transcripts, models, goals, feedback, door, threads } = gateway;
    return (bot) => {
      const { api, people, surfaces } = spaces.at(bot.space);
      return createReceive(
        {
          intake,
          transcripts,
          people,
          commands: createCommands(
            { access, intake, branching, transcripts, models, goals, feedback, door, clock, log },
            { written: writtenTo(bot) },
          ),
          answers: owing,
          reacted: gateway.reacted,
          reactions: gateway.reactions,
          home: createHome({ api, access, threads, people, log }, bot),
          openForm: createOpenForm({ api, log }),
          showIdle: (session) => surfaces.status.show(session, "idle"),
          async showChanged(session, change) {
            if (change === "reset") surfaces.status.show(session, "closed");
            else await surfaces.status.rename(session, change.title);
          },
          clock,
          log,
        },
        bot,
      );
    };
  }

  return {
    surfaceOf: spaces.surfaceOf,
    standingOf: createSlackStanding(
      {
        async at(space) {
          const { api, people, known } = spaces.at(space);
          const now = await known();
          return now.kind === "here" ? { api, people, bot: botOf(now) } : undefined;
        },
        clock,
      },
      times.standings,
    ),
    openings: spaces.openings,
    conversation: spaces.conversation,
    peopleNow: createSlackPeopleNow(spaces),
    signIn:
      stored &&
      createSlackSignIn(
        { installs, clock },
        { ...stored.app, ...elsewhere, backUrl: backUrlOf(stored.app.publicUrl, "slack") },
      ),
    channelsNow: createSlackChannelsNow(spaces),
    async reachOf(session) {
      try {
        const { space } = threadOf(session);
        const { kind } = await spaces.at(space).known();
        // Of an install that is not known, as while the settings change, nobody said that it was removed: what waits there is left.
        return kind === "gone" && !(await installs.wasRemoved("slack", space)) ? "broken" : kind;
      } catch (error) {
        // Slack has not said yet whose the token is: what waits is looked at again when it has.
        if (toBobbinError(error).code === "platform_unavailable") return "broken";
        throw error;
      }
    },
    // Also where Slack was away when we began, and has said since that it does not take the token.
    troubles: { ...troubles, check: async () => refused ?? (await troubles.check()) },
    connect(gateway) {
      let connection: SlackConnection | undefined;
      let owing: PrivateAnswers | undefined;
      let why = "Slack has not answered yet.";
      const pages =
        stored &&
        createInstallPages(
          {
            installs,
            states: stored.states,
            mayInstall: (space) => gateway.access.ofSpace("slack", space),
            installed: (space) => {
              spaces.at(space).forget();
              return gateway.arrived(space);
            },
            learn: deps.learn,
            clock,
            log,
          },
          { ...stored.app, ...elsewhere },
        );
      const begin = async (): Promise<void> => {
        await ready;
        if (leaving.aborted) return;
        // For who reads the log and asks for no health. A store that is away is told elsewhere.
        await troubles.check().catch(() => undefined);
        owing = new PrivateAnswers({
          answers: gateway.answers,
          tellIn: (space) => spaces.at(space).tell,
          goalThreads: createGoalThreads({
            openings: spaces.openings,
            commands: createCommands({ ...gateway, clock, log }),
            clock,
            hash: sha256,
          }),
          clock,
          log,
        });
        const receive = createDeliveries({
          spaces,
          installs,
          receiveOf: receiveOf(gateway, owing),
          departed: gateway.departed,
          log,
        });
        const inlet = inletOf(settings, elsewhere);
        connection = new SlackConnection({ receive, clock, log }, { inlet, ...elsewhere });
        await connection.start();
        owing.start();
      };
      const stop = async (): Promise<void> => {
        closing.abort();
        await connection?.stop();
        await owing?.stop();
      };
      const leave = (): void => {
        stop().catch((error: unknown) => log.warn("Slack was not left cleanly", { error }));
      };
      signal.addEventListener("abort", leave, { once: true });
      const http: MountedDirectly["direct"] = {
        async answer(request, response) {
          if (await pages?.answer(request, response)) return;
          const way = connection?.http;
          // Over a socket nothing else comes here. Slack sends again what is not taken yet.
          if (settings.slackAppToken !== undefined) response.writeHead(404).end("Nothing is here.");
          else if (way === undefined) response.writeHead(503).end("The bot is starting.");
          else await way.answer(request, response);
        },
      };
      return {
        async start() {
          const begun = begin();
          begun.catch((error: unknown) => {
            why = toBobbinError(error).message;
            if (!leaving.aborted) log.error("Slack could not be connected", { error });
          });
          await orLater(Promise.race([begun, away.promise]), clock);
        },
        check: () => (connection === undefined ? why : connection.check()),
        http: isSlackOverHttp(settings) ? http : undefined,
        stop,
      };
    },
    async close() {
      closing.abort();
      await spaces.stop();
    },
  };
}

function inletOf(settings: SlackSettings, elsewhere: { readonly apiUrl?: string }): SlackInlet {
  const { slackAppToken, slackSigningSecret } = settings;
  if (slackAppToken !== undefined) return { kind: "socket", appToken: slackAppToken, ...elsewhere };
  // The settings ask for one of the two.
  return { kind: "http", signingSecret: slackSigningSecret ?? "" };
}
