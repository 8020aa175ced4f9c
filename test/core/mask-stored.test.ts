// Secrets before they become history, however they come: whole, in pieces of a stream, over messages, over rounds.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKnownSecrets } from "../../src/core/mask.ts";
import { createStoredMask, maskedInbox, maskedStore } from "../../src/core/mask-stored.ts";
import type { Inbound } from "../../src/core/inbound.ts";
import type { RoundRecord } from "../../src/core/round.ts";
import type { RunEnding, RunStore } from "../../src/core/ports/run-store.ts";
import { answer, command, edit, message, newSession, result, round } from "../contract/store-samples.ts";

const OWN = "00000000-1111-4222-8333-444444444444";
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEow12".repeat(40)}\n-----END RSA PRIVATE KEY-----`;
const TOKEN = "xoxb-1234567890-abcdefghijklmnop";
const secrets: readonly [secret: string, rest: string][] = [
  [OWN, OWN],
  [KEY, "MIIEow12MIIEow12"],
  [TOKEN, "1234567890-abcdefghijklmnop"],
  ["postgres://bobbin:s3cretword@db.example/x", "s3cretword"],
];

/** A password of an address stands whole before one can tell that it is one. */
const SPLIT = secrets.slice(0, 3);

/** An inbox and a store that remember what they were given. */
function world(known = [OWN]) {
  const stored: Inbound[] = [];
  const rounds: RoundRecord[] = [];
  const ended: RunEnding[] = [];
  const secrets = createKnownSecrets(known);
  const mask = createStoredMask(secrets.find, secrets.maskPart);
  const inbox = maskedInbox({ put: async (inbound) => (stored.push(inbound), { kind: "ignored" }) }, mask);
  const kept = {
    commitRound: async (_: unknown, given: RoundRecord) => (
      rounds.push(given),
      { stored: [], steered: [], stopped: false }
    ),
    end: async (_: unknown, ending: RunEnding) => {
      ended.push(ending);
      if (ending.round !== undefined) rounds.push(ending.round);
      return { kind: "ended" };
    },
  } as unknown as RunStore;
  return {
    inbox,
    store: maskedStore(kept, mask),
    stored,
    rounds,
    ended,
    all: () => JSON.stringify([stored, rounds]),
  };
}

test.each(secrets)(
  "S5: %j is masked in messages, changes, titles, replies, calls and results, with a mark that all see",
  async (secret, rest) => {
    const { inbox, store, all, stored } = world();
    const session = newSession();
    const first = message(session, `it is ${secret} ok`);
    await inbox.put({
      ...first,
      parts: [
        ...first.parts,
        { kind: "note", text: secret },
        { kind: "file", id: "f", name: secret, mimeType: "x" },
      ],
    });
    await inbox.put(edit(first, `no: ${secret}`));
    await inbox.put(command(session, { name: "title", value: secret }));
    await inbox.put({ ...first, kind: "note", text: secret, parts: [] } as Inbound);
    const fence = { session, run: "r", number: 1 } as never;
    const calls = [{ id: "c", name: "f", arguments: JSON.stringify({ key: secret }) }];
    const results = [{ call: "c", name: "f", ok: true, content: secret }];
    const call = { params: JSON.stringify({ asked: secret }) } as never;
    const images = [{ kind: "image", mimeType: secret, data: "AAAA", name: secret }] as const;
    const pictures = [{ mimeType: secret, bytes: 3, hash: "h", alt: secret }];
    const shown = { ...answer(secret, calls), images, pictures } as const;
    await store.commitRound(fence, {
      ...round(1, shown, { ...result("c", secret), images, pictures }),
      results,
      modelCalls: [call],
    });
    await store.end(fence, {
      reason: "error",
      error: { code: "panic", message: secret },
      note: secret,
      round: round(2, answer(secret), { v: 1, kind: "summary", text: secret, upTo: 1 }),
      modelCalls: [call],
    });
    expect(all()).not.toContain(JSON.stringify(rest).slice(1, -1));
    expect(JSON.stringify(stored[0])).toContain("***");
    // What was JSON is JSON.
    expect(
      () => JSON.parse(/"arguments":("(?:[^"\\]|\\.)*")/.exec(all())?.[1] ?? "") as unknown,
    ).not.toThrow();
  },
);

test("a secret that is split over a person's messages is never whole in them, wherever it is cut", async () => {
  const pieces = fc.record({
    of: fc.constantFrom(...SPLIT),
    cuts: fc.array(fc.nat(400), { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(pieces, async ({ of: [secret], cuts }) => {
      const { inbox, stored } = world();
      const session = newSession();
      const text = `use ${secret}`;
      const at = [0, ...cuts.map((cut) => cut % text.length).toSorted((a, b) => a - b), text.length];
      const parts = at.slice(1).map((end, n) => text.slice(at[n], end));
      for (const part of parts) await inbox.put(message(session, part));
      const read = stored
        .map((each) => (each.kind === "message" && each.parts[0]?.kind === "text" ? each.parts[0].text : ""))
        .join("");
      expect(read).not.toContain(secret);
      // Of the last piece nothing that belongs to the secret is left, where that began before it.
      expect(read).toContain("***");
    }),
    { numRuns: 300 },
  );
});

test("what follows a secret that was whole is left as it is, and what follows one that was not is masked with it", async () => {
  const { inbox, stored } = world();
  const session = newSession();
  for (const text of [TOKEN, "thanks", KEY.slice(0, 200), KEY.slice(200, 300), KEY.slice(300), "thanks"])
    await inbox.put(message(session, text));
  const read = stored.map((each) =>
    each.kind === "message" && each.parts[0]?.kind === "text" ? each.parts[0].text : "",
  );
  expect(read).toEqual(["xoxb-***", "thanks", "***", "***", "***", "thanks"]);
});

test("what one person says is not read together with what another says, nor in another thread", async () => {
  const { inbox, stored } = world();
  const [one, two] = [newSession(), newSession()];
  await inbox.put(message(one, "xoxb-1234"));
  await inbox.put(message(one, "5678abcdefgh is mine", { author: { id: "U2", name: "Ben" } }));
  await inbox.put(message(two, "5678abcdefgh is mine"));
  expect(JSON.stringify(stored)).not.toContain("***");
});

test("S5: a reply that breaks off in a secret keeps less than half of it, and one that was meant to end there all its words", async () => {
  const { store, rounds } = world();
  const fence = { session: newSession(), run: "r", number: 1 } as never;
  for (const length of [OWN.length - 1, 20, 10]) {
    const broken = { ...answer(`it is ${OWN.slice(0, length)}`), interrupted: true } as const;
    await store.end(fence, { reason: "error", round: round(1, broken), modelCalls: [] });
  }
  await store.commitRound(fence, round(2, answer(`it begins with ${OWN.slice(0, 20)}`)));
  const read = rounds.flatMap(({ entries }) => entries.map((entry) => "text" in entry && entry.text));
  expect(read).toEqual([
    "it is ***",
    "it is ***",
    `it is ${OWN.slice(0, 10)}`,
    `it begins with ${OWN.slice(0, 20)}`,
  ]);
});

test("a reply that goes on over rounds holds no secret that began in the round before", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SPLIT), fc.integer({ min: 1, max: 30 }), async ([secret], cut) => {
      const { store, rounds } = world();
      const fence = { session: newSession(), run: "r", number: 1 } as never;
      const at = Math.min(cut, secret.length - 1);
      await store.commitRound(fence, round(1, answer(`it is ${secret.slice(0, at)}`)));
      await store.commitRound(fence, round(2, answer(secret.slice(at))));
      const read = rounds
        .flatMap(({ entries }) => entries)
        .map((entry) => (entry.kind === "assistant" ? entry.text : ""))
        .join("");
      expect(read).not.toContain(secret);
    }),
    { numRuns: 200 },
  );
});

test("what holds no secret is stored as it was said", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.lorem(), { minLength: 1, maxLength: 4 }), async (texts) => {
      const { inbox, stored } = world();
      const session = newSession();
      const given = texts.map((text) => message(session, text));
      for (const each of given) await inbox.put(each);
      expect(stored).toEqual(given);
    }),
    { numRuns: 100 },
  );
});

const HEADER = "-----BEGIN PRIVATE KEY-----";

test("JSON that is stored stays JSON, whatever stands in it, and is as it was where nothing is masked", async () => {
  const secret = fc.constantFrom(
    OWN,
    KEY,
    ` ${TOKEN}`,
    `\n${TOKEN}`,
    HEADER,
    `${HEADER}\\`,
    "newline-then-n0",
    "",
  );
  const near = fc.constantFrom('"', "\\", "\n", "\r\n", '\\"', "\\n", "{", "Bearer ", "");
  const text = fc.tuple(near, secret, near, fc.string(), secret).map((parts) => parts.join(""));
  // Also where what is JSON holds JSON.
  const deep = fc.letrec((tie) => ({
    value: fc.oneof(
      text,
      text.map((each) => JSON.stringify({ each })),
      fc.integer(),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(text, tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), deep), async (value) => {
      const { store, rounds } = world([OWN, "newline-then-n0"]);
      const json = JSON.stringify(value, null, 1);
      const fence = { session: newSession(), run: "r", number: 1 } as never;
      const call = { params: json } as never;
      const calls = [{ id: "c", name: "f", arguments: json }];
      await store.commitRound(fence, { ...round(1, answer("", calls)), modelCalls: [call] });
      const [{ entries, modelCalls } = round(1)] = rounds;
      const kept = [
        modelCalls[0]?.params,
        ...entries.flatMap((each) => ("calls" in each ? each.calls : [])).map((each) => each.arguments),
      ];
      expect(kept).toHaveLength(2);
      for (const each of kept) {
        const after = JSON.parse(each ?? "") as unknown;
        expect(JSON.stringify(after)).not.toContain(OWN);
        expect(JSON.stringify(after)).not.toContain("1234567890-abcdefghijklmnop");
        if (JSON.stringify(after) === JSON.stringify(value)) expect(each).toBe(json);
      }
    }),
    { numRuns: 500 },
  );
});

test("a call is marked where its arguments are stored without their secrets, and only there", async () => {
  const { store, rounds } = world();
  const fence = { session: newSession(), run: "r", number: 1 } as never;
  const given = ["good day", OWN].map((text, n) => ({
    id: `c${n}`,
    name: "f",
    arguments: JSON.stringify({ text }),
  }));
  await store.commitRound(fence, round(1, answer("", given)));
  expect(rounds[0]?.entries[0]).toMatchObject({
    calls: [given[0], { id: "c1", arguments: '{"text":"***"}', isMasked: true }],
  });
});

test("what is said after a key's first line alone stays; the key itself does not, however short its pieces are", async () => {
  const { inbox, stored } = world();
  const [session, other] = [newSession(), newSession()];
  for (const text of [`what is ${HEADER}`, "hello there", "MIIEow12"])
    await inbox.put(message(session, text));
  for (const text of [HEADER, KEY.slice(32, 132), "MIIE then"]) await inbox.put(message(other, text));
  const read = stored.map((each) =>
    each.kind === "message" && each.parts[0]?.kind === "text" ? each.parts[0].text : "",
  );
  expect(read).toEqual(["what is ***", "hello there", "MIIEow12", "***", "***", "*** then"]);
});

test("a value is masked for its name, and JSON that goes deeper than can be read is masked as text", async () => {
  const { store, all } = world();
  const fence = { session: newSession(), run: "r", number: 1 } as never;
  const given = [
    JSON.stringify({ headers: { authorization: "Basic bWU6cw" } }),
    `${"[".repeat(50_000)}"${TOKEN}"${"]".repeat(50_000)}`,
  ].map((text, n) => ({ id: `c${n}`, name: "f", arguments: text }));
  await store.commitRound(fence, round(1, answer("", given)));
  expect(all()).toContain("Basic ***");
  expect(all()).not.toContain("bWU6cw");
  expect(all()).not.toContain("1234567890-abcdefghijklmnop");
});

test("the last words of a goal's turn hold no secret, nor the first half of one that their beginning cuts in two", async () => {
  const text = `${"so ".repeat(10)}${TOKEN}`;
  const turns = [];
  const fence = { session: newSession(), run: "r", number: 1 } as never;
  for (const [said, words] of [
    [TOKEN, undefined],
    [text.slice(0, 38), text],
  ] as const) {
    const { store, ended } = world();
    const last = words === undefined ? {} : { round: round(2, answer(words)) };
    await store.end(fence, { reason: "stop", modelCalls: [], ...last, turn: { said } as never });
    turns.push(ended[0]?.turn?.said);
  }
  expect(turns).toEqual(["xoxb-***", `${"so ".repeat(10)}xoxb-***`]);
});
