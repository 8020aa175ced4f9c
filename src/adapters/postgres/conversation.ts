/** What was said in the web chat, for tools that read back. */

import type { Conversation, Said } from "../../core/ports/conversation.ts";
import { newestReset } from "./resets.ts";
import type { Sql } from "./sql.ts";
import { channelOf } from "./web-messages.ts";

interface SaidRow {
  readonly id: string;
  readonly speaker: string;
  readonly sender: "person" | "bot";
  readonly text: string;
  readonly at: number;
}

/**
 * $1: session or channel. $2: the message that it has to stand before, or null. $4: the session that reads. Of its own thread
 * it sees nothing from before the newest reset, since that is what people were told; a reply that is still being written
 * is nothing that was said.
 */
function reading(where: "session" | "channel"): { readonly name: string; readonly text: string } {
  return {
    name: `conversation-${where}`,
    text: `
select id, speaker, sender, text, at
from (
  select m.n, m.id, m.speaker, m.sender, m.page->>'markdown' as text, m.at from web_messages m
  where m.${where} = $1 and not m.deleted and not (m.sender = 'bot' and m.page ? 'status')
    and (m.session <> $4 or m.at > coalesce(${newestReset("$4")}, 0))
    and ($2::text is null or m.n < (select max(b.n) from web_messages b where b.${where} = $1 and b.id = $2))
  order by m.n desc limit $3::integer) newest
order by n`,
  };
}

const THREAD = reading("session");
const CHANNEL = reading("channel");

/** An unknown `beforeId` answers nothing. */
export function createConversation(sql: Sql): Conversation {
  return {
    async read(session, { where, limit, beforeId }, signal) {
      signal.throwIfAborted();
      const rows = await sql.query<SaidRow>(where === "thread" ? THREAD : CHANNEL, [
        where === "thread" ? session : channelOf(session),
        beforeId ?? null,
        limit + 1,
        session,
      ]);
      signal.throwIfAborted();
      const messages = rows.map(({ sender, ...row }): Said => ({ ...row, isBot: sender === "bot" }));
      return { messages: messages.slice(-limit), isPartial: messages.length > limit };
    },
  };
}
