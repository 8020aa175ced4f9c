// What stands on the page of a thread besides its messages: goals with all that became of them, and what a request was made for.
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeReactions, storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const SESSION = "slack:T1:C1:171.5";
const BUSY = "slack:T1:C1:171.6";
const at = (session: string, rest = ""): string => `/admin/threads/${encodeURIComponent(session)}${rest}`;

let world: AdminWorld;
let boss: Browser;
let run = "";
beforeAll(async () => {
  world = await openAdminWorld();
  const { sql } = world;
  await sql.query({ text: `insert into blobs values ('p', 'be helpful'), ('t', '[]')` });
  [run = ""] = await storeThread(sql, { session: SESSION, said: ["a question", "an answer"] });
  await sql.query({
    text: `update model_calls set params = '{"v":1,"model":{"name":"m","contextWindow":9,"caching":"automatic"},"outputTokens":9,"caching":false}'`,
  });
  const bea = person("T1", "UBOSS", "Bea");
  world.makeAdmin(bea);
  boss = await world.signedIn(bea);
});
afterAll(() => world[Symbol.asyncDispose]());

test("each goal of a thread is there, also one that was replaced, with what was named as proof and what the check said of it", async () => {
  const { sql } = world;
  const steps: readonly (readonly [goal: string, kind: string, body: object])[] = [
    ["g1", "set", { objective: "reach Goa" }],
    ["g1", "edit", { objective: "reach Goa by train" }],
    [
      "g1",
      "verdict",
      {
        objective: "reach Goa by train",
        evidence: "a ticket was bought",
        proposal: { verdict: { kind: "rejected", reason: "a ticket is <b>no</b> arrival" } },
      },
    ],
    ["g1", "replaced", { objective: "reach Goa by train" }],
    ["g2", "set", { objective: "reach Lisbon" }],
  ];
  for (const goal of ["g1", "g2"])
    await sql.query(
      {
        text: `insert into goals (id, session, status, body) values ($1, $2, 'active', '{"objective":"as it is now"}')`,
      },
      [goal, SESSION],
    );
  for (const [goal, kind, body] of steps)
    await sql.query(
      {
        text: `insert into goal_events (goal, kind, who, status, body) values ($1, $2, 'U1', 'active', $3::jsonb)`,
      },
      [goal, kind, JSON.stringify(body)],
    );
  await sql.query({ text: "update goals set card_message = 'C1-8' where id = 'g1'" });
  const ben = { id: "U2", name: "Ben" };
  await storeReactions(sql, SESSION, [], [{ n: 8, person: ben, shown: ":tada:", at: 1_000 }]);
  const { text } = await boss.get(at(SESSION));
  const goals = [...text.matchAll(/<details class="goals">([^]*?)<\/details>/g)].map(
    ([, goal]) => goal ?? "",
  );
  expect(goals).toHaveLength(2);
  expect(goals[0]).toContain("reach Lisbon");
  for (const said of [
    "reach Goa<",
    "reach Goa by train<",
    "a ticket was bought",
    "rejected",
    "a ticket is &lt;b&gt;no&lt;/b&gt; arrival",
  ])
    expect(goals[1]).toContain(said);
  // What its card was given is seen without opening it.
  expect(text).toMatch(
    /<\/details>\s*<div class="people"><ul class="reactions"[^]*?<bdi>:tada:<\/bdi> <bdi>Ben</,
  );
  expect(text.split(":tada:</bdi>")).toHaveLength(2);
  // What stood already is not told again.
  expect(goals[1]?.split("a ticket was bought")).toHaveLength(2);
  const lines = (await boss.send(at(SESSION, "/export"), { format: "jsonl" })).text;
  expect(lines).toContain('"verdict":{"kind":"rejected","reason":"a ticket is <b>no</b> arrival"}');
  expect(
    lines.match(
      /"event":"[a-z]+"(?=[^\n]*"reactions":\[\{"by":\{"id":"U2","name":"Ben"\},"emoji":":tada:")/g,
    ),
  ).toEqual(['"event":"replaced"']);
});

test.each([
  ["title", "Request to name the thread"],
  ["verify", "Request to look whether the goal is reached"],
])("a request for a %s says what it was made for", async (purpose, said) => {
  await world.sql.query({ text: `update model_calls set round = 0, purpose = $1 where run = $2` }, [
    purpose,
    run,
  ]);
  expect((await boss.get(at(SESSION))).text).toContain(`>${said}</a>`);
  expect((await boss.get(at(SESSION, `/calls/c${run}`))).text).toContain(`<h1>${said} of`);
});

test("of more messages than a page holds the newest are there, and it is said that others are not", async () => {
  const { sql } = world;
  await storeThread(sql, { session: BUSY, said: ["begin", "ok"], at: Date.UTC(2026, 5, 1) });
  await sql.query(
    {
      text: `insert into inbox (id, session, kind, message, at, body, state, fate)
        select 'busy' || n, $1, 'message', 'busy' || n, n, jsonb_build_object('v', 1, 'kind', 'message', 'id', 'busy' || n, 'session', $1::text,
          'author', '{"id":"U1","name":"Ana"}'::jsonb, 'at', n, 'addressed', true, 'message', 'busy' || n,
          'parts', jsonb_build_array(jsonb_build_object('kind', 'text', 'text', 'message ' || n || '.'))), 'done', 'cancelled'
        from generate_series(1, 2100) n`,
    },
    [BUSY],
  );
  const { text } = await boss.get(at(BUSY));
  expect(text).toContain("message 2100.");
  expect(text).not.toContain("message 1.");
  expect(text).toMatch(/only the newest\s+2,000 are shown/);
  expect((await boss.get(at(SESSION))).text).not.toContain("only the newest");
});
