// What of an answer is sent into a stream: it only ever grows, and nothing in it does anything.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { streamText } from "../../../src/adapters/slack/stream-text.ts";
import { certainPart } from "../../../src/core/reply/heal.ts";
import { markdown } from "../../support/markdown-arbitrary.ts";

const bare = (text: string): string => text.replaceAll("\u2060", "");

describe("the words of a stream", () => {
  it("begin with those that were sent before, wherever one looks while the answer grows", () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat({ max: 1_000 }), { maxLength: 12 }), (text, looks) => {
        let sent = "";
        for (const look of [...looks.toSorted((a, b) => a - b), 1_000]) {
          const half = text.slice(0, Math.ceil((text.length * look) / 1_000));
          expect(streamText(half).startsWith(sent)).toBe(true);
          const certain = streamText(certainPart(half));
          if (certain.length > sent.length) {
            expect(certain.startsWith(sent)).toBe(true);
            sent = certain;
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["<!channel> and <@U1>, @here", "<\u2060!channel> and <\u2060@\u2060U1>, @\u2060here"],
    ["see [it](https://a.example/x_(y)) now", "see it now"],
    ["![a chart](https://a.example/?secret)", "a chart"],
    ["https://a.example and www.b.example", "https:\u2060//a.example and www.\u2060b.example"],
    ["`a[0](b)` and\n```\nc[1](d)\n```", "`a[0]\u2060(b)` and\n```\nc[1]\u2060(d)\n```"],
    ["```\n~~~\n```\nsee [Bank](//evil.example)", "```\n~~~\n```\nsee Bank"],
    ["````\n```\n[a](b)\n````\n[c](d)", "````\n```\n[a]\u2060(b)\n````\nc"],
    ["a ` and\n\n[Bank](//evil.example) ` b", "a ` and\n\nBank ` b"],
    ["&#x202e;moc.knab", "&\u2060#x202e;moc.knab"],
    ["[b](evil.example/((a)))", "[b]\u2060(evil.example/((a)))"],
    ["[Bank][1]\n\n[1]: //evil.example", "[Bank]\u2060[1]\n\n[1]\u2060: //evil.example"],
  ])("of %s", (text, sent) => expect(streamText(text)).toBe(sent));

  it("say all that the answer says outside of links", () => {
    const text = "a **b** _c_ < d > e @ f & g\n\n- h\n- i: j";
    expect(bare(streamText(text))).toBe(text);
  });
});
