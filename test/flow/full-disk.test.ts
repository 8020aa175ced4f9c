// Postgres on a disk that is full: nothing is acknowledged that was not stored, and with room again everything goes on.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { toSessionId } from "../../src/core/thread.ts";
import { delta } from "../support/fake-llm/answers.ts";
import { canMount, smallDisk } from "../support/services/small-disk.ts";
import { until } from "../support/until.ts";
import { newMessageId } from "../support/web-person.ts";
import { openOutageWorld, type OutageWorld } from "./outage-world.ts";

const NO_ROOM = "The bot's database has no room left. An admin has to make some.";

/** What does not compress needs pages that are not there. */
const noise = (bytes: number): string => randomBytes(bytes).toString("base64");

interface Disk extends AsyncDisposable {
  readonly bobbin: OutageWorld;
  fill(): Promise<void>;
  free(): Promise<void>;
}

/** Who may not mount a small disk makes the server itself refuse, with what it says when its disk is full. */
async function bobbinOnSmallDisk(): Promise<Disk> {
  await using building = new AsyncDisposableStack();
  const disk = canMount() ? building.use(smallDisk(192)) : undefined;
  const bobbin = building.use(
    await openOutageWorld({ roles: "start", ...(disk === undefined ? {} : { parentFolder: disk.folder }) }),
  );
  const sql = openPostgres({ url: bobbin.postgres.url, connections: 1 });
  building.defer(() => sql.close());
  const run = async (text: string): Promise<void> => void (await sql.query({ text }));
  const tables = ["inbox", "entries", "web_messages"];
  if (disk === undefined) {
    await run(`create function full_disk() returns trigger language plpgsql as
      $$ begin if length(new::text) < 20000 then return new; end if;
      raise exception 'No space left on device' using errcode = '53100'; end $$`);
  }
  const stack = building.move();
  return {
    bobbin,
    async fill() {
      if (disk !== undefined) return disk.fill();
      for (const table of tables) {
        await run(
          `create trigger full_disk before insert or update on ${table} for each row execute function full_disk()`,
        );
      }
    },
    async free() {
      if (disk !== undefined) return disk.free();
      for (const table of tables) await run(`drop trigger full_disk on ${table}`);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("messages for which there is no room are refused with that sentence; with room again the same ones are answered once", async () => {
  await using disk = await bobbinOnSmallDisk();
  const { person, transcripts } = disk.bobbin;
  const thread = await person.say("before");
  await person.replies(thread, 1);
  await disk.fill();
  const accepted: string[] = [];
  const refused: { readonly id: string; readonly text: string }[] = [];
  // The last free pages of the files take some; nothing grows after that.
  await until(
    async () => {
      const message = { id: newMessageId(), text: `${refused.length} ${noise(60_000)}` };
      await person.say(message.text, thread, message.id).then(
        () => accepted.push(message.text),
        (error: unknown) => {
          expect(error).toMatchObject({ message: NO_ROOM });
          refused.push(message);
        },
      );
      return refused.length === 2;
    },
    { what: "two messages are refused" },
  );
  const missing = async (): Promise<unknown> =>
    ((await (await fetch(`${disk.bobbin.url}/readyz`)).json()) as { missing: unknown }).missing;
  expect(await missing()).toEqual([{ name: "Postgres", why: expect.stringContaining("disk is full") }]);
  const stored = async (): Promise<number> => (await transcripts.inbounds(toSessionId(thread)!)).length;
  expect(await stored()).toBe(1 + accepted.length);
  // What is stored can be read all the while.
  expect((await person.read(thread))[0]?.text).toBe("before");
  await disk.free();
  for (const { id, text } of [...refused, ...refused]) await person.say(text, thread, id);
  await until(
    async () => {
      const inbounds = await transcripts.inbounds(toSessionId(thread)!);
      return inbounds.length === 3 + accepted.length && inbounds.every(({ state }) => state === "done");
    },
    { what: "every message is answered" },
  );
  expect(await missing()).toEqual([]);
  const fates = (await transcripts.inbounds(toSessionId(thread)!)).map(({ fate }) => fate);
  for (const fate of fates) expect(fate).toMatch(/answered|steered/);
  expect(disk.bobbin.llm.complaints).toEqual([]);
});

test("an answer for which there is no room is written in its message when there is some", async () => {
  await using disk = await bobbinOnSmallDisk();
  const { person, llm } = disk.bobbin;
  const isFull = Promise.withResolvers<void>();
  const long = noise(200_000);
  llm.respondWith(async (exchange) => {
    await exchange.event(delta({ content: "It begins. " }));
    await isFull.promise;
    await exchange.event(delta({ content: `${long} It ends.` }));
    await exchange.event(delta({}, "stop"));
    await exchange.event("[DONE]");
    exchange.end();
  });
  const thread = await person.say("a long one, please");
  const begun = await person.shows(thread, "It begins.");
  await disk.fill();
  isFull.resolve();
  await until(() => llm.requests.length > 1, {
    what: "the answer could not be stored and is asked for again",
  });
  await disk.free();
  const pages = await until(
    async () => {
      const replies = (await person.read(thread)).filter(({ from }) => from === "bot");
      const last = replies.at(-1);
      return last?.state === "settled" && last.text.endsWith("It ends.") ? replies : undefined;
    },
    { what: "the whole answer" },
  );
  expect(pages[0]?.id).toBe(begun.id);
  expect(
    pages
      .map(({ text }) => text)
      .join("")
      .replaceAll(" ", ""),
  ).toBe(`Itbegins.${long}Itends.`);
  expect(llm.complaints).toEqual([]);
});
