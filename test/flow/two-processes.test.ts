// Two processes on one store that only one may use: the second refuses and says why; what a dead one left is taken over.
import { expect, test } from "vitest";
import { spawnProduct, type Environment, type ProductProcess } from "../support/product.ts";
import { embeddedFolder } from "../support/services/embedded.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { createWebPerson } from "../support/web-person.ts";

const saidBy = ({ output }: ProductProcess): string[] =>
  output.split("\n").filter((line) => line !== "" && !line.startsWith("{"));

/** The first one works on while the second is refused, and when it was killed the next one goes on where it was. */
async function oneAtATime(env: Environment, sentence: (first: ProductProcess) => string): Promise<void> {
  let address = "";
  const ana = createWebPerson(() => address);
  let thread = "";
  {
    await using first = spawnProduct("start", env);
    address = await first.ready();
    thread = await ana.say("the first");
    await ana.replies(thread, 1);
    await using second = spawnProduct("start", env);
    expect(await second.exited).toBe(1);
    expect(saidBy(second)).toEqual([sentence(first)]);
    await ana.say("still there?", thread);
    await ana.replies(thread, 2);
    first.kill("SIGKILL");
    expect(await first.exited).toBe("SIGKILL");
  }
  await using third = spawnProduct("start", env);
  address = await third.ready();
  await ana.say("and now?", thread);
  const replies = await ana.replies(thread, 3);
  expect(replies).toHaveLength(3);
}

test("one DATA_DIR: the second process names the first and what to do; after kill -9 the next start takes over", async () => {
  await using folder = await embeddedFolder();
  await oneAtATime(
    { DATA_DIR: folder.path },
    ({ pid }) =>
      `The data directory ${folder.path} is in use by process ${pid}. Stop that process, or give this one its own ` +
      `DATA_DIR, or set DATABASE_URL to share one database.`,
  );
});

test("one DATABASE_URL without Redis: the second all-in-one process refuses; after kill -9 the next start takes over", async () => {
  await using database = await freshDatabase();
  await oneAtATime({ DATABASE_URL: database.url }, ({ pid }) =>
    expect.stringMatching(
      new RegExp(
        `^Another Bobbin \\(process ${pid} on .*\\) uses this database without Redis\\. Stop it, or set REDIS_URL`,
      ),
    ),
  );
});
