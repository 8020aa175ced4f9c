// The card of a goal: what it says in each state, which buttons it has, and that no text of anyone is read as marks in it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPage as onDiscord, measure, PAGE_SIZE } from "../../../src/adapters/discord/format.ts";
import { formatPage as onSlack } from "../../../src/adapters/slack/format.ts";
import { htmlOf } from "../../../src/adapters/web/format.ts";
import { clickOf } from "../../../src/core/command/button.ts";
import { cardOf } from "../../../src/core/goal/card.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import { after, later, owner, setGoal, turn } from "../../support/goals.ts";

const labels = (goal: Goal): readonly string[] => cardOf(goal).buttons.map(({ label }) => label);
const head = (goal: Goal): string => cardOf(goal).markdown.split("\n")[0] ?? "";

test("it has the buttons that make sense now, and none once the goal has ended", () => {
  const goal = after(setGoal());
  expect(labels(goal)).toEqual(["Pause", "Edit", "End goal"]);
  expect(labels(later(goal, 2_000, { kind: "pause", by: owner }))).toEqual(["Resume", "Edit", "End goal"]);
  const spent = later(
    goal,
    2_000,
    { kind: "begin" },
    turn({ tokens: 10_000_000 }),
    { kind: "begin" },
    turn(),
  );
  expect(labels(spent)).toEqual(["+200k tokens", "Edit", "End goal"]);
  expect(labels(later(goal, 2_000, { kind: "clear", by: owner }))).toEqual([]);
});

test("a raise is offered before the budget is used up, where little is left of it", () => {
  const goal = after(setGoal(), { kind: "begin" }, turn({ tokens: 420_000 }));
  expect(labels(goal)).toEqual(["Pause", "+200k tokens", "Edit", "End goal"]);
});

test("each button does what the command does, for this goal in this state", () => {
  for (const { action, value } of cardOf(after(setGoal())).buttons)
    if (action !== "edit") expect(clickOf(action, value)?.command.name).toBe("goal");
});

test("a text of anyone, whatever is in it, stays words: no mark, no words over a link, no mention, no list, and it fits", () => {
  const text = fc
    .array(
      fc.constantFrom(
        "</objective>",
        "**x**",
        "# h",
        "- a",
        "1. b",
        "> q",
        "`c`",
        "@everyone",
        "<@U1>",
        "<!channel>",
        "[a](https://b.c)",
        "https://b.c/(d)",
        "www.b.c",
        "a@b.c",
        "~~s~~",
        "||s||",
        "\n",
        "\n\n",
        "word",
        "```",
        "&amp;",
        "---",
        "| a | b |",
      ),
      { minLength: 1, maxLength: 30 },
    )
    .map((parts) => parts.join(" "))
    .filter((one) => one.trim() !== "");
  fc.assert(
    fc.property(text, text, (objective, evidence) => {
      const page = cardOf({ ...after(setGoal()), objective, status: "blocked", evidence });
      const html = htmlOf(page.markdown);
      // An address that somebody wrote out may be clicked; nothing hides behind other words.
      for (const [, href = "", words = ""] of html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g))
        expect(href.replace(/^(?:https?:\/\/|mailto:)/, "")).toContain(words.replace(/^https?:\/\//, ""));
      expect(html.replaceAll(/<\/?(?:p|blockquote|strong|br|a)(?: [^>]*)?>/g, "")).not.toMatch(/</);
      expect(html.match(/<strong>/g)).toHaveLength(1);
      const slack = onSlack(page);
      expect(slack.kind).toBe("message");
      expect(JSON.stringify(slack)).not.toMatch(/"type":"(?:user|usergroup|broadcast|rich_text_list)"/);
      expect(onDiscord(page).kind).toBe("message");
      expect(measure(page.markdown)).toBeLessThan(PAGE_SIZE);
    }),
    { numRuns: 200 },
  );
});

test("it says nothing that is counted from now, so the same goal is the same card whenever it is laid out", () => {
  const goal = after(
    setGoal(),
    { kind: "begin" },
    { kind: "wait", wait: "time", untilMs: 3_600_000, reason: "the build" },
  );
  expect(head(goal)).toBe("**Goal · waits until 01:00 UTC on 1 Jan**");
  expect(cardOf(goal)).toEqual(cardOf(goal));
});
