// Secrets in an answer that is still written: whatever pieces it comes in, nobody ever sees one, and words that were seen stay.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKnownSecrets } from "../../src/core/mask.ts";
import { createShownMask } from "../../src/core/mask-shown.ts";
import { threadMs } from "../support/thread-time.ts";

const TOKEN = "k3y-of-9-lives";
const SENTENCE = "correct horse, battery 7 staple";
const RUSSIAN = "пароль-для-всех-1";
const known = createKnownSecrets([TOKEN, SENTENCE, RUSSIAN]);
const mask = createShownMask(known);

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const KEY = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n  ${"MIIEow12".repeat(12)}\n> ${"QUJDRA==".repeat(9)}\n-----END RSA PRIVATE KEY-----`;

/** What may not be seen of it, where it stands in a text. */
const secrets: readonly (readonly [text: string, hidden: string])[] = [
  [TOKEN, TOKEN.slice(0, 3)],
  [`https://a.example/?q=${encodeURIComponent(RUSSIAN)}&r=1`, encodeURIComponent(RUSSIAN).slice(0, 12)],
  [base64(`me:${TOKEN}`), base64(`me:${TOKEN}`).slice(4)],
  [SENTENCE, "correct h"],
  [JSON.stringify({ a: `${SENTENCE}` }), "correct h"],
  [RUSSIAN, "парол"],
  ["sk-abcdefghijklmnop1234", "sk-a"],
  ["xoxb-1234567890-abcdefghijklmnop", "xoxb-1"],
  ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_a"],
  ["AKIAIOSFODNN7EXAMPLE", "AKIAI"],
  ["eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "eyJhbGci"],
  ["postgres://bobbin:s3cret@db.example/x", "s3c"],
  ["postgres://bobbin:pässwörd中文@db.example/x", "päs"],
  ["Authorization: Bearer pä.ss", "pä"],
  ["Bearer abcdefghijklmnopq中1", "abcd"],
  ["https://a.example/x?token=ключ-42&page=2", "клю"],
  [KEY, "-----BEGIN RSA"],
  [KEY, "MII"],
];

const words = fc.constantFrom(
  ..."the answer is 42. k3 sk- -----BEGIN CERTIFICATE----- correct пар A https://localhost:3000/a http://host:80中 Bearer 答案是四十二 `code` **b** \u{1F469}‍\u{1F467} é".split(
    " ",
  ),
);
const gap = fc.constantFrom(" ", "\n", "\n\n", "", "，", "　", '"');
const answer = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 4, arbitrary: words.map((word) => [word] as const) },
        { weight: 1, arbitrary: fc.constantFrom(...secrets) },
      ),
      gap,
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.map(([[text], between]) => text + between).join(""));

test("S5: of any answer, in whatever pieces it comes, what is seen only grows, and is the beginning of what is stored", () => {
  fc.assert(
    fc.property(answer, (text) => {
      let before = "";
      for (let length = 0; length <= text.length; length++) {
        const seen = mask.growing(text.slice(0, length));
        expect(seen.startsWith(before)).toBe(true);
        before = seen;
      }
      expect(mask.whole(text).startsWith(before)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test.each(secrets)("S5: of %j nobody sees more than how it is known to be one", (secret, hidden) => {
  for (const [before, after] of [
    ["It is ", " and more"],
    ["它是", "\n\nand more"],
    ["", ". And"],
  ]) {
    const text = `${before}${secret}${after}`;
    for (let length = 0; length <= text.length; length++)
      expect(mask.growing(text.slice(0, length))).not.toContain(hidden);
    expect(mask.whole(text)).not.toContain(hidden);
    expect(mask.growing(`${text} . `)).toContain("***");
  }
});

test("a word is seen as soon as a space follows it, and what is written without spaces at once", () => {
  expect(mask.growing("The ans")).toBe("The ");
  expect(mask.growing("The answer ")).toBe("The answer ");
  expect(mask.growing("The answer\n")).toBe("The answer\n");
  expect(mask.growing("答案是四十二")).toBe("答案是四十二");
  expect(mask.growing("Ответ: сорок")).toBe("Ответ: сорок");
  expect(mask.growing("see https://localhost:3000/即可查看")).toBe("see https://localhost:3000/即可查看");
});

test("a line of data without an end does not wait for it, nor an answer that only names a private key", () => {
  expect(mask.growing(`${"a".repeat(10_000)}`)).toHaveLength(10_000 - 4_096);
  const talk = `It begins with -----BEGIN PRIVATE KEY----- and so on. ${"More words. ".repeat(600)}`;
  expect(mask.growing(talk)).toBe(mask.whole(talk));
  expect(mask.growing('"-----BEGIN PRIVATE KEY-----" is its first line')).toContain("is its first ");
  expect(mask.growing("-----BEGIN CERTIFICATE-----\nMIIE and ")).toContain("MIIE and ");
});

test("is quick for a long answer, also for one made to be slow", () => {
  const hostile = [
    "-----BEGIN PRIVATE KEY-----".repeat(8_000),
    "-----BEGIN ".repeat(20_000),
    "postgres://a:".repeat(20_000),
    "a://".repeat(50_000),
    "Bearer ".repeat(30_000),
    `${SENTENCE.slice(0, -1)}`.repeat(6_000),
  ];
  for (const text of hostile) expect(threadMs(() => mask.growing(text))).toBeLessThan(5_000);
  const usual = "The answer is a sentence of words. ".repeat(450);
  expect(threadMs(() => mask.growing(usual))).toBeLessThan(100);
});
