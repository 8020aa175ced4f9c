/**
 * `npm run bench:admin`: how long the admin pages' questions take over many threads, beside the bare query on the same index.
 * `npm run bench:admin -- --sessions 100000 --entries 50`. Prints a table of medians and 95th percentiles, ms. `--at URL` names a
 * database that stays: it is filled where it is empty, and only asked where it is not.
 */

import { parseArgs } from "node:util";
import { downloadOf } from "../src/adapters/admin/export/download.ts";
import { jsonl } from "../src/adapters/admin/export/format.ts";
import { behindOthers } from "../src/adapters/postgres/admin/behind-others.ts";
import { createExports } from "../src/adapters/postgres/admin/exports.ts";
import { createOverviewMaker } from "../src/adapters/postgres/admin/overview-maker.ts";
import { createOverviews } from "../src/adapters/postgres/admin/overviews.ts";
import { createReview } from "../src/adapters/postgres/admin/review.ts";
import { migrate } from "../src/adapters/postgres/migrate.ts";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import type { Sql } from "../src/adapters/postgres/sql.ts";
import { createSystemClock } from "../src/adapters/system-clock.ts";
import { exportThreads, type ExportCounts } from "../src/core/admin/export/export-threads.ts";
import { wantedIn } from "../src/core/admin/words.ts";
import { maskEntropy } from "../src/core/mask-entropy.ts";
import { maskPatterns } from "../src/core/mask.ts";
import type { SessionId } from "../src/core/thread.ts";
import { openServices } from "./services.ts";

const SPACE = { platform: "slack", space: "T1" } as const;
const TIMES = 60;

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "4000" },
    /** Of each thread; half of them are a person's, and each of those begins a run. */
    entries: { type: "string", default: "50" },
    /** Threads whose overview is made by the product; those of the others are copied from it in the database. */
    made: { type: "string", default: "1000" },
    at: { type: "string" },
    /** Threads that are exported; all that are there by default. */
    exported: { type: "string" },
  },
});
const [sessions, entries, made] = [Number(values.sessions), Number(values.entries), Number(values.made)];

const exportedThreads = Number(values.exported ?? sessions);

/** Texts that the entries draw from: made once, since each word costs as much as a row. */
const TEXTS = 20_000;

/** Words as seldom as their number is high: the first is in every third text. */
const WORDS = `(select string_agg('w' || floor(exp(random() * 9))::text, ' ') from generate_series(1, 40 + n % 3))`;

/** What is in few entries, and in another script. @param g number of the entry. */
const seldom = (g: string): string =>
  `case when ${g} % 97 = 0 then ' 数据库的部署失败了' else '' end || case when ${g} % 49999 = 0 then ' heron' else '' end`;

/** The words of the text of an entry as they are found; `t` is its row of `bench_texts`. */
const wordsOf = (g: string): string =>
  `case when ${g} % 97 = 0 or ${g} % 49999 = 0 then array_to_tsvector(tsvector_to_array(t.words)
     || case when ${g} % 97 = 0 then array['数据', '据库', '库的', '的部', '部署', '署失', '失败', '败了'] else '{}' end
     || case when ${g} % 49999 = 0 then array['heron'] else '{}' end) else t.words end`;

const session = (g: string): string => `'slack:T1:C' || (${g} % 50) || ':' || ${g} || '.1'`;

async function seed(sql: Sql): Promise<void> {
  const total = sessions * entries;
  const half = Math.ceil(entries / 2);
  const say = async (what: string, text: string): Promise<void> => {
    const begun = performance.now();
    await sql.query({ text });
    process.stderr.write(`${what}: ${Math.round((performance.now() - begun) / 1000)} s\n`);
  };
  await sql.query({
    text: `create table bench_texts as select n, ${WORDS} as text from generate_series(0, ${TEXTS - 1}) n`,
  });
  await sql.query({ text: `alter table bench_texts add column words tsvector` });
  await sql.query({
    text: `update bench_texts set words = array_to_tsvector(array_append(array(select distinct w from regexp_split_to_table(text, ' ') w), '@slack:T1'))`,
  });
  await sql.query({ text: "analyze bench_texts" });
  await say(
    "threads",
    `insert into sessions (id, rev, last_seq, created_at, touched_at)
     select ${session("s")}, 1, ${entries}, s * 1000, s * 1000 + 900 from generate_series(0, ${sessions - 1}) s`,
  );
  await say(
    "entries",
    `insert into entries (session, epoch, seq, run, round, kind, body, created_at)
     select ${session(`(g / ${entries})`)}, 1, g % ${entries} + 1, 'r' || (g / 2), g % 2, case g % 2 when 0 then 'user' else 'assistant' end,
       case g % 2 when 0 then json_build_object('v', 1, 'kind', 'user', 'parts', json_build_array(json_build_object('kind', 'text', 'text', t.text || ${seldom("g")})))
       else json_build_object('v', 1, 'kind', 'assistant', 'text', t.text || ${seldom("g")}, 'calls', '[]'::json) end, g * 20
     from generate_series(0, ${total - 1}) g join bench_texts t on t.n = g % ${TEXTS}`,
  );
  await say(
    "runs",
    `insert into runs (id, session, cause, epoch, rounds, reply, admitted_seq, requester, reason, started_at, ended_at)
     select 'r' || g, ${session(`(g / ${half})`)}, 'message', 1, 1, 'settled', g, '{"id":"U1","name":"Ana"}', 'stop', g * 40, g * 40 + 30
     from generate_series(0, ${sessions * half - 1}) g`,
  );
  await say(
    "messages",
    `insert into inbox (id, session, kind, message, at, body, state, run, fate, received_at)
     select 'i' || g, ${session(`(g / ${half})`)}, 'message', 'm' || g, g, json_build_object('v', 1, 'kind', 'message', 'id', 'i' || g,
       'session', ${session(`(g / ${half})`)}, 'author', json_build_object('id', 'U' || g % 2000, 'name', 'P'), 'at', g, 'message', 'm' || g,
       'parts', json_build_array(json_build_object('kind', 'text', 'text', 'question ' || g)))::jsonb, 'done', 'r' || g, 'answered', g * 40
     from generate_series(0, ${sessions * half - 1}) g`,
  );
  await say(
    "calls",
    `insert into model_calls (id, session, run, epoch, round, model, prompt_hash, tools_hash, first_seq, last_seq, excluded, params, input,
       output, cost, tries, started_at, duration_ms, outcome)
     select 'c' || g, ${session(`(g / ${half})`)}, 'r' || g, 1, 1, 'm', 'p', 't', 1, 1, '[]', '{"model":{"contextWindow":100000}}', 100, 20, 0.01,
       '[]', g * 40, 25, 'done' from generate_series(0, ${sessions * half - 1}) g`,
  );
  await sql.query({ text: "analyze" });
}

/** @returns ms that one thread took. */
async function makeOverviews(sql: Sql): Promise<number[]> {
  const maker = createOverviewMaker(sql);
  const took: number[] = [];
  const rows = await sql.query<{ id: SessionId }>({
    text: `select id from sessions order by touched_at desc limit ${made}`,
  });
  for (const { id } of rows) {
    const begun = performance.now();
    await maker.make(id);
    took.push(performance.now() - begun);
  }
  if (made >= sessions) return took;
  await sql.query({
    text: `insert into overviews (session, platform, space, channel, rev, seq, started_at, touched_at, said, people, is_direct, runs, rounds,
       model, cause, reason, has_error, has_goal, tokens, cost, context_tokens, context_window)
     select s.id, 'slack', 'T1', split_part(s.id, ':', 3), s.rev, s.last_seq, s.created_at, s.touched_at, 'question', '["U1"]', false, ${Math.ceil(entries / 2)},
       ${Math.ceil(entries / 2)}, 'm', 'message', 'stop', false, false, 100, 0.1, 100, 100000
     from sessions s on conflict do nothing`,
  });
  // Its index is made behind it: entered row by row it would take twenty times as long.
  await sql.query({ text: "drop index search_lines_words" });
  await sql.query({
    text: `insert into search_lines (session, epoch, seq, at, words)
     select e.session, e.epoch, e.seq, e.created_at, ${wordsOf("(e.created_at / 20)")}
     from entries e join bench_texts t on t.n = (e.created_at / 20) % ${TEXTS} on conflict do nothing`,
  });
  await sql.query({ text: "create index search_lines_words on search_lines using gin (words)" });
  return took;
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);

function row(name: string, took: readonly number[]): string {
  const sorted = took.toSorted((a, b) => a - b);
  return `| ${name} | ${at(sorted, 0.5)} | ${at(sorted, 0.95)} |`;
}

async function measured(name: string, ask: (n: number) => Promise<unknown>): Promise<string> {
  await ask(0);
  const took: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const begun = performance.now();
    await ask(n);
    took.push(performance.now() - begun);
  }
  return row(name, took);
}

/** An export of so many threads as lines, through the stream that a browser reads: how long, how much, and how far memory went up. */
async function exported(sql: Sql): Promise<void> {
  const clock = createSystemClock();
  const counts: ExportCounts = { threads: 0, leftOut: 0, items: 0 };
  const over = new AbortController();
  const deps = {
    exports: createExports(behindOthers(sql), () => false),
    clock,
    mask: (text: string) => maskEntropy(maskPatterns(text)),
  };
  async function* pieces(): AsyncGenerator<string, void, undefined> {
    const scope = { kind: "filter", filter: {}, includes: () => counts.threads < exportedThreads } as const;
    const options = { counts, signal: over.signal, before: () => Promise.resolve() };
    for await (const item of exportThreads(deps, SPACE, scope, options)) {
      yield jsonl.item(item);
      if (counts.threads >= exportedThreads) return;
    }
  }
  const rss: number[] = [];
  const looking = setInterval(() => rss.push(process.memoryUsage().rss / 2 ** 20), 100);
  const begun = performance.now();
  let bytes = 0;
  const stream = downloadOf(pieces(), clock, { over, ended: () => Promise.resolve() });
  for await (const chunk of stream) bytes += chunk.length;
  clearInterval(looking);
  const seconds = (performance.now() - begun) / 1000;
  const quarter = (n: number): string => {
    const part = rss.slice(Math.floor((rss.length * n) / 4), Math.floor((rss.length * (n + 1)) / 4));
    return Math.max(...part).toFixed(0);
  };
  process.stdout.write(
    `export: ${counts.threads} threads, ${counts.items} items, ${(bytes / 2 ** 20).toFixed(0)} MB in ${seconds.toFixed(0)} s; ` +
      `most memory in each quarter of the time, MB: ${[0, 1, 2, 3].map(quarter).join(", ")}\n`,
  );
}

await using stack = new AsyncDisposableStack();
if (values.at !== undefined) await migrate(values.at);
const url = values.at ?? (await stack.use(await openServices()).newDatabase()).url;
const sql = openPostgres({ url, statementTimeoutMs: 3_600_000 });
try {
  const [found] = await sql.query<{ isFilled: boolean }>({
    text: `select to_regclass('bench_texts') is not null as "isFilled"`,
  });
  const isFilled = found?.isFilled === true;
  if (!isFilled) await seed(sql);
  const making = isFilled ? [] : await makeOverviews(sql);
  if (!isFilled) await sql.query({ text: "vacuum analyze" });
  await sql.query({
    text: `insert into channel_privacy (platform, space, channel, is_private)
      select distinct platform, space, channel, false from overviews on conflict do nothing`,
  });
  const overviews = createOverviews(sql, () => false, behindOthers(sql));
  const review = createReview(sql);
  const middle = Math.floor(sessions / 2);
  const search =
    (text: string, more: Pick<Parameters<typeof overviews.search>[2], "before" | "filter"> = {}) =>
    () =>
      overviews.search(SPACE, wantedIn(text)!, { limit: 50, opened: new Set(), ...more });
  const inChannel = { filter: { channel: "C7" } };
  const { older } = await search("w1")();
  const { older: channelOlder } = await search("w1", inChannel)();
  const thread = (n: number): SessionId => {
    const s = (n * 7919) % sessions;
    return `slack:T1:C${s % 50}:${s}.1` as SessionId;
  };
  const lines = [
    `| ${sessions} threads, ${sessions * entries} entries | median, ms | p95, ms |`,
    `| --- | --- | --- |`,
    await measured("bare: 50 overviews by their index", () =>
      sql.query({
        text: `select * from overviews where platform = 'slack' and space = 'T1' order by touched_at desc, session desc limit 50`,
      }),
    ),
    await measured("first page", () => overviews.list(SPACE, {}, { limit: 51 })),
    await measured("a page in the middle", () =>
      overviews.list(SPACE, {}, { limit: 51, after: { touchedAt: middle * 1000, session: "" } }),
    ),
    await measured("filter: channel", () => overviews.list(SPACE, { channel: "C7" }, { limit: 51 })),
    await measured("filter that nothing fits", () =>
      overviews.list(SPACE, { costOver: 1_000 }, { limit: 51 }),
    ),
    await measured("part of an id", () => overviews.find(SPACE, [`${middle}.1`], 50)),
    await measured("search: a word of every third entry", search("w1")),
    await measured(
      "search: the page behind that one",
      search("w1", older === undefined ? {} : { before: older }),
    ),
    await measured("search: the same word in one channel", search("w1", inChannel)),
    await measured(
      "search: the page behind that one",
      search("w1", channelOlder === undefined ? inChannel : { ...inChannel, before: channelOlder }),
    ),
    await measured(
      "search: the same, in threads of the older half",
      search("w1", { filter: { ...inChannel.filter, to: middle * 1000 } }),
    ),
    await measured("search: two words in one channel", search("w40 w300", inChannel)),
    await measured("search: Chinese in one channel", search("数据库的部署", inChannel)),
    await measured("search: a seldom word", search("w7000")),
    await measured("search: two words", search("w40 w300")),
    await measured("search: Chinese", search("数据库的部署")),
    await measured("search: a word of few entries", search("heron")),
    await measured("search: a word that is nowhere", search("nowhere")),
    await measured("bare: the entries of a thread by their key", (n) =>
      sql.query({ text: `select * from entries where session = $1 and epoch = 1 order by seq` }, [thread(n)]),
    ),
    await measured("transcript", (n) => review.thread(thread(n), { limit: 20 })),
    ...(making.length === 0 ? [] : [row("overview and words of a thread, made anew", making)]),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  await exported(sql);
} finally {
  await sql.close();
}
