import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capResult, textOfFailure, textOfResult } from "../../../src/core/agent/tool-result.ts";

describe("the text of a result", () => {
  test.each<readonly [string, unknown, string]>([
    ["a text", "plain", "plain"],
    ["nothing", undefined, "(no output)"],
    ["null", null, "null"],
    ["a blank text", " \n", "(no output)"],
    ["an object", { a: 1 }, '{"a":1}'],
    ["false", false, "false"],
    ["a bigint inside", { n: 10n }, '{"n":"10"}'],
    ["a function", Math.max, "function max() { [native code] }"],
    [
      "text in blocks",
      {
        content: [
          { kind: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      "a\nb",
    ],
    [
      "an image block",
      { content: [{ kind: "image", mimeType: "image/png", data: "AA" }] },
      "[image, image/png]",
    ],
    ["an empty list of blocks", { content: [] }, "(no output)"],
    ["an object that only looks like an output", { content: 5 }, '{"content":5}'],
    ["NUL and half a character", "a\u0000\ud83d", "a\uFFFD\uFFFD"],
  ])("of %s", (_, value, text) => {
    expect(textOfResult(value)).toMatchObject({ ok: true, text });
  });

  test("of one object at two places, which is no circle", () => {
    const shared = { x: 1 };
    expect(textOfResult({ a: shared, b: [shared, { shared }] }).text).toBe(
      '{"a":{"x":1},"b":[{"x":1},{"shared":{"x":1}}]}',
    );
  });

  test("of what cannot be read at all is still a text", () => {
    const poison = Object.defineProperty({}, "content", {
      enumerable: true,
      get() {
        throw new Error("no");
      },
    });
    expect(textOfResult(poison).text).toBe("[object that cannot be shown]");
  });

  test("is never blank and always well-formed, whatever a tool returns", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (value) => {
          const { text } = textOfResult(value);
          expect(text.trim()).not.toBe("");
          expect(text.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  test("of a failure begins with the word error", () => {
    expect(textOfFailure(new TypeError(""))).toBe("error: TypeError");
    expect(textOfFailure({ code: 5 })).toBe('error: {"code":5}');
  });
});

describe("the copy for the model", () => {
  test("is the text itself up to the cap, counted in bytes", () => {
    expect(capResult("é".repeat(20_000), 40_000)).toBe("é".repeat(20_000));
    expect(capResult("é".repeat(20_001), 40_000)).toContain('"total_bytes":40002');
    expect(capResult("x".repeat(100_000), Number.POSITIVE_INFINITY)).toHaveLength(100_000);
  });

  test("keeps start and end and says what it is", () => {
    const { content, ...rest } = JSON.parse(capResult(`BEGIN${"-".repeat(100_000)}END`, 1_000)) as {
      content: string;
    };
    expect(rest).toEqual({ truncated: true, total_bytes: 100_008, notice: expect.any(String) as string });
    expect(content.startsWith("BEGIN")).toBe(true);
    expect(content.endsWith("END")).toBe(true);
  });

  test("H9: is cut on whole characters", () => {
    for (let cap = 400; cap < 420; cap++) {
      const { content } = JSON.parse(capResult(`${"a".repeat(cap % 7)}${"🙂".repeat(1_000)}`, cap)) as {
        content: string;
      };
      expect(content.isWellFormed()).toBe(true);
    }
  });

  test("never takes more bytes than the cap, and as many as fit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 400, maxLength: 3_000 }),
        fc.integer({ min: 300, max: 2_000 }),
        (text, cap) => {
          const bytes = Buffer.byteLength(capResult(text, cap));
          expect(bytes).toBeLessThanOrEqual(Math.max(cap, 0));
          if (Buffer.byteLength(text) > cap) expect(bytes).toBeGreaterThan(cap - 64);
        },
      ),
    );
  });
});

test("images that are too many bytes together are told of, and the bytes of those that find no room are left out", () => {
  const image = (data: string) => ({ type: "image", mimeType: "image/png", data });
  const large = "A".repeat(12_000_000);
  const { images = [] } = textOfResult({ content: [image(large), image(large), image("AAAA")] });
  expect(images.map(({ data }) => data.length)).toEqual([12_000_000, 0, 4]);
});
