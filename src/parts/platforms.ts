/** Slack and Discord, each only where it is configured: else nothing of it is loaded, and whoever starts without it starts sooner. */

import type { Discord, openDiscord as OpenDiscord } from "./discord.ts";
import type { openSlack as OpenSlack, Slack } from "./slack.ts";

/**
 * Nothing where neither a bot token nor an app for many workspaces is configured.
 * @throws BobbinError when Slack does not take the token. A Slack that cannot be reached is asked again until it answers.
 */
export async function openSlack(...given: Parameters<typeof OpenSlack>): Promise<Slack | undefined> {
  const [{ stored }, { slackBotToken }] = given;
  if (slackBotToken === undefined && stored === undefined) return undefined;
  const slack = await import("./slack.ts");
  return slack.openSlack(...given);
}

/**
 * Nothing without a token.
 * @throws BobbinError when Discord does not take it. A Discord that cannot be reached is asked again until it answers.
 */
export async function openDiscord(...given: Parameters<typeof OpenDiscord>): Promise<Discord | undefined> {
  const [, { discordToken }] = given;
  if (discordToken === undefined) return undefined;
  const discord = await import("./discord.ts");
  return discord.openDiscord(...given);
}
