import fc from "fast-check";
import { expect, test } from "vitest";
import { createKnownSecrets, maskerOf, maskPatterns, without } from "../../src/core/mask.ts";
import { threadMs } from "../support/thread-time.ts";

const secret = 'pä"ss/w+rd?&=\n42';

test.each([
  ["as it is", secret],
  ["percent-encoded", encodeURIComponent(secret)],
  ["percent-encoded in lower case", encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
  ["inside JSON", JSON.stringify({ a: [secret] })],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in base64url", Buffer.from(secret).toString("base64url")],
  ["in base64 after a user name", Buffer.from(`me:${secret}`).toString("base64")],
  ["in base64 after another user name", Buffer.from(`you:${secret}:end`).toString("base64")],
  ["in base64 after yet another", Buffer.from(`they:${secret}:end`).toString("base64url")],
])("a known secret is masked %s", (_, text) => {
  const masked = maskerOf([secret])(`before ${text} after`);
  expect(masked).toMatch(/^before .*\*\*\*.* after$/s);
  expect(masked.length).toBeLessThan(`before ${text} after`.length);
});

test("a secret that contains another is masked as a whole, in either order", () => {
  for (const secrets of [
    ["token-1", "token-1-long"],
    ["token-1-long", "token-1"],
  ]) {
    expect(maskerOf(secrets)("token-1-long token-1")).toBe("*** ***");
  }
});

test("any secret is gone from any text that holds it, and JSON stays JSON", () => {
  const word = fc.string({ unit: "grapheme", minLength: 6, maxLength: 40 });
  fc.assert(
    fc.property(word, fc.string(), fc.string(), (value, before, after) => {
      const line = JSON.stringify({ text: `${before}${value}${after}`, nested: [{ value }] });
      const masked = maskerOf([value])(line);
      // A secret of quotes and brackets can be part of JSON's own syntax; nothing sensible can be said about that.
      fc.pre(/^[^"\\{}[\]:,*]+$/.test(value) && !"textnestedvalue".includes(value));
      expect(masked).not.toContain(JSON.stringify(value).slice(1, -1));
      expect(() => JSON.parse(masked) as unknown).not.toThrow();
    }),
  );
});

test("what becomes known later is masked from then on, in every form; of very much the newest", () => {
  const known = createKnownSecrets(["first-of-all"]);
  const line = `first-of-all ${secret} ${Buffer.from(secret).toString("base64")}`;
  expect(known.mask(line)).toContain(secret);
  known.learn(secret);
  known.learn(secret);
  expect(known.mask(line)).toMatch(/^\*\*\* \*\*\* \*\*\*/);
  for (let n = 0; n < 600; n++) known.learn(`one-of-many-${n}-`);
  expect(known.mask("first-of-all one-of-many-599- one-of-many-100-")).toBe("*** *** ***");
  expect(known.mask(secret)).toBe(secret);
});

test("a short value is left alone", () => {
  expect(maskerOf(["abc"])("abc abc")).toBe("abc abc");
});

test.each([
  ["xoxb-1234567890-abcdefghij", "xoxb-***"],
  ["xoxe.xoxp-1-abcdefghijkl", "xoxe.xoxp-***"],
  ["xapp-1-A0123-456-abcdef", "xapp-***"],
  ["sk-proj-abcdefghijklmnopqrst", "sk-***"],
  ["Authorization: Bearer abc", "Authorization: Bearer ***"],
  ['{"authorization":"Bot abc.def"}', '{"authorization":"Bot ***"}'],
  ["Bearer abcdefghij1234567890", "Bearer ***"],
  ["postgres://bobbin:s3cret@db.example:5432/bobbin", "postgres://bobbin:***@db.example:5432/bobbin"],
  ["redis://:s3cret@cache:6379", "redis://:***@cache:6379"],
  ["postgres://bobbin:p@ss:word@db/x and more", "postgres://bobbin:***@db/x and more"],
  ["https://hooks.slack.com/services/T00/B00/abcdef", "https://hooks.slack.com/services/***"],
  [
    "https://discord.com/api/webhooks/123456/abcdefghijklmnopqrstuvwxyz",
    "https://discord.com/api/webhooks/123456/***",
  ],
  ["GET /x?token=abc&page=2", "GET /x?token=***&page=2"],
  ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_***"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end", "*** end"],
])("a well-known kind of secret is masked: %s", (text, masked) => {
  expect(maskPatterns(text)).toBe(masked);
});

test.each([
  "a plain sentence about a bearer of news and basic understanding",
  "postgres://localhost/bobbin and http://host:3000/path and mail@example.org",
  "see https://example.org/a:b@c and task-1234567890123456789",
  "the password: is not here, nor in slack:T1:C1:171.5",
])("ordinary text stays as it is: %s", (text) => {
  expect(maskPatterns(text)).toBe(text);
});

test("masking a long text is quick, also one made to be slow", () => {
  const hostile = [
    "postgres://a:".repeat(20_000),
    "-----BEGIN PRIVATE KEY-----".repeat(8_000),
    "M".repeat(200_000),
    "eyJ".repeat(70_000),
    "a://".repeat(50_000),
    "a.".repeat(100_000),
    "xoxb-".repeat(40_000),
  ];
  for (const text of hostile) {
    expect(threadMs(() => maskPatterns(text))).toBeLessThan(5_000);
  }
});

test("what a person writes behind a key's first line stays, unless it looks like the key", () => {
  const json = JSON.stringify({ text: '-----BEGIN PRIVATE KEY-----"x"' });
  expect(maskPatterns(json)).toBe(String.raw`{"text":"***\"x\""}`);
  expect(maskPatterns(JSON.stringify({ text: "-----BEGIN PRIVATE KEY-----\nMIIE\r\nabc=" }))).toBe(
    '{"text":"***"}',
  );
});

test("what is masked for logs and not in talk: only what nobody would say by chance is looked for there", () => {
  const known = createKnownSecrets(["bobbin", "k3y-of-9-lives"], ["k3y-of-9-lives"]);
  known.learn("learnt-later");
  const line = "how do I set up bobbin with k3y-of-9-lives and learnt-later?";
  expect(known.mask(line)).toBe("how do I set up *** with *** and ***?");
  expect(without(line, known.find(line))).toBe("how do I set up bobbin with *** and ***?");
});
