import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { certainPart, closeFence, heal } from "../../../src/core/reply/heal.ts";
import { scanLines } from "../../../src/core/reply/lines.ts";
import { markdown } from "../../support/markdown-arbitrary.ts";

const HALF: readonly (readonly [string, string, string])[] = [
  ["closes a fence", "Look:\n```ts\nconst a = 1;", "Look:\n```ts\nconst a = 1;\n```"],
  ["holds back a fence that has no line yet", "Look:\n```ts", "Look:"],
  ["holds back half a closing fence", "```ts\nconst a;\n``", "```ts\nconst a;\n```"],
  ["closes a fence in a list item", "- a\n  ```sh\n  ls", "- a\n  ```sh\n  ls\n  ```"],
  ["closes strong text", "This is **imp", "This is **imp**"],
  ["completes half a closing mark", "This is **important*", "This is **important**"],
  ["drops a mark that nothing follows", "This is **", "This is"],
  ["closes nested emphasis", "a **b *c", "a **b *c***"],
  ["closes inline code", "run `npm i", "run `npm i`"],
  ["closes inline code within strong text", "**run `npm", "**run `npm`**"],
  ["shows the label of half a link", "see [the docs](https://exa", "see the docs"],
  ["shows the label of half a label", "see [the do", "see the do"],
  ["holds back half an image", "see ![a cat](https://x", "see"],
  ["holds back half a mention", "ask <@U12", "ask"],
  ["holds back a table's header without its dashes", "Table:\n\n| a | b |", "Table:"],
  ["holds back half a row", "| a | b |\n| - | - |\n| 1 | 2 |\n| 3", "| a | b |\n| - | - |\n| 1 | 2 |"],
  ["holds back a line that may become anything", "Items:\n-", "Items:"],
  ["holds back an item of which there is only a mark", "Items:\n- [", "Items:"],
  ["leaves a product alone", "2*3 and 4 * 5", "2*3 and 4 * 5"],
  ["leaves snake_case alone", "use snake_case_name", "use snake_case_name"],
];

describe("healing half-written markdown", () => {
  for (const [title, half, healed] of HALF) it(title, () => expect(heal(half)).toBe(healed));

  it("leaves a text alone whose last block is whole", () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const whole = `${text}\n\nThis is **the** \`end\` of [it](https://example.org/a_(b)).`;
        expect(heal(whole)).toBe(whole);
      }),
    );
  });

  it("leaves no fence open and is done after once, wherever the text breaks off", () => {
    fc.assert(
      fc.property(markdown, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        const healed = heal(text.slice(0, Math.floor(text.length * share)));
        expect(heal(healed)).toBe(healed);
        expect(scanLines(healed).at(-1)?.after.fence).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("invents nothing: without its marks, what is shown is the beginning of the text", () => {
    const bare = (text: string): string => text.replace(/[\s*_~`[\]]/g, "");
    fc.assert(
      fc.property(markdown, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        const plain = text.replace(/\]\(https[^\s]*/g, "");
        expect(bare(plain).startsWith(bare(heal(plain.slice(0, Math.floor(plain.length * share)))))).toBe(
          true,
        );
      }),
      { numRuns: 500 },
    );
  });

  it("closes only a fence in a text that is final", () => {
    expect(closeFence("**a\n```\ncode")).toBe("**a\n```\ncode\n```");
    expect(closeFence("**a [b](c")).toBe("**a [b](c");
  });
});

const CERTAIN: readonly (readonly [string, string, string])[] = [
  ["keeps what is whole", "This is **whole** and on", "This is **whole** and on"],
  ["ends before strong text that is open", "This is **imp", "This is"],
  ["ends before half a link, whose label may be no text", "see [the docs](https://exa", "see"],
  ["ends before a label that may become a link", "see [the docs]", "see"],
  ["keeps a block of code that is open", "Look:\n```ts\nconst a = 1;", "Look:\n```ts\nconst a = 1;"],
  ["ends before half a row", "| a | b |\n| - | - |\n| 1 | 2 |\n| 3", "| a | b |\n| - | - |\n| 1 | 2 |"],
  ["ends before a header that has no dashes yet", "Table:\n\n| a | b |", "Table:"],
  ["cuts no pair", "a \uD83D", "a"],
];

describe("what is certain of half-written markdown", () => {
  for (const [title, half, certain] of CERTAIN) it(title, () => expect(certainPart(half)).toBe(certain));

  it("is a beginning of it in which nothing is healed", () => {
    fc.assert(
      fc.property(markdown, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        const half = text.slice(0, Math.floor(text.length * share));
        const certain = certainPart(half);
        expect(half.startsWith(certain)).toBe(true);
        expect([certain, closeFence(certain)]).toContain(heal(certain));
      }),
    );
  });
});
