// What a space used, added up from rows with known times.
import { expect, test } from "vitest";
import { createUsageFigures } from "../../../src/adapters/postgres/admin/usage-figures.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";

const DAY = 24 * 60 * 60_000;
const FIRST = Date.UTC(2026, 2, 1);

interface Made {
  readonly session: string;
  readonly who: string;
  readonly at: number;
  readonly ms?: number;
  readonly reason?: "stop" | "error";
  readonly calls: readonly {
    readonly model: string;
    readonly tokens: readonly [number, number, number];
    readonly cost?: number;
    readonly ms?: number;
    readonly outcome?: "failed" | "aborted";
  }[];
}

let made = 0;

async function put(sql: Sql, { session, who, at, ms, reason = "stop", calls }: Made): Promise<void> {
  const run = `run-${++made}`;
  const isOpen = ms === undefined;
  await sql.query(
    {
      text: `insert into runs (id, session, cause, epoch, admitted_seq, requester, started_at, ended_at, reply, reason)
        values ($1, $2, 'message', 1, 1, $3::jsonb, $4, $5, $6, $7)`,
    },
    [
      run,
      session,
      JSON.stringify({ id: who, name: `Name of ${who}` }),
      at,
      isOpen ? null : at + ms,
      isOpen ? "open" : "settled",
      isOpen ? null : reason,
    ],
  );
  for (const { model, tokens, cost, ms: tookMs = 10, outcome = "done" } of calls)
    await sql.query(
      {
        text: `insert into model_calls (id, session, run, epoch, round, model, prompt_hash, tools_hash, first_seq, last_seq, excluded,
          params, input, cache_read, output, cost, tries, started_at, duration_ms, outcome)
        values ($1, $2, $3, 1, 1, $4, 'p', 't', 1, 1, '[]', '{}', $5, $6, $7, $8, '[]', $9, $10, $11)`,
      },
      [`call-${++made}`, session, run, model, ...tokens, cost ?? null, at, tookMs, outcome],
    );
}

for (const { name, sql } of [postgresBackend(), pgliteBackend()])
  test(`usage is added up by day, model, channel and person, of one space and its days alone: ${name}`, async () => {
    const one = { session: "slack:T1:C1:1.1", who: "U1", at: FIRST + 1, ms: 1_000 };
    await put(sql(), { ...one, calls: [{ model: "large", tokens: [100, 50, 10], cost: 0.5 }] });
    await put(sql(), {
      ...one,
      at: FIRST + DAY - 1,
      ms: 3_000,
      reason: "error",
      calls: [{ model: "small", tokens: [10, 0, 1] }],
    });
    await put(sql(), {
      session: "slack:T1:C2:2.2",
      who: "U2",
      at: FIRST + DAY,
      calls: [
        { model: "large", tokens: [1_000, 0, 100], cost: 1.25 },
        { model: "large", tokens: [1, 2, 3], ms: 30 },
        { model: "small", tokens: [0, 0, 0], ms: 9_000, outcome: "failed" },
        { model: "none", tokens: [0, 0, 0], ms: 9_000, outcome: "aborted" },
      ],
    });
    // Neither of another space, also one whose id begins alike, nor of the day behind.
    await put(sql(), { ...one, session: "slack:T11:C1:1.1", calls: [{ model: "large", tokens: [7, 7, 7] }] });
    await put(sql(), { ...one, session: "discord:T1:C1", calls: [{ model: "large", tokens: [7, 7, 7] }] });
    await put(sql(), { ...one, at: FIRST + 2 * DAY, calls: [{ model: "large", tokens: [7, 7, 7] }] });

    const figures = createUsageFigures(sql());
    const space = { platform: "slack", space: "T1" } as const;
    const { total, days, models, channels, people } = await figures.of(space, {
      from: FIRST,
      to: FIRST + 2 * DAY,
    });
    expect(total).toEqual({
      key: "",
      runs: 3,
      failed: 1,
      medianMs: 2_000,
      p95Ms: 2_900,
      calls: 6,
      failedCalls: 1,
      input: 1_111,
      cached: 52,
      output: 114,
      cost: 1.75,
    });
    expect(days.map(({ key, runs, calls, cost }) => [key, runs, calls, cost])).toEqual([
      ["2026-03-01", 2, 2, 0.5],
      ["2026-03-02", 1, 4, 1.25],
    ]);
    expect(days[1]?.medianMs).toBeUndefined();
    expect(models.map(({ key, runs, input }) => [key, runs, input])).toEqual([
      ["large", 0, 1_101],
      ["small", 0, 10],
      ["none", 0, 0],
    ]);
    // Neither what failed nor what somebody stopped says how long an answer takes.
    expect(
      models.map(({ key, failedCalls, callMedianMs, callP95Ms }) => [
        key,
        failedCalls,
        callMedianMs,
        callP95Ms,
      ]),
    ).toEqual([
      ["large", 0, 10, 28],
      ["small", 1, 10, 10],
      ["none", 0, undefined, undefined],
    ]);
    expect(channels.map(({ key, runs, failed, output }) => [key, runs, failed, output])).toEqual([
      ["C2", 1, 0, 103],
      ["C1", 2, 1, 11],
    ]);
    expect(people.map(({ key, name: called, calls }) => [key, called, calls])).toEqual([
      ["U2", "Name of U2", 4],
      ["U1", "Name of U1", 2],
    ]);
    const nothing = await figures.of({ platform: "slack", space: "T3" }, { from: FIRST, to: FIRST + DAY });
    expect(nothing.total).toMatchObject({ runs: 0, calls: 0 });
    expect(nothing.days).toEqual([]);
  });
