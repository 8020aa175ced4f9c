// The page of what a space used, and its tables as files.
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const BOSS = person("T1", "UBOSS", "Boss");
/** Markup, a formula for spreadsheets, and what has to be quoted in a file. */
const HOSTILE = '=cmd()"><script>alert(1)</script>,\u202Eabc';

let world: AdminWorld;
let browser: Browser;
beforeAll(async () => {
  world = await openAdminWorld();
  world.makeAdmin(BOSS);
  const { sql } = world;
  await sql.query({ text: `insert into blobs values ('p', 'be helpful'), ('t', '[]')` });
  await storeThread(sql, { session: "slack:T1:C1:171.5", said: ["a question", "an answer"] });
  await sql.query({ text: "update runs set requester = $1::jsonb, ended_at = started_at + 1500" }, [
    JSON.stringify({ id: "U9", name: HOSTILE }),
  ]);
  await sql.query({
    text: "update model_calls set input = 1000, cache_read = 3000, output = 234, reasoning = null, cost = 0.25, started_at = now_ms()",
  });
  await sql.query({ text: "update runs set started_at = now_ms(), ended_at = now_ms() + 1500" });
  browser = await world.signedIn(BOSS);
});
afterAll(() => world[Symbol.asyncDispose]());

test("the page shows what was used by day, model, channel and person, harmlessly, and that somebody looked is written down", async () => {
  const { status, text, headers } = await browser.get("/admin/usage");
  expect(status).toBe(200);
  expect(headers.get("cache-control")).toContain("no-store");
  for (const said of [
    "4,234",
    "75 % of the input from the cache",
    "$0.25",
    "1.5 s",
    "<code>C1</code>",
    "<code>U9</code>",
  ])
    expect(text).toContain(said);
  expect(text).not.toContain("<script>alert");
  expect(text).toContain("data-chart=");
  expect((await world.audited(BOSS))[0]).toMatchObject({ kind: "usage" });
});

test("each table is a file that a spreadsheet reads and does not run", async () => {
  const { status, text, headers } = await browser.get("/admin/usage/people.csv");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const lines = text.split("\r\n");
  expect(lines[0]).toBe(
    "person,name,runs,failed,median_ms,p95_ms,model_calls,input_tokens,cached_tokens,output_tokens,cost_usd,failed_calls,call_median_ms,call_p95_ms",
  );
  expect(lines[1]).toBe(`U9,"'${HOSTILE.replaceAll('"', '""')}",1,0,1500,1500,1,1000,3000,234,0.25,0,,`);
  expect((await world.audited(BOSS))[0]).toMatchObject({ kind: "export" });
  expect((await browser.get("/admin/usage/secrets.csv")).status).toBe(404);
});

test("of a model it is told how long a call takes and how many of them fail, and nothing of runs, which are no model's", async () => {
  const { sql } = world;
  const failed = (id: string) =>
    sql.query(
      {
        text: `insert into model_calls select (jsonb_populate_record(c, jsonb_build_object('id', $1::text, 'outcome', 'failed',
          'duration_ms', 90000, 'input', 0, 'cache_read', 0, 'output', 0, 'cost', null))).* from model_calls c where c.outcome = 'done' limit 1`,
      },
      [id],
    );
  for (const id of ["x1", "x2", "x3"]) await failed(id);
  const { text } = await browser.get("/admin/usage");
  const models = text.slice(text.indexOf('id="models"'), text.indexOf('id="channels"'));
  expect(models).toMatch(/<td>4<\/td>\s*<td>\s*3 <span class="dim">75 %<\/span>\s*<\/td>\s*<td>850 ms<\/td>/);
  const csv = (await browser.get("/admin/usage/models.csv")).text.split("\r\n");
  expect(csv[1]).toBe("gpt-x,,,,,,4,1000,3000,234,0.25,3,850,850");
  await sql.query({ text: "delete from model_calls where outcome = 'failed'" });
});

test("days that are none, or out of order, are the last thirty, and never more than a year", async () => {
  const shown = async (query: string): Promise<readonly string[]> => {
    const { text } = await browser.get(`/admin/usage${query}`);
    return [...text.matchAll(/type="date" name="\w+" value="([^"]*)"/g)].map(([, day]) => day ?? "");
  };
  const usual = await shown("");
  expect(Date.parse(usual[1] ?? "") - Date.parse(usual[0] ?? "")).toBe(29 * 24 * 60 * 60_000);
  expect(await shown("?from=2026-02-30&to=soon")).toEqual(usual);
  expect(await shown("?from=2026-03-05&to=2026-03-01")).toEqual(["2026-01-31", "2026-03-01"]);
  expect(await shown("?from=2001-01-01&to=2026-03-01")).toEqual(["2025-03-01", "2026-03-01"]);
  expect(await shown("?from=2026-02-27&to=2026-03-01")).toEqual(["2026-02-27", "2026-03-01"]);
});

test("a space in which nobody asked says so", async () => {
  const { text } = await browser.get("/admin/usage?from=2020-01-01&to=2020-01-02");
  expect(text).toContain("Nothing was asked of the bot in these days.");
});
