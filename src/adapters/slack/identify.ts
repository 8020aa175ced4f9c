/** Asks Slack whose token this is. */

import { BobbinError } from "../../core/errors.ts";
import type { SlackApi } from "./api.ts";
import type { SlackBot } from "./identity.ts";
import { textOf } from "./payload.ts";

/** Which token it is, as a person calls it, and how another one is got. */
export interface TokenName {
  readonly called: string;
  readonly fix: string;
}

export const TOKEN_OF_ENVIRONMENT: TokenName = {
  called: "SLACK_BOT_TOKEN",
  fix: "Copy it anew from the page of your app, after installing it.",
};

/**
 * @throws BobbinError `platform_refused` when the token is not taken, else `platform_unavailable`, which is retryable: then
 * Slack may answer later.
 */
export async function identify(
  api: SlackApi,
  { called, fix }: TokenName = TOKEN_OF_ENVIRONMENT,
): Promise<SlackBot> {
  const answer = await api.call("auth.test", {});
  switch (answer.kind) {
    case "ok": {
      const { is_enterprise_install: isWide, enterprise_id: enterprise, team_id: team } = answer.data;
      const space = isWide === true ? textOf(enterprise) : textOf(team);
      const user = textOf(answer.data["user_id"]);
      const bot = textOf(answer.data["bot_id"]);
      if (space !== undefined && user !== undefined && bot !== undefined) {
        const url = textOf(answer.data["url"]);
        const name = textOf(answer.data["user"]) ?? "bot";
        return { space, user, bot, name, ...(url !== undefined && URL.canParse(url) ? { url } : {}) };
      }
      throw new BobbinError(
        "platform_refused",
        `${called} is no bot's token. Use the one that begins with xoxb-.`,
      );
    }
    case "refused":
      throw new BobbinError("platform_refused", `Slack does not take ${called} (${answer.code}). ${fix}`);
    case "rate_limited":
      throw away("Slack takes no question for a while.");
    case "http":
      throw away(`Slack answers with the status ${answer.status}.`);
    case "unknown":
    case "unreachable":
      throw away(`Slack cannot be reached (${answer.why}).`);
    default:
      return answer satisfies never;
  }
}

function away(sentence: string): BobbinError {
  return new BobbinError("platform_unavailable", sentence, { retryable: true });
}
