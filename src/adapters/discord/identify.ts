/** Asks Discord whose token this is. */

import {
  ApplicationFlags,
  ApplicationIntegrationType,
  Routes,
  type APIApplication,
  type APIUser,
} from "discord-api-types/v10";
import { BobbinError } from "../../core/errors.ts";
import type { DiscordAnswer, DiscordApi } from "./api.ts";
import type { DiscordBot } from "./identity.ts";

export interface DiscordIdentity extends DiscordBot {
  /** Whether the portal lets the bot read messages that do not mention it. */
  readonly mayReadContent: boolean;
  /** Who can have the bot, as the portal says: servers, or also people for themselves. */
  readonly installs: readonly ApplicationIntegrationType[];
}

/**
 * @throws BobbinError `platform_refused` when the token is not taken, else `platform_unavailable`, which is retryable: then
 * Discord may answer later.
 */
export async function identify(api: DiscordApi): Promise<DiscordIdentity> {
  const user = dataOf(await api.call("GET", Routes.user())) as APIUser;
  const application = dataOf(await api.call("GET", Routes.currentApplication())) as APIApplication;
  const flags = application.flags ?? 0;
  const mayRead = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
  return {
    app: application.id,
    user: user.id,
    name: user.global_name ?? user.username,
    mayReadContent: (flags & mayRead) !== 0,
    installs: installsOf(application),
  };
}

/** Discord refuses commands for a kind of install that the portal does not allow. */
function installsOf({
  integration_types_config: config,
}: APIApplication): readonly ApplicationIntegrationType[] {
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return config !== undefined && UserInstall in config ? [GuildInstall, UserInstall] : [GuildInstall];
}

function dataOf(answer: DiscordAnswer): unknown {
  switch (answer.kind) {
    case "ok":
      return answer.data;
    case "token_refused":
      throw notTaken(401);
    case "refused":
      throw notTaken(answer.status);
    case "rate_limited":
      throw away("Discord takes no question for a while.");
    case "http":
      throw away(`Discord answers with the status ${answer.status}.`);
    case "unknown":
    case "unreachable":
      throw away(`Discord cannot be reached (${answer.why}).`);
    default:
      return answer satisfies never;
  }
}

function notTaken(status: number): BobbinError {
  const fix = "Copy it anew from the Bot page of your application.";
  return new BobbinError("platform_refused", `Discord does not take DISCORD_TOKEN (HTTP ${status}). ${fix}`);
}

function away(sentence: string): BobbinError {
  return new BobbinError("platform_unavailable", sentence, { retryable: true });
}
