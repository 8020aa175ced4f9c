/** Slack, for one workspace by its bot token: the way out for every role, and the way in for who takes messages. */

import { createSlackApi } from "../adapters/slack/api.ts";
import { SlackConnection, type SlackInlet } from "../adapters/slack/connection.ts";
import { createSlackConversation } from "../adapters/slack/conversation.ts";
import { identify } from "../adapters/slack/identify.ts";
import { createSlackPeople } from "../adapters/slack/people.ts";
import { createReceive } from "../adapters/slack/receive.ts";
import { createSlackSurfaces } from "../adapters/slack/surfaces.ts";
import { createTell } from "../adapters/slack/tell.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { createCommands } from "../core/command/commands.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Conversation } from "../core/ports/conversation.ts";
import type { Log } from "../core/ports/log.ts";
import type { Surface } from "../core/ports/surface.ts";
import type { Transcripts } from "../core/ports/transcripts.ts";
import type { Intake } from "../core/run/intake.ts";
import type { SessionId } from "../core/thread.ts";
import { untilThere } from "./until-there.ts";

export interface Slack {
  surfaceOf(session: SessionId): Surface;
  readonly conversation: Conversation;
  /** The way in; not started yet. Aborting the signal of `openSlack` ends it, also while it waits for Slack. */
  connect(deps: { readonly intake: Intake; readonly transcripts: Transcripts }): SlackConnection;
  close(): Promise<void>;
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
 * Nothing without a bot token. Waits for a Slack that cannot be reached.
 * @throws BobbinError when Slack does not take the token.
 */
export async function openSlack(
  deps: { readonly clock: Clock; readonly log: Log },
  settings: SlackSettings,
  signal: AbortSignal,
): Promise<Slack | undefined> {
  const { slackBotToken: botToken, slackApiUrl } = settings;
  if (botToken === undefined) return undefined;
  const elsewhere = slackApiUrl === undefined ? {} : { apiUrl: `${slackApiUrl.replace(/\/$/, "")}/` };
  const api = createSlackApi(deps, { token: botToken, ...elsewhere });
  const bot = await untilThere("Slack", () => identify(api), deps, signal);
  const surfaces = createSlackSurfaces({ api, ...deps });
  const people = createSlackPeople({ api, clock: deps.clock });
  return {
    surfaceOf: (session) => surfaces.of(session),
    conversation: createSlackConversation({ api, people, log: deps.log }, { bot }),
    connect({ intake, transcripts }) {
      const receive = createReceive(
        {
          intake,
          transcripts,
          people,
          commands: createCommands(
            { intake, transcripts, clock: deps.clock },
            { written: (name) => `@${bot.name} ${name}` },
          ),
          tell: createTell({ api, log: deps.log }),
          showIdle: (session) => surfaces.status.show(session, "idle"),
          ...deps,
        },
        bot,
      );
      const inlet = inletOf(settings, elsewhere);
      const connection = new SlackConnection({ receive, ...deps }, { inlet, bot, botToken, ...elsewhere });
      const leave = (): void => {
        connection.stop().catch((error: unknown) => deps.log.warn("Slack was not left cleanly", { error }));
      };
      signal.addEventListener("abort", leave, { once: true });
      return connection;
    },
    close: () => surfaces.stop(),
  };
}

function inletOf(settings: SlackSettings, elsewhere: { readonly apiUrl?: string }): SlackInlet {
  const { slackAppToken, slackSigningSecret } = settings;
  if (slackAppToken !== undefined) return { kind: "socket", appToken: slackAppToken, ...elsewhere };
  // The settings ask for one of the two.
  return { kind: "http", signingSecret: slackSigningSecret ?? "" };
}
