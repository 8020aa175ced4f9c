// Moving house: all that a bot holds goes from the embedded database into Postgres, and back, and the thread goes on.
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openEmbedded } from "../../src/adapters/postgres/embedded.ts";
import { createPictures } from "../../src/adapters/postgres/pictures.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import type { PictureBytes } from "../../src/core/ports/pictures.ts";
import { toSessionId } from "../../src/core/thread.ts";
import { exportTo, importFrom } from "../../src/parts/move.ts";
import { createFakeLlm, type FakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct, startProduct, temporaryFolder, type Environment } from "../support/product.ts";
import { embeddedFolder } from "../support/services/embedded.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { silentLog } from "../support/silent-log.ts";
import { createWebPerson } from "../support/web-person.ts";

/** What ends a line elsewhere, what JSON has to escape, what is no number of JavaScript's, and a tool's marks. */
const HOSTILE = 'a\u2028b\u2029c\u0085d "quoted" \\ back 😀 \u202Eturned 90071992547409931 <!channel>\r\nend';

const ways = { export: exportTo, import: importFrom } as const;

async function move(way: keyof typeof ways, file: string, env: Environment): Promise<string> {
  const read = await readSettings(env, { command: way });
  if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
  return ways[way](file, read.settings, silentLog);
}

/** Lines of a file as a set: nobody promises in which order a table gives its rows. */
async function contentOf(file: string): Promise<readonly string[]> {
  const bytes = await readFile(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  return text.trimEnd().split("\n").slice(1).toSorted();
}

async function talk(env: Environment, llm: FakeLlm, words: string, thread?: string): Promise<string> {
  await using bobbin = await startProduct("start", {
    ...env,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    WEB_CHAT: "on",
  });
  const person = createWebPerson(bobbin.url, "mover-0001");
  const replies =
    thread === undefined ? 0 : (await person.read(thread)).filter(({ from }) => from === "bot").length;
  const said = await person.say(words, thread);
  await person.replies(said, replies + 1);
  return said;
}

/** The web chat has none, so it is one that was given elsewhere. */
async function giveEmoji(directory: string): Promise<void> {
  const sql = await openEmbedded({ directory, log: silentLog });
  await sql.query({
    text: `insert into reactions (session, message, person, emoji, shown, given_at) values ('slack:T1:C1:1.1', '1.1', 'U1', 'tada', ':tada:', 1)`,
  });
  await sql.close();
}

const PICTURE = { hash: "a1", bytes: Buffer.from([0, 255, 0x5c, 0x27, 0x0a, 128]) };

async function givePicture(directory: string, session: string): Promise<void> {
  const sql = await openEmbedded({ directory, log: silentLog });
  await sql.query(
    {
      text: `insert into pictures (session, hash, mime, bytes) values ($1, $2, 'image/png', decode($3, 'hex'))`,
    },
    [session, PICTURE.hash, PICTURE.bytes.toString("hex")],
  );
  await sql.close();
}

async function pictureIn(directory: string, session: string): Promise<PictureBytes | undefined> {
  const sql = await openEmbedded({ directory, log: silentLog });
  const known = toSessionId(session);
  const found = known && (await createPictures(sql).read(known, PICTURE.hash));
  await sql.close();
  return found;
}

/** Tables of which nobody has counted what is in them. */
async function uncounted(url: string): Promise<readonly string[]> {
  const sql = openPostgres({ url });
  const rows = await sql.query<{ name: string }>({
    text: `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' and reltuples < 0`,
  });
  await sql.close();
  return rows.map(({ name }) => name);
}

test("what the embedded database holds goes to Postgres and back, whole, and the thread goes on there as if nothing had been", async () => {
  await using folder = await temporaryFolder();
  await using before = await embeddedFolder();
  await using database = await freshDatabase();
  await using after = await embeddedFolder();
  const llm = await createFakeLlm({ talker: { perSecond: 1_000 } });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => llm.close());
  const [old, postgres, back] = [
    { DATA_DIR: before.path },
    { DATABASE_URL: database.url },
    { DATA_DIR: after.path },
  ];
  const [first, second] = [join(folder.path, "first.jsonl.gz"), join(folder.path, "second.jsonl")];

  const thread = await talk(old, llm, HOSTILE);
  await giveEmoji(before.path);
  await givePicture(before.path, thread);
  // What somebody else left there is neither followed nor keeps its mode.
  const elsewhere = join(folder.path, "elsewhere");
  await writeFile(elsewhere, "theirs");
  await symlink(elsewhere, `${first}.part`);
  expect(await move("export", first, old)).toMatch(/^\d+ rows \(1 threads\) are in /);
  expect(await readFile(elsewhere, "utf8")).toBe("theirs");
  expect((await contentOf(first)).filter((line) => line.includes("tada"))).toHaveLength(1);
  // Who is signed in stays where they are: a cookie would be good at the copy too.
  expect(
    (await contentOf(first)).filter((line) => /admin_browsers|admin_offers|review_reasons/.test(line)),
  ).toEqual([]);
  await move("import", first, postgres);
  expect(await uncounted(database.url)).toEqual([]);
  await move("export", second, postgres);
  expect(await contentOf(second)).toEqual(await contentOf(first));

  await talk(postgres, llm, "And now?", thread);
  const { messages } = llm.requests.at(-1)?.body ?? { messages: [] };
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  expect(JSON.stringify(messages)).toContain(JSON.stringify(HOSTILE).slice(1, -1));

  const third = join(folder.path, "third.jsonl.gz");
  await move("export", third, postgres);
  await move("import", third, back);
  await talk(back, llm, "Back again", thread);
  expect(llm.requests.at(-1)?.body.messages).toHaveLength(6);
  expect(await pictureIn(after.path, thread)).toEqual({ mimeType: "image/png", bytes: PICTURE.bytes });
  expect((await stat(first)).mode & 0o077).toBe(0);
  expect((await readdir(folder.path)).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("an import refuses what would mix two bots, or is not whole, and leaves the database as it was", async () => {
  await using folder = await temporaryFolder();
  await using database = await freshDatabase();
  await using other = await freshDatabase();
  const llm = await createFakeLlm({ talker: { perSecond: 1_000 } });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => llm.close());
  const [from, to] = [{ DATABASE_URL: database.url }, { DATABASE_URL: other.url }];
  const file = join(folder.path, "all.jsonl");
  await talk(from, llm, "Hello");
  await move("export", file, from);
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  const bad = join(folder.path, "bad.jsonl");
  const importOf = async (content: readonly string[]): Promise<string> => {
    await writeFile(bad, content.join("\n"));
    return move("import", bad, to).catch((error: unknown) => String(error));
  };

  expect(await move("import", file, from).catch(String)).toMatch(/The database is not empty: \w+ has rows/);
  expect(await importOf(lines.slice(0, -1))).toContain("its export was cut off");
  expect(await importOf(lines.toSpliced(3, 1))).toMatch(/The file has \d+ rows of \w+, and should have \d+/);
  expect(await importOf(lines.with(2, "{}"))).toContain("A line of the file cannot be read");
  expect(await importOf([...lines, lines[1] ?? ""])).toContain("behind the end");
  expect(await importOf(["hello"])).toContain("no export of Bobbin's");
  expect(await importOf([])).toContain("is empty");
  const older = { ...(JSON.parse(lines[0] ?? "") as object), schema: ["0001_spine"] };
  expect(await importOf(lines.with(0, JSON.stringify(older)))).toContain("another version of Bobbin");
  await writeFile(`${bad}.gz`, "no gzip");
  expect(await move("import", `${bad}.gz`, to).catch(String)).toContain("cannot be read");
  expect(await move("import", join(folder.path, "none"), to).catch(String)).toContain("cannot be read");

  // None of that left anything: the whole file still goes in.
  await move("import", file, to);
});

test("an export from a checkout of another version refuses, and leaves the database to those who work on it", async () => {
  await using folder = await temporaryFolder();
  await using database = await freshDatabase();
  const sql = openPostgres({ url: database.url });
  await using _ = { [Symbol.asyncDispose]: () => sql.close() };
  const names = async (): Promise<number> => (await sql.query({ text: "select from migrations" })).length;
  await sql.query({ text: "delete from migrations where name = (select max(name) from migrations)" });
  const before = await names();
  const asked = move("export", join(folder.path, "all.jsonl"), { DATABASE_URL: database.url });
  await expect(asked).rejects.toThrow("of an older version of Bobbin than this one");
  expect(await names()).toBe(before);
  expect(await readdir(folder.path)).toEqual([]);
});

test("who asks for an export without a file, or while the bot has the database, is told what to do", async () => {
  await using folder = await embeddedFolder();
  await using asked = spawnProduct("export", { DATA_DIR: folder.path });
  expect(await asked.exited).toBe(2);
  expect(asked.output).toContain("npm run export -- bobbin.jsonl.gz");
  await using running = await startProduct("start", { DATA_DIR: folder.path });
  expect(running.url).toContain("http");
  await expect(move("export", join(folder.path, "all.jsonl"), { DATA_DIR: folder.path })).rejects.toThrow(
    /another process|in use|already/i,
  );
});
