// Installs as rows: sealed, replaced, broken, removed, and sealed anew.
import { expect, test } from "vitest";
import { createInstalls, resealInstalls } from "../../../src/adapters/postgres/installs.ts";
import { createSingleUse } from "../../../src/adapters/postgres/single-use.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { createSeal } from "../../../src/adapters/seal.ts";
import type { InstallFacts } from "../../../src/core/ports/installs.ts";
import { sessionIdOf, threadOf } from "../../../src/core/thread.ts";
import { message } from "../../contract/store-samples.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const backend = postgresBackend();
const [first, second] = ["a".repeat(64), "b".repeat(64)];
const over = (...keys: readonly string[]) => ({ sql: backend.sql(), seal: createSeal(keys) });
const installs = (...keys: readonly string[]) => createInstalls(over(...keys));
const LATER = Number.MAX_SAFE_INTEGER;

function facts(space: string, more: Partial<InstallFacts> = {}): InstallFacts {
  return {
    platform: "slack",
    space,
    name: `Team ${space}`,
    bot: { user: `U${space}`, id: `B${space}`, name: "bobbin" },
    scopes: ["chat:write", "users:read"],
    installedBy: "UANA",
    ...more,
  };
}

const secretIn = async (space: string): Promise<string | null | undefined> => {
  const sql = { text: "select secret from installs where space = $1" };
  return (await backend.sql().query<{ secret: string | null }>(sql, [space]))[0]?.secret;
};

test("an install is found as it was saved, and its token lies in no column as it is", async () => {
  const stored = installs(first);
  await stored.save(facts("T1", { enterprise: "E1", url: "https://t1.slack.com/" }), "xoxb-1-secret");
  expect(await stored.find("slack", "T1")).toMatchObject({
    ...facts("T1", { enterprise: "E1", url: "https://t1.slack.com/" }),
    state: "active",
    revision: 1,
    secret: { kind: "open", value: "xoxb-1-secret" },
  });
  expect(await stored.find("discord", "T1")).toBe(undefined);
  expect(await stored.spaceOfBot("slack", ["UX", "UT1"])).toBe("T1");
  const rows = await backend.sql().query({ text: "select * from installs" });
  expect(JSON.stringify(rows)).not.toContain("xoxb-1-secret");
});

test("a row that somebody copied to another workspace opens there no more, is named, and leaves the others whole", async () => {
  const stored = installs(first);
  await stored.save(facts("TFROM"), "xoxb-from");
  await stored.save(facts("TTO"), "xoxb-to");
  await backend.sql().query({
    text: "update installs set secret = (select secret from installs where space = 'TFROM') where space = 'TTO'",
  });
  const copied = await stored.find("slack", "TTO");
  expect(copied?.secret).toEqual({ kind: "sealed", why: expect.stringContaining("TTO (Team TTO)") });
  expect((await stored.find("slack", "TFROM"))?.secret.kind).toBe("open");
});

test("news of an older state changes nothing, and installing anew heals", async () => {
  const stored = installs(first);
  await stored.save(facts("T2"), "xoxb-old");
  const old = await stored.find("slack", "T2");
  if (old === undefined) return expect.unreachable();
  expect(await stored.mark(old, "broken", "token_revoked")).toBe(true);
  expect(await stored.mark(old, "broken", "token_revoked")).toBe(false);
  expect(await stored.find("slack", "T2")).toMatchObject({ state: "broken", why: "token_revoked" });
  await stored.save(facts("T2"), "xoxb-new");
  expect(await stored.mark(old, "broken", "token_revoked")).toBe(false);
  const healed = await stored.find("slack", "T2");
  expect(healed).toMatchObject({ state: "active", revision: 3, secret: { kind: "open", value: "xoxb-new" } });
  expect(healed?.why).toBe(undefined);
});

test("what is removed is erased and found no more; news of a removal from before the newest install is none", async () => {
  const stored = installs(first);
  await stored.save(facts("T3"), "xoxb-3");
  const { at = 0 } = (await stored.find("slack", "T3")) ?? {};
  expect(await stored.remove("slack", "T3", at)).toBe(false);
  expect(await stored.wasRemoved("slack", "T3")).toBe(false);
  expect(await stored.remove("slack", "T3", LATER)).toBe(true);
  expect(await stored.remove("slack", "T3", LATER)).toBe(false);
  expect(await stored.find("slack", "T3")).toBe(undefined);
  expect(await stored.wasRemoved("slack", "T3")).toBe(true);
  expect(await stored.wasRemoved("slack", "TNEVER")).toBe(false);
  expect((await stored.list("slack")).map(({ space }) => space)).not.toContain("T3");
  expect(await stored.spaceOfBot("slack", ["UT3"])).toBe(undefined);
  expect(await secretIn("T3")).toBe(null);
  await stored.save(facts("T3"), "xoxb-anew");
  expect(await stored.find("slack", "T3")).toMatchObject({ state: "active", secret: { value: "xoxb-anew" } });
});

test("work of a broken install is not rung for, until it is whole", async () => {
  const sql = backend.sql();
  const { inbox, store } = storesOver(sql);
  const stored = installs(first);
  for (const space of ["T6", "T61"]) {
    await stored.save(facts(space), `xoxb-${space}`);
    await inbox.put(
      message(sessionIdOf({ platform: "slack", space, channel: "C1", root: "1.000001" }), "hello"),
    );
  }
  const due = async (): Promise<readonly string[]> =>
    (await store.due(0, 1_000)).map((session) => threadOf(session).space).filter((id) => id.startsWith("T6"));
  expect((await due()).toSorted()).toEqual(["T6", "T61"]);
  const six = await stored.find("slack", "T6");
  if (six === undefined) return expect.unreachable();
  await stored.mark(six, "broken", "token_revoked");
  expect(await due()).toEqual(["T61"]);
  await stored.save(facts("T6"), "xoxb-anew");
  expect((await due()).toSorted()).toEqual(["T6", "T61"]);
});

test("where a channel is seen from several workspaces, a thread is of the one in which it began", async () => {
  const stored = installs(first);
  await stored.save(facts("T4"), "xoxb-4");
  await stored.save(facts("T5"), "xoxb-5");
  await backend.sql().query({ text: "insert into sessions (id) values ('slack:T5:CSHARED:1.000001')" });
  expect(await stored.spaceOfThread("slack", "CSHARED", "1.000001")).toBe("T5");
  expect(await stored.spaceOfThread("slack", "CSHARED", "2.000001")).toBe(undefined);
  // Also where that one's token is not stored, and whichever is meant where several work below one message.
  const own = { text: "insert into sessions (id, created_at) values ('slack:TOWN:CSHARED:1.000001', 1)" };
  await backend.sql().query(own);
  expect(await stored.spaceOfThread("slack", "CSHARED", "1.000001")).toBe("T5");
  expect(await stored.spaceOfThread("slack", "CSHARED", "1.000001", { also: ["TOWN"] })).toBe("TOWN");
  const meant = { also: ["TOWN"], rather: "T5" };
  expect(await stored.spaceOfThread("slack", "CSHARED", "1.000001", meant)).toBe("T5");
});

/** Dies when it is about to seal the `n`th row. */
function dyingAt(n: number): Sql {
  const sql = backend.sql();
  let updates = 0;
  return {
    ...sql,
    query: (statement, values) => {
      if (statement.text.startsWith("update") && ++updates === n) throw new Error("killed");
      return sql.query(statement, values);
    },
  };
}

test("a rotation that dies in the middle leaves nothing closed, and the next one ends it", async () => {
  const sql = backend.sql();
  await sql.query({ text: "delete from installs" });
  for (const space of ["T1", "T2", "T3"]) await installs(first).save(facts(space), `xoxb-${space}`);
  const seal = createSeal([second, first]);
  await expect(resealInstalls({ sql: dyingAt(2), seal })).rejects.toThrow("killed");
  const kinds = async (...keys: readonly string[]): Promise<readonly string[]> =>
    (await installs(...keys).list("slack")).map(({ secret }) => secret.kind);
  expect(await kinds(second, first)).toEqual(["open", "open", "open"]);
  expect(await kinds(second)).toEqual(["open", "sealed", "sealed"]);
  // Two processes that start at once, as they do.
  const counts = await Promise.all([resealInstalls({ sql, seal }), resealInstalls({ sql, seal })]);
  expect(counts[0] + counts[1]).toBe(2);
  expect(await kinds(second)).toEqual(["open", "open", "open"]);
  const open = await installs(second).list("slack");
  expect(open.map(({ secret }) => (secret.kind === "open" ? secret.value : ""))).toEqual([
    "xoxb-T1",
    "xoxb-T2",
    "xoxb-T3",
  ]);
  expect(await resealInstalls({ sql, seal })).toBe(0);
});

test("what was installed anew while it was to be sealed anew keeps its new token", async () => {
  const { sql } = over(first);
  await installs(first).save(facts("T9"), "xoxb-old");
  const racing: Sql = {
    ...sql,
    query: async (statement, values) => {
      if (statement.text.startsWith("update") && values?.[1] === "T9")
        await installs(second).save(facts("T9"), "xoxb-new");
      return sql.query(statement, values);
    },
  };
  await resealInstalls({ sql: racing, seal: createSeal([second, first]) });
  expect((await installs(second).find("slack", "T9"))?.secret).toEqual({ kind: "open", value: "xoxb-new" });
});

test("what may be used once is used once, however many try at once, until it is forgotten", async () => {
  const single = createSingleUse(backend.sql());
  const soon = Date.now() + 60_000;
  const tries = await Promise.all(Array.from({ length: 5 }, () => single.use("state-1", soon)));
  expect(tries.filter(Boolean)).toHaveLength(1);
  expect(await single.use("state-2", Date.now() - 1)).toBe(true);
  expect(await single.use("state-3", soon)).toBe(true);
  const rows = await backend.sql().query<{ hash: string }>({ text: "select hash from used_states" });
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain("state-1");
});
