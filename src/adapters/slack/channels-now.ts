/** What Slack says of a channel now: whether it is for some people only. */

import type { ChannelsNow } from "../../core/ports/channel-privacy.ts";
import { isDirectChannel } from "./identity.ts";
import { fieldsOf } from "./payload.ts";
import type { SlackSpaces } from "./spaces.ts";

/** Slack's word for one that the bot cannot see: a public one it could, so it is private or deleted. */
const UNSEEN = "channel_not_found";

export function createSlackChannelsNow(spaces: Pick<SlackSpaces, "at">): ChannelsNow {
  return {
    async isPrivate({ space, channel }) {
      // Its address says that it is of one person; that is told by itself.
      if (isDirectChannel(channel)) return false;
      const at = spaces.at(space);
      if ((await at.known()).kind === "gone") return undefined;
      const answer = await at.api.call("conversations.info", { channel });
      if (answer.kind === "refused" && answer.code === UNSEEN) return true;
      if (answer.kind !== "ok") return undefined;
      const { is_private: isPrivate, is_mpim: isGroup } = fieldsOf(answer.data["channel"]);
      return isPrivate === true || isGroup === true;
    },
  };
}
