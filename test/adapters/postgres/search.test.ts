// A search over more than one look finds: what may not be read, does not fit or is of one thread hides nothing that is older.
import { beforeAll, describe, expect, test } from "vitest";
import { createChannelPrivacy } from "../../../src/adapters/postgres/admin/channel-privacy.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { createOverviews } from "../../../src/adapters/postgres/admin/overviews.ts";
import { TooBusy } from "../../../src/core/admin/too-busy.ts";
import { wantedIn } from "../../../src/core/admin/words.ts";
import type { Found, HitMark, OverviewFilter } from "../../../src/core/ports/overviews.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 5, 1);
const SPACE = { platform: "slack", space: "T1" } as const;

const OLD = "slack:T1:C1:1.1";
const OTHER = "slack:T1:C2:1.2";
const CHATTY = "slack:T1:C1:2.1";
const SHUT = "slack:T1:C9:3.1";
/** More than is looked at in one step. */
const MANY = 310;

/** Asks with ticks that stand still unless said. */
interface Asked {
  readonly limit?: number;
  readonly before?: HitMark | undefined;
  readonly filter?: OverviewFilter;
  readonly opened?: readonly string[];
  readonly ticks?: () => number;
}

describe.each([postgresBackend(), pgliteBackend()])("$name", (backend) => {
  const search = (text: string, { limit = 20, before, filter, opened = [], ticks = () => 0 }: Asked = {}) =>
    createOverviews(backend.sql(), () => false, undefined, ticks).search(SPACE, wantedIn(text)!, {
      limit,
      opened: new Set(opened.map(sessionNamed)),
      ...(before === undefined ? {} : { before }),
      ...(filter === undefined ? {} : { filter }),
    });
  const sessionsOf = ({ hits }: Found): readonly string[] => hits.map(({ session }) => session);

  /** Page after page, as Older leads. */
  async function pagesOf(text: string, asked: Asked): Promise<readonly (readonly string[])[]> {
    const pages: (readonly string[])[] = [];
    for (let before: HitMark | undefined; ;) {
      const found = await search(text, { ...asked, before });
      pages.push(sessionsOf(found));
      before = found.older;
      if (before === undefined) return pages;
    }
  }

  beforeAll(async () => {
    const sql = backend.sql();
    const privacy = createChannelPrivacy(sql, sql);
    for (const [channel, isPrivate] of [
      ["C1", false],
      ["C2", false],
      ["C9", true],
    ] as const)
      await privacy.keep({ ...SPACE, channel }, isPrivate);
    const put = async (session: string, said: readonly string[], at: number): Promise<void> => {
      await storeThread(sql, { session, said, at });
      await createOverviewMaker(sql).make(sessionNamed(session));
    };
    const many = (text: string) => Array.from({ length: MANY }, () => text);
    await put(OLD, ["when does the kestrel fly?", "at noon"], START);
    await put(OTHER, ["a kestrel here", "as well, 部署"], START + 1_000);
    await put(CHATTY, many("the kestrel again"), START + HOUR);
    await put(SHUT, many("our own kestrel, and the hidden heron"), START + 2 * HOUR);
    // Several of them at the same moment.
    for (let n = 0; n < 7; n++)
      await put(`slack:T1:C2:5.${n}`, ["a plover", "the plover 部署"], START + (n >> 1));
  });

  test("what may not be read and what is all of one thread hides no older thread", async () => {
    const found = await search("kestrel");
    expect(sessionsOf(found)).toEqual([CHATTY, OTHER, OLD]);
    expect([found.older, found.isOutOfTime]).toEqual([undefined, false]);
    expect(sessionsOf(await search("kestrel", { opened: [SHUT] }))).toEqual([SHUT, CHATTY, OTHER, OLD]);
  });

  test("a word that only others' own threads hold is found nowhere, and no place of it is told", async () => {
    expect(await search("heron")).toEqual({ hits: [], isOutOfTime: false });
  });

  test("a filter narrows what is found before it is counted", async () => {
    expect(sessionsOf(await search("kestrel", { filter: { channel: "C2" } }))).toEqual([OTHER]);
    expect(sessionsOf(await search("kestrel", { filter: { to: START + HOUR } }))).toEqual([OTHER, OLD]);
    expect(sessionsOf(await search("kestrel", { filter: { isFlagged: true } }))).toEqual([]);
  });

  test.each(["plover", "部署"])("page after page of %s gives each thread once", async (text) => {
    const pages = await pagesOf(text, { limit: 3 });
    const all = pages.flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBe(text === "plover" ? 7 : 8);
    expect(pages.slice(0, 2).map(({ length }) => length)).toEqual([3, 3]);
    expect(sessionsOf(await search(text, { limit: 20 }))).toEqual(all);
  });

  test("page after page goes past threads of many entries, one at a time", async () => {
    // That nothing is older is known where it was looked for.
    expect(await pagesOf("kestrel", { limit: 1, opened: [SHUT] })).toEqual([
      [SHUT],
      [CHATTY],
      [OTHER],
      [OLD],
      [],
    ]);
  });

  test("when its time is over it says how far it came, and goes on from there", async () => {
    let now = -1;
    // The time is over with the second look.
    const ticks = () => Math.max(0, now++) * 5_000;
    const found = await search("kestrel", { opened: [SHUT], ticks });
    expect([sessionsOf(found), found.isOutOfTime]).toEqual([[SHUT], true]);
    expect(sessionsOf(await search("kestrel", { opened: [SHUT], before: found.older }))).toEqual([
      CHATTY,
      OTHER,
      OLD,
    ]);
    now = -1;
    // The place of what may not be read is told by nothing.
    await expect(search("kestrel", { ticks })).rejects.toThrow(TooBusy);
  });
});
