/**
 * Slack, for one workspace by its bot token: the way out for every role, and the way in for who takes messages. A Slack that is
 * away holds nothing else up: what needs it waits by itself.
 */

import type { MountedDirectly } from "../adapters/http/listen.ts";
import { createSlackApi } from "../adapters/slack/api.ts";
import { SlackConnection, type SlackInlet } from "../adapters/slack/connection.ts";
import { createSlackOpenings } from "../adapters/slack/openings.ts";
import { createSlackConversation } from "../adapters/slack/conversation.ts";
import { createHome } from "../adapters/slack/home.ts";
import { identify } from "../adapters/slack/identify.ts";
import type { SlackBot } from "../adapters/slack/identity.ts";
import { PrivateAnswers } from "../adapters/slack/private-answers.ts";
import { createSlackPeople } from "../adapters/slack/people.ts";
import { createReceive } from "../adapters/slack/receive.ts";
import { createSlackSurfaces } from "../adapters/slack/surfaces.ts";
import { createTell } from "../adapters/slack/tell.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import type { Access } from "../core/access/access.ts";
import type { Branching } from "../core/branch/branching.ts";
import type { Models } from "../core/command/models.ts";
import { createCommands } from "../core/command/commands.ts";
import { toBobbinError } from "../core/errors.ts";
import type { Answers } from "../core/ports/answers.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { OpenConversation } from "../core/ports/conversation.ts";
import type { Openings } from "../core/ports/openings.ts";
import type { Log } from "../core/ports/log.ts";
import type { Pace } from "../core/ports/pace.ts";
import type { PersonThreads } from "../core/ports/person-threads.ts";
import type { Surface } from "../core/ports/surface.ts";
import type { Transcripts } from "../core/ports/transcripts.ts";
import type { Intake } from "../core/run/intake.ts";
import type { SessionId } from "../core/thread.ts";
import { conversationWhen } from "./conversation-when.ts";
import { orLater } from "./or-later.ts";
import { untilThere } from "./until-there.ts";

export interface Slack {
  surfaceOf(session: SessionId): Surface;
  readonly openings: Openings;
  readonly conversation: OpenConversation;
  /** The way in; not started yet. Aborting the signal of `openSlack` ends it, also while it waits for Slack. */
  connect(deps: {
    readonly access: Access;
    readonly intake: Intake;
    readonly branching: Branching;
    readonly transcripts: Transcripts;
    readonly threads: PersonThreads;
    readonly models: Models;
    readonly answers: Answers;
  }): SlackWayIn;
  close(): Promise<void>;
}

export interface SlackWayIn {
  /**
   * Resolves when Slack is connected, or while it still is away; then it is connected later.
   * @throws BobbinError when Slack refuses a token now.
   */
  start(): Promise<void>;
  /** One sentence on what is missing, or nothing. */
  check(): string | undefined;
  /** What answers below `/slack`; absent over a socket. */
  readonly http: MountedDirectly["direct"] | undefined;
  /** May be called twice. */
  stop(): Promise<void>;
}

export type SlackSettings = Pick<
  Settings,
  "slackBotToken" | "slackAppToken" | "slackSigningSecret" | "slackApiUrl"
>;

/** Whether Slack's requests come to our HTTP server. */
export function isSlackOverHttp(settings: SlackSettings): boolean {
  return settings.slackBotToken !== undefined && settings.slackAppToken === undefined;
}

/**
 * Nothing without a bot token.
 * @throws BobbinError when Slack does not take the token. A Slack that cannot be reached is asked again until it answers.
 */
export async function openSlack(
  deps: { readonly pace: Pace; readonly clock: Clock; readonly log: Log },
  settings: SlackSettings,
  signal: AbortSignal,
): Promise<Slack | undefined> {
  const { slackBotToken: botToken, slackApiUrl } = settings;
  if (botToken === undefined) return undefined;
  const { clock, log } = deps;
  const elsewhere = slackApiUrl === undefined ? {} : { apiUrl: `${slackApiUrl.replace(/\/$/, "")}/` };
  const api = createSlackApi(deps, { token: botToken, ...elsewhere });
  const surfaces = createSlackSurfaces({ api, ...deps });
  const people = createSlackPeople({ api, clock });
  const closing = new AbortController();
  const leaving = AbortSignal.any([signal, closing.signal]);
  const away = Promise.withResolvers<undefined>();
  const attempt = (): Promise<SlackBot> =>
    identify(api).catch((error: unknown) => {
      if (toBobbinError(error).retryable) away.resolve(undefined);
      throw error;
    });
  const identified = untilThere("Slack", attempt, deps, leaving);
  await orLater(Promise.race([identified, away.promise]), clock);

  function connectionOf(
    bot: SlackBot,
    { access, intake, branching, transcripts, models, threads }: Parameters<Slack["connect"]>[0],
    answers: PrivateAnswers,
  ): SlackConnection {
    const written = (name: string): string => `@${bot.name} ${name}`;
    const receive = createReceive(
      {
        intake,
        transcripts,
        people,
        commands: createCommands({ access, intake, branching, transcripts, models, clock, log }, { written }),
        answers,
        home: createHome({ api, access, threads, people, log }, bot),
        showIdle: (session) => surfaces.status.show(session, "idle"),
        ...deps,
      },
      bot,
    );
    const inlet = inletOf(settings, elsewhere);
    return new SlackConnection({ receive, ...deps }, { inlet, bot, botToken: botToken ?? "", ...elsewhere });
  }

  return {
    surfaceOf: (session) => surfaces.of(session),
    openings: createSlackOpenings({ api, ...deps }),
    conversation: conversationWhen(
      identified.then((bot) => createSlackConversation({ api, people, log }, { bot })),
    ),
    connect(gateway) {
      let connection: SlackConnection | undefined;
      let answers: PrivateAnswers | undefined;
      let why = "Slack has not answered yet.";
      const begin = async (): Promise<void> => {
        const bot = await identified;
        if (leaving.aborted) return;
        const tell = createTell({ api, log });
        answers = new PrivateAnswers({ answers: gateway.answers, tell, ...deps }, { space: bot.space });
        connection = connectionOf(bot, gateway, answers);
        await connection.start();
        answers.start();
      };
      const stop = async (): Promise<void> => {
        closing.abort();
        await connection?.stop();
        await answers?.stop();
      };
      const leave = (): void => {
        stop().catch((error: unknown) => log.warn("Slack was not left cleanly", { error }));
      };
      signal.addEventListener("abort", leave, { once: true });
      const http: MountedDirectly["direct"] = {
        async answer(request, response) {
          const way = connection?.http;
          // Slack sends again what is not taken yet.
          if (way === undefined) response.writeHead(503).end("The bot is starting.");
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
      await surfaces.stop();
    },
  };
}

function inletOf(settings: SlackSettings, elsewhere: { readonly apiUrl?: string }): SlackInlet {
  const { slackAppToken, slackSigningSecret } = settings;
  if (slackAppToken !== undefined) return { kind: "socket", appToken: slackAppToken, ...elsewhere };
  // The settings ask for one of the two.
  return { kind: "http", signingSecret: slackSigningSecret ?? "" };
}
