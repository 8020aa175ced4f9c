// Threads as files: all that is stored, only what the viewer may read, harmless in each format, and written down.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { sessionNamed, storeReactions, storeThread } from "../../support/stored-threads.ts";
import { until } from "../../support/until.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const SCRIPT = `</pre><script>alert(1)</script><img src=x onerror=alert(1)>`;
const HOSTILE = `${SCRIPT}\n# not a heading\n\`\`\`\`\n![p](https://evil.example/p?d=1)\n=cmd|' /C calc'!A0 \u202egnp.exe\u0000\u001b[31m\u2028 sk-abcdefghijklmnop0123 q7Rw2kZ9pLx4Vn8TbY3mHd6J ${"x".repeat(150_000)}`;
const OPEN = "slack:T1:C1:171.5";
const LONG = "slack:T1:C2:171.7";
const OWN = "slack:T1:D1:171.6";
const at = (session: string, rest = ""): string => `/admin/threads/${encodeURIComponent(session)}${rest}`;

type Line = Readonly<Record<string, unknown>>;
const linesOf = (text: string): readonly Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

let world: AdminWorld;
let boss: Browser;
let runs: readonly string[] = [];
beforeAll(async () => {
  world = await openAdminWorld();
  const { sql } = world;
  runs = await storeThread(sql, {
    session: OPEN,
    said: [HOSTILE, HOSTILE],
    author: { id: "U1", name: `Ana ${SCRIPT} \`\`\` \u202e` },
    error: `failed ${SCRIPT}`,
    reason: "error",
  });
  await storeThread(sql, { session: LONG, said: Array.from({ length: 250 }, (_, n) => `line ${n}`) });
  await storeThread(sql, { session: OWN, said: ["my salary is Zanzibar", "noted"], isDirect: true });
  await storeThread(sql, { session: "slack:T2:C1:171.8", said: ["of the others", "Samarkand"] });
  // A picture, what came of a tool in full, an edit, a goal, and a model call that failed.
  await sql.query({
    text: `update entries set body = jsonb_set(body::jsonb, '{parts}', body::jsonb->'parts' ||
      '[{"kind":"image","mimeType":"image/png","name":"p.png","data":"QkFTRTY0QllURVM="}]')::json where session = '${OPEN}' and seq = 1`,
  });
  await sql.query({
    text: `insert into entries (session, epoch, seq, run, round, kind, body) values ('${OPEN}', 1, 3, '${runs[0]}', 1, 'tool',
      '{"v":1,"kind":"tool","call":"t1","name":"look","ok":true,"content":"capped"}')`,
  });
  await sql.query({
    text: `insert into tool_results (run, round, call, name, ok, content) values ('${runs[0]}', 1, 't1', 'look', true, 'all of what was found')`,
  });
  await sql.query({
    text: `insert into inbox (id, session, kind, message, at, body, state, fate, note) values ('e1', '${OPEN}', 'edit', 'C1-0', 1,
      '{"v":1,"kind":"edit","id":"e1","session":"${OPEN}","author":{"id":"U1","name":"Ana"},"at":1,"message":"C1-0","parts":[{"kind":"text","text":"changed my mind"}]}',
      'done', 'answered', 'they changed it')`,
  });
  await sql.query({
    text: `insert into goals (id, session, status, body) values ('g1', '${OPEN}', 'active', '{"objective":"reach Goa"}')`,
  });
  await sql.query({
    text: `insert into goal_events (goal, kind, who, status, body) values ('g1', 'set', 'U1', 'active', '{}')`,
  });
  const ben = { id: "U2", name: `Ben ${SCRIPT}` };
  await storeReactions(sql, OPEN, runs, [
    { n: 0, person: ben, shown: ":eyes:", at: 1_000, takenAt: 2_000 },
    { n: 1, person: ben, shown: SCRIPT, at: 1_000 },
  ]);
  for (const session of [OPEN, LONG, OWN, "slack:T2:C1:171.8"])
    await createOverviewMaker(sql).make(sessionNamed(session));
  const bea = person("T1", "UBOSS", "Bea");
  world.makeAdmin(bea);
  boss = await world.signedIn(bea);
  await boss.send(at(OPEN, "/remarks"), { kind: "wrong", text: "<b>no</b>", about: "1.2" });
});
afterAll(() => world[Symbol.asyncDispose]());

const lastAudited = async (most: number) =>
  (await world.audited(person("T1", "UBOSS")))
    .slice(0, most)
    .map(({ kind, session, about }) => [kind, session, about]);

test("one thread as lines is all that is stored of it, each line by itself, and the end says that it is whole", async () => {
  const file = await boss.send(at(OPEN, "/export"), { format: "jsonl" });
  expect(file.status).toBe(200);
  expect(file.headers.get("content-disposition")).toBe(
    'attachment; filename="bobbin-slack_T1_C1_171.5.jsonl"',
  );
  expect(file.headers.get("cache-control")).toMatch(/no-store/);
  const lines = linesOf(file.text);
  expect(lines[0]).toMatchObject({ kind: "export", v: 1, space: "slack:T1", by: "UBOSS", thread: OPEN });
  expect(lines.at(-1)).toEqual({ kind: "end", threads: 1, leftOut: 0, items: lines.length - 2 });
  expect(lines.slice(1, -1).every(({ thread }) => thread === OPEN)).toBe(true);
  const of = (kind: string): readonly Line[] => lines.filter((line) => line["kind"] === kind);
  expect(of("remark")).toMatchObject([
    { type: "wrong", by: "Bea", text: "<b>no</b>", about: { epoch: 1, seq: 2 } },
  ]);
  expect(of("goal")).toMatchObject([{ event: "set", by: "U1", objective: "reach Goa" }]);
  expect(of("run")).toMatchObject([
    {
      id: runs[0],
      reason: "error",
      error: { code: expect.any(String) },
      attempts: [{ fence: 1, ended: "ended" }],
    },
  ]);
  expect(of("call")).toMatchObject([
    { run: runs[0], model: "gpt-x", usage: { input: 100, output: 20, cost: 0.01 } },
  ]);
  expect(of("inbound")).toMatchObject([
    { type: "message", fate: "answered", rule: "members: one of them", message: "C1-0" },
    { type: "edit", parts: [{ kind: "text", text: "changed my mind" }], toldModel: "they changed it" },
  ]);
  expect(of("entry").map(({ type, seq }) => [type, seq])).toEqual([
    ["user", 1],
    ["assistant", 2],
    ["tool", 3],
  ]);
  expect(of("result")).toMatchObject([{ call: "t1", content: "all of what was found" }]);
  const by = { id: "U2", name: `Ben ${SCRIPT}` };
  const at1 = "1970-01-01T00:00:01.000Z";
  expect(of("inbound").map(({ reactions }) => reactions)).toEqual([
    [{ by, emoji: ":eyes:", at: at1, takenBackAt: "1970-01-01T00:00:02.000Z" }],
    undefined,
  ]);
  expect(of("run")[0]?.["reactions"]).toEqual([{ message: "C1-1", by, emoji: SCRIPT, at: at1 }]);
  // An image is named, and its bytes are not in it.
  expect(file.text).toContain(`{"kind":"image","mimeType":"image/png","name":"p.png"}`);
  expect(file.text).not.toContain("QkFTRTY0");
  expect(await lastAudited(2)).toEqual([
    ["export_end", OPEN, expect.stringMatching(/^whole: 1 threads, \d+ items$/)],
    ["export", OPEN, "as jsonl"],
  ]);
});

describe("what people and models wrote is harmless", () => {
  test("as lines: no sign that steers a terminal, secrets masked, and the same text when it is read", async () => {
    const { text } = await boss.send(at(OPEN, "/export"), { format: "jsonl" });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
    const said = linesOf(text).find(({ kind }) => kind === "inbound")?.["parts"] as readonly {
      text: string;
    }[];
    expect(said[0]?.text).toBe(
      HOSTILE.replace("\u0000", "\ufffd").replace(
        "sk-abcdefghijklmnop0123 q7Rw2kZ9pLx4Vn8TbY3mHd6J",
        "sk-*** ***",
      ),
    );
  });

  test("as Markdown: everything stands in code that nothing in it ends", async () => {
    const { text } = await boss.send(at(OPEN, "/export"), { format: "markdown" });
    expect(text).toContain("[U+202E]gnp.exe");
    expect(text).toContain("letters in all, which the JSONL file has");
    expect(text).not.toMatch(/abcdefghijklmnop0123|q7Rw2kZ9/);
    expect(text).toContain(":eyes: from Ben");
    expect(text).toContain("taken back 1970-01-01T00:00:02.000Z");
    // What is left outside of blocks and spans is ours.
    const outside = text
      .replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "")
      .replaceAll(/(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)/g, "");
    expect(outside).not.toMatch(/script|evil|not a heading|<|calc|Ana/);
    expect(outside).toContain("End of the export: 1 thread.");
    expect(outside.match(/^# /gm)).toHaveLength(1);
  });

  test("as HTML: text is text, and the file allows neither code nor anything from elsewhere", async () => {
    const file = await boss.send(at(OPEN, "/export"), { format: "html" });
    const { text } = file;
    expect(file.headers.get("content-type")).toBe("application/octet-stream");
    expect(text).toMatch(
      /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/,
    );
    expect(text).toContain("&lt;script&gt;alert");
    expect(text).toContain(":eyes: from Ben");
    expect(text).toContain("[U+202E]gnp.exe");
    for (const raw of ["<script", "<img", "\u202e", "\u0000", "\u001b"]) expect(text).not.toContain(raw);
    expect(text.replaceAll(/<(?:meta|html|time|pre|section|p)\s[^<>]*>/g, "")).not.toMatch(/<[a-z0-9]+\s/);
  });
});

test("a thread of many pages is whole and in order", async () => {
  const lines = linesOf((await boss.send(at(LONG, "/export"), { format: "jsonl" })).text);
  const entries = lines.filter(({ kind }) => kind === "entry");
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 250 }, (_, n) => n + 1));
  expect(lines.filter(({ kind }) => kind === "run")).toHaveLength(125);
  expect(lines.filter(({ kind }) => kind === "inbound")).toHaveLength(125);
  const times = lines.slice(2, -1).map(({ at: time }) => String(time));
  expect(times).toEqual(times.toSorted());
});

test("what a filter finds: the count first; what needs a reason only with one, which stands in the log of that thread too", async () => {
  const before = await boss.get("/admin/export?channel=C1");
  expect(before.text).toMatch(/<strong>1 thread<\/strong>/);
  expect((await boss.get("/admin/export")).text).toMatch(/<strong>3 threads<\/strong>/);
  expect((await boss.get("/admin/export?channel=none")).text).toContain("No thread fits");

  const without = await boss.send("/admin/export", { format: "jsonl" });
  expect(without.text).not.toMatch(/Zanzibar|Samarkand/);
  expect(linesOf(without.text).at(-1)).toMatchObject({ kind: "end", threads: 2, leftOut: 1 });
  const withReason = await boss.send("/admin/export", { format: "jsonl", reason: "ticket 12" });
  expect(withReason.text).toContain("Zanzibar");
  expect(withReason.text).not.toContain("Samarkand");
  expect(linesOf(withReason.text).at(-1)).toMatchObject({ threads: 3, leftOut: 0 });
  expect(await lastAudited(4)).toEqual([
    ["export_end", undefined, expect.stringMatching(/^whole: 3 threads, \d+ items$/)],
    ["export", OWN, "with others, for the reason above"],
    ["export", undefined, "as jsonl, threads: {}"],
    ["reason", undefined, "ticket 12 (an export of {})"],
  ]);
  // Only that export: it opens no thread.
  expect((await boss.get(at(OWN))).status).toBe(403);
  expect((await boss.send(at(OWN, "/export"), { format: "jsonl" })).status).toBe(403);
  const filtered = await boss.send("/admin/export?channel=C2", { format: "jsonl" });
  expect(linesOf(filtered.text)[0]).toMatchObject({ filter: { channel: "C2" } });
  expect(linesOf(filtered.text).at(-1)).toMatchObject({ threads: 1 });
  expect((await boss.send("/admin/export", { format: "exe" })).status).toBe(400);
});

test("how far somebody's newest export is stands on the page, while it is made and afterwards, and for nobody else", async () => {
  const said = Array.from({ length: 24 }, () => "x".repeat(300_000));
  await storeThread(world.sql, { session: "slack:T4:C1:171.9", said });
  await createOverviewMaker(world.sql).make(sessionNamed("slack:T4:C1:171.9"));
  const [ana, bo] = [person("T4", "UBOSS"), person("T4", "UBOSS2")];
  for (const who of [ana, bo]) world.makeAdmin(who);
  const [taker, other] = [await world.signedIn(ana), await world.signedIn(bo)];
  expect((await taker.get("/admin/export")).text).not.toContain("newest export");
  const token = /name="csrf" value="([0-9a-f]+)"/.exec((await taker.get("/admin/export")).text)?.[1] ?? "";
  const response = await fetch(`${world.url}/admin/export`, {
    method: "POST",
    body: new URLSearchParams({ format: "jsonl", csrf: token }),
    headers: { origin: world.url, cookie: taker.cookie },
  });
  const reader = response.body?.getReader();
  await reader?.read();
  expect((await taker.get("/admin/export")).text).toMatch(/under way<\/span> 0 threads with/);
  expect((await other.get("/admin/export")).text).not.toContain("newest export");
  while ((await reader?.read())?.done === false);
  await until(async () => (await taker.get("/admin/export")).text.includes("whole</span> 1 thread with"), {
    what: "it is told as whole",
  });
});

test("who leaves ends it: what was broken off has no end, is written down, and makes room for the next one", async () => {
  // More than any buffer on the way holds.
  const said = Array.from({ length: 24 }, () => "x".repeat(300_000));
  await storeThread(world.sql, { session: "slack:T3:C1:171.9", said });
  await createOverviewMaker(world.sql).make(sessionNamed("slack:T3:C1:171.9"));
  const who = person("T3", "UBOSS");
  world.makeAdmin(who);
  const leaver = await world.signedIn(who);
  const ends = async () => (await world.audited(who)).filter(({ kind }) => kind === "export_end");
  const leave = async (): Promise<string> => {
    const gone = new AbortController();
    const token =
      /name="csrf" value="([0-9a-f]+)"/.exec((await leaver.get("/admin/browsers")).text)?.[1] ?? "";
    const response = await fetch(`${world.url}/admin/export`, {
      method: "POST",
      body: new URLSearchParams({ format: "jsonl", csrf: token }),
      headers: { origin: world.url, cookie: leaver.cookie },
      signal: gone.signal,
    });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    gone.abort();
    return new TextDecoder().decode(value);
  };
  // More of them than are allowed at once, one after the other.
  for (let n = 1; n <= 3; n++) {
    expect(await leave()).toContain(`"kind":"export"`);
    await until(async () => (await ends()).length === n, { what: "the end is written down" });
    expect((await ends())[0]?.about).toMatch(/^broken off: /);
  }
});
