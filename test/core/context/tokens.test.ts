import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokensIn } from "../../../src/core/context/tokens.ts";

/** Signs to one token. */
const density = (text: string): number => text.length / tokensIn(text);

const PROSE = "The heron stands in the shallow water and waits for a fish that comes near enough. ";
const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

describe("a text is taken for as many tokens as its kind of signs costs", () => {
  test.each([
    ["prose", PROSE.repeat(50), 3.5, 4],
    ["code", "export const add = (a: number, b: number): number => a + b;\n".repeat(50), 2.5, 3.7],
    ["JSON", JSON.stringify({ id: 1_234, name: "heron", tags: ["a", "b"] }).repeat(50), 2, 3],
    ["numbers", "1234567890 ".repeat(50), 1.9, 2.3],
    ["hashes", `${HEX} `.repeat(50), 1.9, 2.1],
    ["keys of letters alone", `${"abcdefghijklmnop".repeat(4)} `.repeat(50), 1.9, 2.1],
    ["base64", Buffer.from(PROSE.repeat(20)).toString("base64"), 1.9, 2.1],
    ["Russian", "Цапля стоит на мелководье и ждёт рыбу. ".repeat(50), 2, 2.4],
    ["Chinese", "苍鹭站在浅水里等着游近的鱼。".repeat(50), 1, 1],
    ["Japanese", "サギは浅い水に立って魚を待つ。".repeat(50), 1, 1],
    ["emoji", "🙂".repeat(50), 1, 1],
  ])("%s", (_, text, least, most) => {
    expect(density(text)).toBeGreaterThanOrEqual(least);
    expect(density(text)).toBeLessThanOrEqual(most);
  });

  test("nothing is none, and a sign is one", () => {
    expect([tokensIn(""), tokensIn("a")]).toEqual([0, 1]);
  });

  test("a text that grows is never taken for less", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, more) => {
        expect(tokensIn(text + more)).toBeGreaterThanOrEqual(tokensIn(text));
        expect(tokensIn(text)).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
