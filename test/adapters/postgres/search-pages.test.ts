// Whatever steps a search takes, its pages give what one plain look at all entries would: in that order, nothing lost, nothing twice.
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createChannelPrivacy } from "../../../src/adapters/postgres/admin/channel-privacy.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import type { Strides } from "../../../src/adapters/postgres/admin/search-course.ts";
import { search } from "../../../src/adapters/postgres/admin/search.ts";
import { TooBusy } from "../../../src/core/admin/too-busy.ts";
import { wantedIn } from "../../../src/core/admin/words.ts";
import type { HitMark, OverviewFilter } from "../../../src/core/ports/overviews.ts";
import { threadOf } from "../../../src/core/thread.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";

const START = Date.UTC(2026, 5, 1);
const SPACE = { platform: "slack", space: "T1" } as const;
/** Longer than a word that is found whole. */
const LONG = "kestrel".repeat(6);

interface Line {
  readonly text: string;
  /** Seconds after the start: several lines have the same, and a later one of a thread may have an earlier one. */
  readonly second: number;
}

interface World {
  readonly session: string;
  readonly person: string;
  readonly isDirect: boolean;
  readonly lines: readonly Line[];
}

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constant("kestrel") },
  { weight: 2, arbitrary: fc.constantFrom("plover", `${LONG}ab`, `${LONG}cd`) },
  { weight: 2, arbitrary: fc.constantFrom("部署失败", "部署了 署失常 失败") },
  { weight: 8, arbitrary: fc.constantFrom("a", "here") },
);
const line: fc.Arbitrary<Line> = fc.record({
  text: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
  second: fc.nat(40),
});
/** C9 is private, what is in C4 is direct by its address, and T2 is somebody else's. */
const places = ["T1:C1", "T1:C1", "T1:C1", "T1:C2", "T1:C2", "T1:C3", "T1:C4", "T1:C9", "T2:C1"];
const WORLD: readonly World[] = fc
  .sample(
    fc.record({
      place: fc.constantFrom(...places),
      person: fc.constantFrom("U1", "U2"),
      isDirect: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      lines: fc.array(line, { minLength: 1, maxLength: 6 }),
    }),
    { numRuns: 40, seed: 7 },
  )
  .map(({ place, ...thread }, n) => ({ ...thread, session: `slack:${place}:${n + 10}.1` }));

const needsReason = ({ session, isDirect }: World): boolean => isDirect || /:C[49]:/.test(session);
const endOf = ({ lines }: World): number => START + lines.length * 1_000;

interface Question {
  readonly text: string;
  readonly limit: number;
  readonly filter: OverviewFilter;
  readonly opened: readonly string[];
  readonly strides: Strides;
  /** After so many steps its time is over; undefined for never. */
  readonly steps: number | undefined;
}

const upTo = (max: number) => fc.integer({ min: 1, max });
const question: fc.Arbitrary<Question> = fc.record({
  text: fc.constantFrom(
    "kestrel",
    "kestrel",
    "plover",
    "kestrel plover",
    "部署失败",
    "部署",
    `${LONG}ab`,
    "heron",
  ),
  limit: upTo(6),
  filter: fc.oneof(
    fc.constant({}),
    fc.record({ channel: fc.constantFrom("C1", "C2", "C3", "C9") }),
    fc.record({ person: fc.constantFrom("U1", "U2", "U3") }),
    fc.record({
      channel: fc.constant("C1"),
      to: fc.integer({ min: 1, max: 6 }).map((n) => START + n * 1_000),
    }),
  ),
  opened: fc.subarray(WORLD.filter(needsReason).map(({ session }) => session)),
  strides: fc.record({
    entries: upTo(20),
    newest: upTo(60),
    near: upTo(20),
    places: upTo(150),
    words: fc.nat(60),
    cheap: fc.nat(60),
  }),
  steps: fc.option(upTo(4), { nil: undefined }),
});

const shown = (session: string, seq: number): string => `${session} ${seq}`;

/** Of each thread the newest entry that holds it. */
function expected({ text, filter, opened }: Question): readonly string[] {
  const pieces = text.split(" ");
  const holds = (said: string): boolean =>
    pieces.every((piece) =>
      piece.startsWith("部") ? said.includes(piece) : said.split(" ").some((each) => each.startsWith(piece)),
    );
  const newest = (a: readonly [number, string, number], b: readonly [number, string, number]): number =>
    b[0] - a[0] || (a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : b[2] - a[2]);
  return WORLD.filter((thread) => {
    const { space, channel } = threadOf(sessionNamed(thread.session));
    return (
      space === SPACE.space &&
      (!needsReason(thread) || opened.includes(thread.session)) &&
      (filter.channel ?? channel) === channel &&
      (filter.person ?? thread.person) === thread.person &&
      (filter.to === undefined || endOf(thread) < filter.to)
    );
  })
    .flatMap(({ session, lines }) => {
      const held = lines.flatMap(({ text: said, second }, n) =>
        holds(said) ? [[second, session, n + 1] as const] : [],
      );
      return held.toSorted(newest).slice(0, 1);
    })
    .toSorted(newest)
    .map(([, session, seq]) => shown(session, seq));
}

describe.each([postgresBackend(), pgliteBackend()])("$name", (backend) => {
  /** Page after page, as Older leads. */
  async function found({
    text,
    limit,
    filter,
    opened,
    strides,
    steps,
  }: Question): Promise<readonly string[]> {
    const all: string[] = [];
    const page = (before: HitMark | undefined, ticks: () => number) =>
      search(
        { sql: backend.sql(), isDirectAddress: ({ channel }) => channel === "C4", ticks, strides },
        SPACE,
        wantedIn(text)!,
        {
          limit,
          filter,
          opened: new Set(opened.map(sessionNamed)),
          ...(before === undefined ? {} : { before }),
        },
      );
    for (let before: HitMark | undefined; ;) {
      let asked = 0;
      const { hits, older } = await page(before, () => (asked++ > (steps ?? Infinity) ? 5_000 : 0)).catch(
        (error: unknown) => {
          if (!(error instanceof TooBusy)) throw error;
          return page(before, () => 0);
        },
      );
      expect(hits.length).toBeLessThanOrEqual(limit);
      all.push(...hits.map(({ session, seq }) => shown(session, seq)));
      if (older === undefined) return all;
      before = older;
    }
  }

  beforeAll(async () => {
    const sql = backend.sql();
    const privacy = createChannelPrivacy(sql, sql);
    for (const channel of ["C1", "C2", "C3", "C4", "C9"])
      await privacy.keep({ ...SPACE, channel }, channel === "C9");
    for (const { session, person, isDirect, lines } of WORLD) {
      const said = lines.map(({ text }) => text);
      const author = { id: person, name: person };
      await storeThread(sql, { session, said, author, at: START, ...(isDirect ? { isDirect } : {}) });
      for (const [n, { second }] of lines.entries())
        await sql.query({ text: `update entries set created_at = $3 where session = $1 and seq = $2` }, [
          session,
          n + 1,
          START + second * 1_000,
        ]);
      await createOverviewMaker(sql).make(sessionNamed(session));
    }
  });

  test("pages of any search give the newest entry of each thread that holds it, in order and once", async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        expect(await found(asked)).toEqual(expected(asked));
      }),
      { numRuns: 40 },
    );
  });
});
