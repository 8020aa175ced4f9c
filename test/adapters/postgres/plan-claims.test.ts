import { expect, test } from "vitest";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { planClaims } from "../../../src/adapters/postgres/open-run.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { message } from "../../contract/store-samples.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { storesOver } from "./store-subject.ts";

// At a deploy fifty runs came at once to connections that had planned only the usual claim: each waited for the other's plan.
test("a connection that was warmed up has planned all that a claim asks, also of who takes up what another left behind", async () => {
  await using server = await freshDatabase();
  await migrate(server.url);
  const sql = openPostgres({ url: server.url, connections: 1 });
  const claims = async (): Promise<readonly string[]> => {
    const text = "select name from pg_prepared_statements where name like 'open-%' and generic_plans > 0";
    const rows = await sql.query<{ name: string }>({ text });
    return rows.map(({ name }) => name).toSorted();
  };
  try {
    await planClaims(sql);
    const planned = await claims();
    expect(planned).not.toEqual([]);

    const { inbox, store } = storesOver(sql);
    const session = sessionIdOf({ platform: "web", space: "local", channel: "chat", root: "r1" });
    await inbox.put(message(session, "hello"));
    expect(await store.open(session, "first")).toMatchObject({ kind: "run", resumed: false });
    expect(await store.open(session, "second")).toMatchObject({ kind: "run", resumed: true });
    expect(await claims()).toEqual(planned);
  } finally {
    await sql.close();
  }
});
