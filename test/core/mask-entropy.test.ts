import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createNewId, sha256 } from "../../src/adapters/ids.ts";
import { isNoWord, maskEntropy } from "../../src/core/mask-entropy.ts";
import { threadMs } from "../support/thread-time.ts";

test("what is as mixed as chance mixes is masked, bare, in JSON and in a URL", () => {
  const secret = "q7Vn2kPz9XbT4wLmR8sYdH3j";
  expect(maskEntropy(`it is ${secret}.`)).toBe("it is ***.");
  expect(maskEntropy(JSON.stringify({ text: `a\n${secret}` }))).toBe(String.raw`{"text":"a\n***"}`);
  expect(maskEntropy(`https://files.example/d?x=${secret}&y=1`)).toBe("https://files.example/d?x=***&y=1");
});

test("of secrets that chance made, nearly all are masked whatever stands around them", () => {
  const secrets = Array.from({ length: 500 }, () => randomBytes(24).toString("base64url"));
  const left = secrets.filter((secret) => maskEntropy(`Use "${secret}" for it`).includes(secret));
  expect(left.length).toBeLessThan(25);
});

test.each([
  ['{"password":"hunter2hunter9x"}', '{"password":"***"}'],
  ["API_KEY=00000000-1111-4222-8333-d444444c4444", "API_KEY=***"],
  [String.raw`{"env":"TOKEN=\"abc1def2ghi3jkl4\""}`, String.raw`{"env":"TOKEN=\"***\""}`],
])("behind a name that says what it is less is enough: %s", (text, masked) => {
  expect(maskEntropy(text)).toBe(masked);
});

test.each([
  "a sentence of InternationalizationAndLocalizationHelpers in src/adapters/postgres/admin/overview-maker2.ts",
  "discord:123456789012345678:987654321098765432 and slack:T012AB3CD:C012AB3CD:1712345678.123456",
  "8f14e45f-ceea-467f-a1d2-6b1c5f0d3e2a is a UUID, 2026-12-01T03:41:24.000Z a time",
  `commit ${sha256("x").slice(0, 40)} of ${sha256("y")}`,
  `run ${createNewId({ now: () => 1_796_000_000_000 })()}`,
  "the password: is not here, and tokens=1234567890123456 are counted",
  "AAAAAAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaa1111111111",
])("what is no secret stays as it is: %s", (text) => {
  expect(maskEntropy(text)).toBe(text);
});

test("data that is longer than a secret stays whole", () => {
  const image = randomBytes(600).toString("base64");
  expect(maskEntropy(JSON.stringify({ data: image }))).toContain(image);
});

test("JSON stays JSON, whatever is in it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.base64String({ minLength: 20, maxLength: 80 }), (value, secret) => {
      const line = JSON.stringify({ value, token: secret, text: `\n${secret}\\${secret}"` });
      expect(() => JSON.parse(maskEntropy(line)) as unknown).not.toThrow();
    }),
  );
});

test("a long text is quick, also one made to be slow", () => {
  for (const text of [
    "token".repeat(60_000),
    "aB1".repeat(100_000),
    "\\".repeat(300_000),
    "token=".repeat(50_000),
  ])
    expect(threadMs(() => maskEntropy(text))).toBeLessThan(5_000);
});

test("no word is taken for a secret, and no secret that a machine made for a word", () => {
  for (const word of [
    "bobbin",
    "postgres",
    "ollama",
    "Passwort",
    "größer",
    "authentication",
    "llama3",
    "v1.2.0",
  ])
    expect(isNoWord(word), word).toBe(false);
  fc.assert(fc.property(fc.lorem({ maxCount: 1 }), (word) => !isNoWord(word.replace(/\W/g, ""))));
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 48 });
  fc.assert(
    fc.property(bytes, (made) =>
      (["base64", "base64url", "hex"] as const).every((form) => isNoWord(Buffer.from(made).toString(form))),
    ),
  );
});
