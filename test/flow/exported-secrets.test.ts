// A secret that became known only after somebody had said it, as the token of an install does: what is stored has it, no file takes it out.
import { expect, test } from "vitest";
import { createKnownSecrets } from "../../src/core/mask.ts";
import { createTalker } from "../support/fake-llm/talker.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { startProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";

const SECRET = "plain-words-of-an-install";

test("an export masks what has become known by then, as what is stored from then on does", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const llm = await createFakeLlm();
  stack.defer(() => llm.close());
  llm.respondWith(createTalker());
  const known = createKnownSecrets([]);
  const env = { DATABASE_URL: database.url, OPENAI_BASE_URL: llm.url, MODEL: "fake" };
  const { url } = stack.use(await startProduct("start", env, { secrets: known }));
  const ana = createWebPerson(url);
  const thread = await ana.say(`the token is ${SECRET}`);
  await ana.replies(thread, 1);
  known.learn(SECRET);

  const entered = await fetch(`${url}/admin/here`, { method: "POST", redirect: "manual" });
  const headers = {
    cookie: entered.headers
      .getSetCookie()
      .map((line) => line.split(";")[0] ?? "")
      .join("; "),
  };
  const look = async (path: string): Promise<string> =>
    (await fetch(`${url}/admin${path}`, { headers })).text();
  const csrf = /name="csrf" value="([0-9a-f]+)"/.exec(await look("/browsers"))?.[1] ?? "";
  const path = `/threads/${encodeURIComponent(thread)}`;
  await until(async () => (await look(path)).includes(SECRET), { what: "the thread has it" });
  const body = new URLSearchParams({ csrf, format: "jsonl" });
  const file = await (await fetch(`${url}/admin${path}/export`, { method: "POST", headers, body })).text();
  expect(file).toContain("the token is ***");
  expect(file).not.toContain(SECRET);
});
