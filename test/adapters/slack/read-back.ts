// What was said in the local Slack, as the bot reads it back: for the model's tool, and for the first turn in a thread.
import { createSlackConversation } from "../../../src/adapters/slack/conversation.ts";
import { createSlackPeople } from "../../../src/adapters/slack/people.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import type { OpenConversation } from "../../../src/core/ports/conversation.ts";
import { createBacklog, type Backlog } from "../../../src/core/run/backlog.ts";
import { accessWith } from "../../support/access.ts";
import { silentLog } from "../../support/silent-log.ts";
import { storesOver } from "../postgres/store-subject.ts";
import type { OutboundWorld } from "./outbound-world.ts";

const clock = createSystemClock();

/** @param mostPages of the API's, for one look. Default 10. */
export function conversationIn(
  { api, slack }: Pick<OutboundWorld, "api" | "slack">,
  mostPages = 10,
): OpenConversation {
  const { botUserId: user, botId: bot, name } = slack.app;
  const people = createSlackPeople({ api, clock });
  return createSlackConversation(
    { api, people, log: silentLog },
    { bot: { space: slack.teamId, user, bot, name }, mostPages },
  );
}

/** What a first turn begins with, stored in a real database. */
export function backlogOf(sql: Sql, conversation: OpenConversation): Backlog {
  const { store, inbox } = storesOver(sql);
  return createBacklog({
    store,
    inbox,
    access: accessWith(),
    clock,
    log: silentLog,
    conversationOf: () => conversation,
  });
}
