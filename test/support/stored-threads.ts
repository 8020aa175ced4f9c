// Threads as a bot has left them, written straight into its tables: for those who only read them.
import type { EntryBody } from "../../src/core/entry.ts";
import { createReactionBook } from "../../src/adapters/postgres/reactions.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { InboundId } from "../../src/core/ids.ts";
import { cleanJsonText } from "../../src/core/text.ts";
import { threadOf, toSessionId, type SessionId } from "../../src/core/thread.ts";

export interface StoredThread {
  readonly session: string;
  /** Said by people and answered by the bot, in turns; the first is a person's. */
  readonly said: readonly string[];
  readonly author?: { readonly id: string; readonly name: string };
  /** ms since 1970 of the first entry; each further one is a second later. */
  readonly at?: number;
  readonly isDirect?: true;
  readonly reason?: string;
  readonly error?: string;
  readonly cost?: number;
  readonly model?: string;
}

export const sessionNamed = (text: string): SessionId => {
  const session = toSessionId(text);
  if (session === undefined) throw new Error(`no session id: ${text}`);
  return session;
};

/** An emoji that somebody gave to its message number `n`, which is a person's or, shown on one page, the bot's. */
export interface StoredReaction {
  readonly n: number;
  readonly person: { readonly id: string; readonly name: string };
  readonly shown: string;
  /** ms since 1970. */
  readonly at: number;
  readonly takenAt?: number;
}

const ask = (text: string, values: readonly (string | number | null)[], sql: Sql): Promise<unknown> =>
  sql.query({ text }, values);

let runs = 0;

/** @param ids those of the thread's runs. */
export async function storeReactions(
  sql: Sql,
  session: string,
  ids: readonly string[],
  reactions: readonly StoredReaction[],
): Promise<void> {
  const book = createReactionBook(sql);
  const near = threadOf(sessionNamed(session));
  for (const { n, person, shown, at, takenAt } of reactions) {
    const message = `${near.channel}-${n}`;
    if (n % 2 === 1)
      await ask(
        `insert into pages (run, index, key, message) values ($1, 0, 'k', $2) on conflict do nothing`,
        [ids[(n - 1) / 2] ?? "", message],
        sql,
      );
    const inbound = `${session}/message/${n}` as InboundId;
    const reaction = { near, message, inbound, person, emoji: shown, shown };
    await book.put({ ...reaction, kind: "given", at });
    if (takenAt !== undefined) await book.put({ ...reaction, kind: "taken", at: takenAt });
  }
}

/** @returns the ids of its runs. */
export async function storeThread(sql: Sql, thread: StoredThread): Promise<readonly string[]> {
  const {
    session,
    said,
    author = { id: "U1", name: "Ana" },
    at = Date.UTC(2026, 5, 1),
    model = "gpt-x",
  } = thread;
  const ids: string[] = [];
  await ask(
    `insert into sessions (id, fence, rev, last_seq, created_at, touched_at) values ($1, 1, 1, $2, $3, $4)
     on conflict (id) do update set rev = sessions.rev + 1, last_seq = excluded.last_seq, touched_at = excluded.touched_at`,
    [session, said.length, at, at + said.length * 1_000],
    sql,
  );
  const known = sessionNamed(session);
  const { channel } = threadOf(known);
  for (const [n, text] of said.entries()) {
    const isPerson = n % 2 === 0;
    const inbound = `${session}/message/${n}`;
    if (isPerson) ids.push(`run${String(++runs).padStart(21, "0")}`);
    const run = ids.at(-1) ?? "";
    const entry: EntryBody = isPerson
      ? { v: 1, kind: "user", author, parts: [{ kind: "text", text }] }
      : { v: 1, kind: "assistant", text, calls: [] };
    if (isPerson) {
      const body = cleanJsonText({
        v: 1,
        kind: "message",
        id: inbound,
        session,
        author,
        at: at + n * 1_000,
        addressed: true,
        message: `${channel}-${n}`,
        parts: [{ kind: "text", text }],
        ...(thread.isDirect ? { where: { isDirect: true } } : {}),
      });
      await ask(
        `insert into inbox (id, session, kind, message, at, body, state, run, fate, rule)
         values ($1, $2, 'message', $3, $4, $5::jsonb, 'done', $6, 'answered', 'members: one of them')`,
        [inbound, session, `${channel}-${n}`, at + n * 1_000, body, run],
        sql,
      );
      await ask(
        `insert into runs (id, session, cause, epoch, rounds, reply, admitted_seq, requester, reason, error_code, error_message, started_at, ended_at)
         values ($1, $2, 'message', 1, 1, 'settled', 1, $3::jsonb, $4, $5, $6, $7::bigint, $7::bigint + 900)`,
        [
          run,
          session,
          cleanJsonText(author),
          thread.reason ?? "stop",
          thread.error ?? null,
          thread.error ?? null,
          at + n * 1_000,
        ],
        sql,
      );
      await ask(
        `insert into attempts (run, fence, session, worker, ended) values ($1, 1, $2, 'w/1', 'ended')`,
        [run, session],
        sql,
      );
      await ask(
        `insert into model_calls (id, session, run, epoch, round, model, prompt_hash, tools_hash, first_seq, last_seq, excluded,
           params, input, output, cost, tries, started_at, duration_ms, outcome)
         values ('c' || $1, $2, $1, 1, 1, $3, 'p', 't', 1, $4, '[]', '{"v":1,"model":{"contextWindow":1000}}', 100, 20, $5, '[]', $6, 850, 'done')`,
        [run, session, model, n + 1, thread.cost ?? 0.01, at + n * 1_000],
        sql,
      );
    }
    await ask(
      `insert into entries (session, epoch, seq, run, round, kind, body, inbound, created_at)
       values ($1, 1, $2, $3, $4, $5, $6::json, $7, $8)`,
      [
        session,
        n + 1,
        run,
        isPerson ? 0 : 1,
        entry.kind,
        cleanJsonText(entry),
        isPerson ? inbound : null,
        at + n * 1_000,
      ],
      sql,
    );
  }
  return ids;
}
