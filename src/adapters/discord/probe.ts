/** Asks Discord once about the token, for `doctor`: whose it is, what the bot may read, what it may do in each
 * server, and whether its commands are known. Changes nothing. */

import {
  Routes,
  type APIApplicationCommand,
  type RESTAPIPartialCurrentUserGuild,
  type RESTGetAPIGatewayBotResult,
} from "discord-api-types/v10";
import { toBobbinError } from "../../core/errors.ts";
import type { Log } from "../../core/ports/log.ts";
import { createDiscordApi, type DiscordApi } from "./api.ts";
import { unregistered } from "./commands.ts";
import { identify, type DiscordIdentity } from "./identify.ts";
import { invitationOf, missingIn, PERMISSIONS } from "./permissions.ts";

export interface DiscordFinding {
  readonly state: "ok" | "warn" | "fail";
  /** One plain sentence without a token. */
  readonly sentence: string;
  /** What to do about it. */
  readonly next?: string;
}

export interface DiscordAccess {
  readonly token: string;
  /** As the settings name it. */
  readonly clientId: string | undefined;
  readonly apiUrl: string | undefined;
}

const INTENT_PAGE = "the page Bot of your application on discord.com/developers";
/** A server or two of many say enough. */
const MOST_SERVERS = 20;

/** Never throws. */
export async function probeDiscord(
  deps: { readonly log: Log },
  { token, clientId, apiUrl }: DiscordAccess,
): Promise<readonly DiscordFinding[]> {
  const api = createDiscordApi(deps, {
    token,
    timeoutMs: 5_000,
    ...(apiUrl === undefined ? {} : { apiUrl }),
  });
  try {
    const bot = await identify(api);
    const findings: DiscordFinding[] = [{ state: "ok", sentence: `Discord knows the bot as ${bot.name}.` }];
    if (clientId !== undefined && clientId !== bot.app) {
      const sentence = `DISCORD_CLIENT_ID is not the id of the application of DISCORD_TOKEN, which is ${bot.app}.`;
      findings.push({ state: "fail", sentence, next: `Set DISCORD_CLIENT_ID to ${bot.app}, or unset it.` });
    }
    if (!bot.mayReadContent) {
      const sentence =
        "The Message Content Intent is off: in threads Bobbin reads only messages that mention it.";
      findings.push({
        state: "fail",
        sentence,
        next: `Switch the Message Content Intent on, on ${INTENT_PAGE}.`,
      });
    }
    return [...findings, ...(await entries(api)), await commands(api, bot), ...(await servers(api, bot.app))];
  } catch (error) {
    const { message, retryable } = toBobbinError(error);
    const next = "Correct DISCORD_TOKEN, or the way from this machine to Discord.";
    return [{ state: retryable ? "warn" : "fail", sentence: message, next }];
  } finally {
    api.close();
  }
}

async function entries(api: DiscordApi): Promise<readonly DiscordFinding[]> {
  const answer = await api.call("GET", Routes.gatewayBot());
  if (answer.kind !== "ok")
    return [{ state: "warn", sentence: "Discord does not tell the way to its gateway now." }];
  const { remaining, total } = (answer.data as RESTGetAPIGatewayBotResult).session_start_limit;
  const sentence = `Discord's gateway takes the bot ${remaining} times more today, of ${total}.`;
  return [{ state: remaining * 10 > total ? "ok" : "warn", sentence }];
}

async function commands(api: DiscordApi, { app, installs }: DiscordIdentity): Promise<DiscordFinding> {
  const answer = await api.call("GET", Routes.applicationCommands(app));
  if (answer.kind !== "ok")
    return { state: "warn", sentence: "Discord does not tell the commands of the bot now." };
  const missing = unregistered(answer.data as readonly APIApplicationCommand[], installs);
  if (missing.length === 0) return { state: "ok", sentence: "Discord has all commands of Bobbin." };
  return {
    state: "warn",
    sentence: `Discord does not have these commands as they are today: ${missing.join(", ")}.`,
    next: "Start Bobbin: whoever listens to Discord registers its commands.",
  };
}

async function servers(api: DiscordApi, app: string): Promise<readonly DiscordFinding[]> {
  const answer = await api.call("GET", Routes.userGuilds());
  if (answer.kind !== "ok")
    return [{ state: "warn", sentence: "Discord does not tell the servers of the bot now." }];
  const guilds = answer.data as readonly RESTAPIPartialCurrentUserGuild[];
  const next = `Invite the bot: ${invitationOf(app)}`;
  if (guilds.length === 0)
    return [{ state: "warn", sentence: "The bot is in no server of Discord's yet.", next }];
  return guilds.slice(0, MOST_SERVERS).flatMap(({ name, permissions }): readonly DiscordFinding[] => {
    const missing = missingIn(permissions);
    if (missing.length === 0)
      return [{ state: "ok", sentence: `In the server ${name} the bot may do all that it needs.` }];
    return missing.map((permission) => ({
      state:
        permission === "Embed Links" || permission === "Attach Files" || permission === "Add Reactions"
          ? "warn"
          : "fail",
      sentence: `In the server ${name} the bot lacks the permission ${permission}: Bobbin ${PERMISSIONS[permission]?.harm ?? ""}.`,
      next: `Give the bot's role in ${name} the permission ${permission}, or invite the bot again: ${invitationOf(app)}`,
    }));
  });
}
