/** What the settings say of Slack, for whoever asks before anything of Slack is loaded. */

import type { Settings } from "../adapters/settings/settings.ts";

export type SlackSettings = Pick<
  Settings,
  | "slackBotToken"
  | "slackAppToken"
  | "slackSigningSecret"
  | "slackClientId"
  | "slackClientSecret"
  | "slackApiUrl"
  | "publicUrl"
  | "secretKey"
  | "config"
>;

/** Whether something of Slack's comes to our HTTP server: its requests, or people who install the app. */
export function isSlackOverHttp(settings: SlackSettings): boolean {
  const { slackBotToken, slackAppToken, slackClientId } = settings;
  return slackClientId !== undefined || (slackBotToken !== undefined && slackAppToken === undefined);
}
