/** In which channels somebody is, as far as the bot may know: its own and the public ones. */

import type { SlackApi } from "./api.ts";
import { fieldsOf, listOf, textOf } from "./payload.ts";

/** What one answer holds at most, and how many are read: who is in more channels is not known to be in the others. */
const PAGE = 999;
const MOST_PAGES = 5;

/**
 * Undefined when Slack did not say.
 * @param team the workspace that is meant, for an install of a whole organisation.
 */
export async function channelsOf(
  api: SlackApi,
  user: string,
  team?: string,
): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await api.call("users.conversations", {
      user,
      types: "public_channel,private_channel,mpim",
      limit: PAGE,
      team_id: team,
      cursor,
    });
    if (answer.kind !== "ok") return undefined;
    for (const channel of listOf(answer.data["channels"])) {
      const id = textOf(fieldsOf(channel)["id"]);
      if (id !== undefined) found.add(id);
    }
    cursor = textOf(fieldsOf(answer.data["response_metadata"])["next_cursor"]);
    if (cursor === undefined) break;
  }
  return found;
}
