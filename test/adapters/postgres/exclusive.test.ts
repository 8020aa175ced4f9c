import { expect, test } from "vitest";
import { exclusively } from "../../../src/adapters/postgres/exclusive.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { freshDatabase } from "../../support/services/postgres.ts";

async function twoProcesses() {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase());
  const [a, b] = [openPostgres({ url }), openPostgres({ url })];
  stack.defer(() => a.close());
  stack.defer(() => b.close());
  return { a, b, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("only one of two processes is in the body, and the other goes on without it", async () => {
  await using processes = await twoProcesses();
  const entered: string[] = [];
  await exclusively(processes.a, async () => {
    entered.push("a");
    await exclusively(processes.b, async () => void entered.push("b"));
  });
  await exclusively(processes.b, async () => void entered.push("b afterwards"));
  expect(entered).toEqual(["a", "b afterwards"]);
});

test("the body may use the database by its own handle", async () => {
  await using processes = await twoProcesses();
  let answer: unknown;
  await exclusively(processes.a, async () => {
    [answer] = await processes.a.query({ text: "select 1 as one" });
  });
  expect(answer).toEqual({ one: 1 });
});

test("a body that throws gives the lock back, and its error passes through", async () => {
  await using processes = await twoProcesses();
  const failing = exclusively(processes.a, () => Promise.reject(new Error("no luck")));
  await expect(failing).rejects.toThrow("no luck");
  let entered = false;
  await exclusively(processes.b, async () => void (entered = true));
  expect(entered).toBe(true);
});

test("a database that is away is told, and the body does not run", async () => {
  const away = openPostgres({ url: "postgres://127.0.0.1:1/none", connectTimeoutMs: 500 });
  let entered = false;
  const failing = exclusively(away, async () => void (entered = true));
  await expect(failing).rejects.toMatchObject({ code: "store_unavailable" });
  expect(entered).toBe(false);
  await away.close();
});
