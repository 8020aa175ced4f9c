/**
 * B13: claim and commit of a session whose history is short, long or very long, beside bare statements that do the same: one
 * message that waits is taken into the history of which the newest entries are read, then a reply and a tool's result are stored
 * with the record of their model call.
 */

import pg from "pg";
import { createNewId } from "../src/adapters/ids.ts";
import { createInbox } from "../src/adapters/postgres/inbox.ts";
import { openPostgres, PLANNING } from "../src/adapters/postgres/pool.ts";
import { createRunStore } from "../src/adapters/postgres/run-store.ts";
import { createSystemClock } from "../src/adapters/system-clock.ts";
import type { SessionId } from "../src/core/thread.ts";
import { answer, message, modelCall, newSession, result, round } from "../test/contract/store-samples.ts";
import { BARE_PUT, BARE_ROUND, bareTake, createBareSession, createBareTables } from "./bare-store.ts";
import { inTurn, medianOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { createLongSession } from "./long-session.ts";

const SIZES = [100, 10_000, 100_000] as const;
/** Entries that a claim reads; both sides read the same. */
const TAIL = 200;
const STEPS = 50;
const QUESTION = "What is the time?";
const REPLY = answer("word ".repeat(110), [{ id: "c1", name: "clock", arguments: "{}" }]);
const RESULT = result("c1", "word ".repeat(110));

interface Times {
  readonly open: number;
  readonly commit: number;
}

async function run({ pairs, newDatabase, note }: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const { url } = await newDatabase();
  const sql = openPostgres({ url, connections: 1 });
  stack.defer(() => sql.close());
  // Planned as ours are: a reference that plans its statement for each call, or sorts a whole session, would be an easy one.
  const pool = new pg.Pool({ connectionString: url, max: 1, options: PLANNING });
  stack.defer(() => pool.end());
  await createBareTables(pool);
  const newId = createNewId(createSystemClock());
  const store = createRunStore({ sql, newId }, { tail: TAIL });
  const inbox = createInbox(sql);
  const take = bareTake(TAIL - 1);

  async function product(session: SessionId): Promise<Times> {
    await inbox.put(message(session, QUESTION));
    const start = performance.now();
    const opened = await store.open(session, "bench");
    const between = performance.now();
    if (opened.kind !== "run") throw new Error(`a claim found ${opened.kind}`);
    const record = { ...round(1, REPLY, RESULT), results: [RESULT], modelCalls: [modelCall(newId())] };
    await store.commitRound(opened.fence, record);
    const end = performance.now();
    await store.end(opened.fence, { reason: "stop", modelCalls: [] });
    await store.settled(opened.fence);
    return { open: between - start, commit: end - between };
  }

  async function bare(session: SessionId): Promise<Times> {
    const asked = message(session, QUESTION);
    await pool.query({ ...BARE_PUT, values: [asked.id, session, JSON.stringify(asked)] });
    const start = performance.now();
    const claimed = await pool.query<{ epoch: string }>({ ...take, values: [session] });
    const between = performance.now();
    const bodies = [REPLY, RESULT, modelCall(newId())].map((body) => JSON.stringify(body));
    await pool.query({ ...BARE_ROUND, values: [session, claimed.rows[0]?.epoch, ...bodies] });
    return { open: between - start, commit: performance.now() - between };
  }

  const found: Comparison[] = [];
  const opens: number[][] = [];
  for (const size of SIZES) {
    // A short history has to stay short: each step takes a session of its own, and long ones do not notice.
    const sessions = Array.from({ length: size <= TAIL ? STEPS * (pairs + 1) : 1 }, newSession);
    for (const session of sessions) {
      await createLongSession(sql, session, size);
      await createBareSession(pool, session, size);
    }
    await sql.query({ text: "vacuum analyze" });
    let step = 0;
    /** Product and reference by turns within a pair too: a statement is short beside the noise. */
    const pair = async (): Promise<readonly [Times, Times]> => {
      const times: [Times, Times][] = [];
      for (let n = 0; n < STEPS; n++) {
        const session = sessions[step++ % sessions.length];
        if (session === undefined) throw new Error("there is no session");
        times.push([await product(session), await bare(session)]);
      }
      const median = (side: 0 | 1): Times => ({
        open: medianOf(times.map((each) => each[side].open)),
        commit: medianOf(times.map((each) => each[side].commit)),
      });
      return [median(0), median(1)];
    };
    note(`${size} entries`);
    await pair();
    const [measured] = await inTurn(pairs, [pair]);
    for (const what of ["open", "commit"] as const) {
      found.push({
        id: "B13",
        what: `${what} at ${size.toLocaleString("en-US")} entries, p50 ms`,
        product: measured.map(([ours]) => ours[what]),
        reference: { name: "bare statement", samples: measured.map(([, theirs]) => theirs[what]) },
        bounds: { of: "ratio", better: "less", target: 1.25, limit: 1.6 },
      });
    }
    opens.push(measured.map(([ours]) => ours.open));
  }
  found.push({
    id: "B13",
    what: "open at 100,000 entries, p50 ms",
    product: opens[2] ?? [],
    reference: { name: "open at 10,000 entries", samples: opens[1] ?? [] },
    bounds: { of: "ratio", better: "less", target: 1.1, limit: 1.6 },
  });
  return found;
}

export const history: Benchmark = { name: "history", run };
