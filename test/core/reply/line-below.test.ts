// The line below an answer in the places that show only so much of one: what people can do and the run's id are never cut.
import fc from "fast-check";
import { expect, test } from "vitest";
import * as discord from "../../../src/adapters/discord/format.ts";
import * as slack from "../../../src/adapters/slack/format.ts";
import type { ErrorCode } from "../../../src/core/errors.ts";
import type { EndReason } from "../../../src/core/events.ts";
import { standingOfGoal } from "../../../src/core/goal/describe.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import type { PageContent } from "../../../src/core/ports/surface.ts";
import { documentOf } from "../../../src/core/reply/document.ts";
import { explanationOf } from "../../../src/core/reply/ending.ts";
import { render } from "../../../src/core/reply/render.ts";
import type { Outcome } from "../../../src/core/run.ts";
import { clipped } from "../../../src/core/text.ts";
import { after, setGoal } from "../../support/goals.ts";
import { entryOf, runNamed } from "../../support/reply-bench.ts";

const DAY = 86_400_000;
/** As long as a real one. */
const run = {
  ...runNamed("01jabcdefghjkmnpqrstvwxy"),
  usage: { input: 6_800, output: 340, cost: 0.0132 },
};
const TOOK = "1 min 1 s · 7,140 tokens · $0.013";
const NOTICE = "The model gpt-5-large-preview is not listed any more, so gpt-5-mini answered.";

interface Place {
  readonly name: string;
  readonly footerSize?: number;
  /** What people read below the answer. */
  below(page: PageContent): string | undefined;
}
const inSlack: Place = {
  name: "Slack",
  footerSize: slack.FOOTER_SIZE,
  below(page) {
    const message = slack.formatPage(page);
    if (message.kind !== "message") return undefined;
    const lines = message.blocks.flatMap((block) =>
      block.type === "context" ? block.elements.map(({ text }) => text) : [],
    );
    return lines.at(-1);
  },
};
const inDiscord: Place = {
  name: "Discord",
  footerSize: discord.FOOTER_SIZE,
  below(page) {
    const message = discord.formatPage(page);
    if (message.kind !== "message") return undefined;
    return message.content.split("\n").at(-1)?.replaceAll("\\", "").replace(/^-# /, "");
  },
};
const inWeb: Place = { name: "the web chat", below: ({ footer }) => footer };

interface Ending extends Omit<Outcome, "endedAt"> {
  readonly notice?: string;
}

function shownIn(place: Place, { notice, ...ending }: Ending): string {
  const outcome: Outcome = { ...ending, endedAt: run.startedAt + 61_000 };
  const document = documentOf(run, [entryOf(run, 1, "So far.")], outcome);
  const limits = { pageSize: 1_500, measure: (text: string) => text.length };
  const size = place.footerSize === undefined ? {} : { footerSize: place.footerSize };
  const [page] = render({ ...document, ...(notice === undefined ? {} : { notice }) }, { ...limits, ...size });
  const shown = page && place.below(page);
  // What was laid out is what people see: nothing is cut once more.
  expect(shown).toBe(page?.footer);
  return shown ?? "";
}

const goal = after(setGoal());
const standing = (change: Partial<Goal>): string => standingOfGoal({ ...goal, ...change }, 0);
const blockedBy = (evidence: string): string => standing({ status: "blocked", evidence });
const waitsFor = (reason: string): string =>
  standing({ status: "waiting", wait: { kind: "reply", from: "U1", until: 7 * DAY, reason } });

const places = [inSlack, inDiscord, inWeb];
test.each(places)(
  "in $name a goal that is blocked for a reason of many words says what to do, and what it took",
  (place) => {
    const shown = shownIn(place, { reason: "stop", goal: blockedBy("the token has expired ".repeat(40)) });
    expect(shown).toMatch(
      /^The goal is blocked: the token has expired the.*… `goal resume` tries again\. · /,
    );
    expect(shown.endsWith(` · ${TOOK}`)).toBe(true);
  },
);

test.each([inSlack, inDiscord])(
  "in $name a wait with a long reason leaves out a part of that, and no part of what it took",
  (place) => {
    const reason = "which of the two versions is it, the older one or the one of last week? ".repeat(3);
    const shown = shownIn(place, { reason: "stop", goal: waitsFor(reason) });
    expect(shown).toMatch(
      /^The goal waits for 7 d at most, or until the one it asked writes here: which of.*… · /,
    );
    expect(shown.endsWith(` · ${TOOK}`)).toBe(true);
  },
);

test("what finds room is said as it was given", () => {
  for (const place of places)
    expect(shownIn(place, { reason: "stop", goal: blockedBy("only an admin has the token") })).toBe(
      `The goal is blocked: only an admin has the token. \`goal resume\` tries again. · ${TOOK}`,
    );
});

test("in Discord a failure below the notice of another model names its run whole: what it took and the notice are left out", () => {
  const error = { code: "model_rate_limited", message: "429" } as const;
  const why =
    "The model's provider is limiting requests at the moment. Please try again in a minute. Retry starts it again (run 01jabcdefghjkmnpqrstvwxy).";
  expect(shownIn(inWeb, { reason: "error", error, notice: NOTICE })).toBe(`${NOTICE} · ${why} · ${TOOK}`);
  expect(shownIn(inSlack, { reason: "error", error, notice: NOTICE })).toBe(`${NOTICE} · ${why} · ${TOOK}`);
  expect(shownIn(inDiscord, { reason: "error", error, notice: NOTICE })).toBe(`${NOTICE} · ${why}`);
  expect(shownIn(inDiscord, { reason: "error", error, notice: `${NOTICE} ${NOTICE}` })).toBe(why);
});

test("whatever meets in it: within its limit, with what can be done and the run, each part whole, and no sign cut in two", () => {
  const codes: readonly ErrorCode[] = ["model_rate_limited", "attempts_used_up", "model_cut"];
  const reasons: readonly EndReason[] = ["stop", "waiting", "max_turns", "stuck", "cancelled", "error"];
  const words = fc
    .array(fc.constantFrom("👨‍👩‍👧‍👦", "e\u0301", "🇸🇪", "word ", "x", "\n", "\u2067", ". ", ": "), {
      maxLength: 300,
    })
    .map((signs) => signs.join("").trim());
  const goals = fc.oneof(fc.constant(undefined), words.map(blockedBy), words.map(waitsFor));
  const notices = fc.constantFrom(undefined, NOTICE);
  fc.assert(
    fc.property(
      fc.constantFrom(inSlack, inDiscord),
      fc.constantFrom(...reasons),
      fc.constantFrom(...codes),
      goals,
      notices,
      (place, reason, code, said, notice) => {
        const ending: Ending = {
          reason,
          ...(reason === "error" ? { error: { code, message: "" } } : {}),
          ...(said === undefined ? {} : { goal: said }),
          ...(notice === undefined ? {} : { notice }),
        };
        const shown = shownIn(place, ending);
        expect(shown.length).toBeLessThanOrEqual(place.footerSize ?? Infinity);
        expect(shown).toContain(explanationOf({ run: run.id }, ending).next ?? "");
        if (said !== undefined) expect(shown).toMatch(/The goal (?:is blocked|waits for 7 d)/);
        if (said?.startsWith("The goal is blocked") === true)
          expect(shown).toContain("`goal resume` tries again.");
        expect(shown.includes(NOTICE)).toBe(shown.includes("not listed"));
        expect(shown.includes(TOOK)).toBe(shown.includes("7,140"));
        expect(shown.isWellFormed()).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

test("a text that is clipped ends between two signs as people see them, within its limit", () => {
  const signs = new Intl.Segmenter("en", { granularity: "grapheme" });
  const apart = (text: string): readonly string[] => [...signs.segment(text)].map(({ segment }) => segment);
  const text = fc.string({ unit: fc.constantFrom("👨‍👩‍👧‍👦", "e\u0301", "🇸🇪", "a", " "), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 80 }), (given, units) => {
      const shown = clipped(given, units);
      expect(shown.length).toBeLessThanOrEqual(units);
      const isWhole = given.trim().length <= units;
      expect(shown.endsWith("…")).toBe(!isWhole);
      const kept = apart(isWhole ? shown : shown.slice(0, -1));
      expect(apart(given.trim()).slice(0, kept.length)).toEqual(kept);
    }),
  );
});
