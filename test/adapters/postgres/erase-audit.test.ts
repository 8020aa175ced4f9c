// What an erasure takes out of the audit log: what repeats the words that go, and nothing else that admins have searched for or given
// as a reason.
import { beforeAll, expect, test } from "vitest";
import { createAudit } from "../../../src/adapters/postgres/admin/audit.ts";
import type { Author } from "../../../src/core/inbound.ts";
import type { AuditLine } from "../../../src/core/ports/audit.ts";
import type { ErasedThing } from "../../../src/core/ports/erasures.ts";
import type { Person } from "../../../src/core/ports/sign-ins.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { asRun } from "../../contract/store-samples.ts";
import { postgresBackend } from "./backends.ts";
import { ANA, BEN, eraseWorld, type EraseWorld } from "./erase-world.ts";

const backend = postgresBackend();
let world: EraseWorld;
beforeAll(() => {
  world = eraseWorld(backend.sql());
});

let count = 0;
/** Each in a space of its own, since searches are of a space. */
function newSpace() {
  const who: Person = { platform: "slack", space: `T${++count}`, person: "UBOSS", name: "Bea" };
  return { who, thread: (): SessionId => `slack:${who.space}:C1:171.${++count}` as SessionId };
}

async function spoken(session: SessionId, by: Author, text: string): Promise<void> {
  await world.stores.inbox.put(world.say(session, by, text));
  await world.answered(asRun(await world.stores.store.open(session, "w")), "well");
}

async function wrote(who: Person, ...lines: readonly (Omit<AuditLine, "who"> | string)[]): Promise<void> {
  for (const line of lines)
    await createAudit(backend.sql()).write({
      who,
      ...(typeof line === "string" ? { kind: "search", about: line } : line),
    });
}

async function erase(who: Person, thing: ErasedThing): Promise<void> {
  const { erasures } = world;
  const id = `e${++count}`;
  expect(await erasures.begin(id, thing, "r", who)).toEqual({ kind: "begun" });
  for (const session of await erasures.left(id)) await erasures.erase(id, session);
  await erasures.finish(id);
}

/** What is left of what they wrote, the oldest first. */
const left = async (who: Person, kinds: readonly string[] = ["search", "reason"]) =>
  (await createAudit(backend.sql()).list(who, { limit: 100 }))
    .filter(({ kind, about }) => kinds.includes(kind) && about !== "[erased]")
    .map(({ about }) => about)
    .toReversed();

test("a search goes that finds the thread, however it was written, and one stays that has parts of its words or the names of fields", async () => {
  const { who, thread } = newSpace();
  const session = thread();
  await spoken(session, ANA, "Dr. Quagga9 goes to Zürich, 部署計画, for them");
  await wrote(who, '"quagga9"', "quagga9?", "(quagga9)", "QUA", "dr", "zürich!", "計画");
  const stays = ["user", "message session", "author kind", "uagga9", "agga", "quagga91", "go on", "計算"];
  await wrote(who, ...stays);
  await erase(who, { kind: "thread", subject: session });
  expect(await left(who)).toEqual(stays);
});

test("a reason for many threads goes where the thread was among them and it says one of its words, and not for words that every thread has", async () => {
  const { who, thread } = newSpace();
  const other = { ...who, person: "UCLEO", name: "Cleo" };
  const session = thread();
  await spoken(session, ANA, "what of the quagga9 with stripes, from here");
  const reason = (about: string): Omit<AuditLine, "who"> => ({
    kind: "reason",
    about: `${about} (an export of {"channel":"quagga9"})`,
  });
  const taken = { kind: "export", session, about: "with others, for the reason above" } as const;
  await wrote(who, reason("of “quagga9”"), reason("request of user U42"), reason("agga, of a kind"), taken);
  await wrote(who, reason("quagga9, later"));
  await wrote(other, reason("quagga9 by another"));
  await erase(who, { kind: "thread", subject: session });
  expect((await left(who)).map((about) => about?.split(" (an export")[0])).toEqual([
    "request of user U42",
    "agga, of a kind",
    "quagga9, later",
    "quagga9 by another",
  ]);
});

test("of a person go the searches for what that one said or is called, and those for what others said stay", async () => {
  const { who, thread } = newSpace();
  const session = thread();
  await spoken(session, { ...ANA, name: "Ana Bongo7" }, "mine is kudu8");
  await spoken(session, BEN, "mine is okapi8");
  await wrote(who, "kudu8", "bongo7", "okapi8");
  await erase(who, { kind: "person", subject: ANA.id });
  expect(await left(who)).toEqual(["okapi8"]);
});

test("a long thread is held against very many searches without looking at each for each", async () => {
  const { who, thread } = newSpace();
  const session = thread();
  await spoken(session, ANA, "LOST3");
  const sql = backend.sql();
  await sql.query({
    text: `insert into audit (platform, space, person, name, kind, about)
select 'slack', '${who.space}', 'U', 'N', 'search', concat('absent', n, ' lost', n % 7, 'x') from generate_series(1, 20000) n`,
  });
  await wrote(who, "lost3");
  await sql.query(
    {
      text: `insert into entries (session, epoch, seq, kind, body)
select $1::text, 1, 1000 + n, 'note', json_build_object('v', 1, 'kind', 'note', 'text', repeat(concat('What they Said of it', n, '. '), 200))
from generate_series(1, 500) n`,
    },
    [session],
  );
  await erase(who, { kind: "thread", subject: session });
  const [kept] = await sql.query<{ n: number }>(
    { text: "select count(*)::integer as n from audit where space = $1 and about like 'absent%'" },
    [who.space],
  );
  expect(kept?.n).toBe(20_000);
  expect(await left(who)).not.toContain("lost3");
});
