// What people are told when an answer did not end by itself: on each surface one plain sentence, what they can do, and the run's id; never
// anything of what a provider, a store or a stack said.
import fc from "fast-check";
import { expect, test } from "vitest";
import * as discord from "../../src/adapters/discord/format.ts";
import * as slack from "../../src/adapters/slack/format.ts";
import { textOf } from "../../src/adapters/web/pages/markup.ts";
import { messageMarkup } from "../../src/adapters/web/pages/message.ts";
import { END_REASONS } from "../../src/core/end-reason.ts";
import { BobbinError, sentenceFor, type ErrorCode } from "../../src/core/errors.ts";
import type { EndReason } from "../../src/core/events.ts";
import { createKnownSecrets } from "../../src/core/mask.ts";
import type { PageContent } from "../../src/core/ports/surface.ts";
import { documentOf } from "../../src/core/reply/document.ts";
import { render } from "../../src/core/reply/render.ts";
import type { Outcome } from "../../src/core/run.ts";
import { sessionIdOf } from "../../src/core/thread.ts";
import { entryOf, runNamed } from "../support/reply-bench.ts";

/** As long as a real one. */
const run = runNamed("01jabcdefghjkmnpqrstvwxy");
const CODES: Readonly<Record<ErrorCode, true>> = {
  model_auth: true,
  model_rate_limited: true,
  model_unavailable: true,
  model_refused: true,
  model_filtered: true,
  model_garbage: true,
  model_cut: true,
  model_timeout: true,
  context_length: true,
  store_unavailable: true,
  store_full: true,
  stale_fence: true,
  lock_failed: true,
  lease_lost: true,
  history_failed: true,
  attempts_used_up: true,
  platform_unavailable: true,
  platform_refused: true,
  panic: true,
};
const codes = Object.keys(CODES) as ErrorCode[];
const reasons = (Object.keys(END_REASONS) as EndReason[]).filter((reason) => reason !== "stop");
const hostile =
  'openai: 401 {"error":{"message":"Incorrect key sk-live-0123456789abcdef"}} at https://api.example.com/v1 <b>x</b>\n    at Object.<anonymous> (/srv/app/index.js:1:2)';

interface Shown {
  readonly name: string;
  /** All that people get, in one text. */
  of(page: PageContent): Promise<string>;
}
const session = sessionIdOf({ platform: "web", space: "local", channel: "general", root: "r" });
const surfaces: readonly Shown[] = [
  {
    name: "Slack",
    async of(page) {
      const message = slack.formatPage(page);
      return message.kind === "message" ? JSON.stringify([message.blocks, message.text]) : message.kind;
    },
  },
  {
    name: "Discord",
    async of(page) {
      const message = discord.formatPage(page);
      return message.kind === "message"
        ? `${message.content.replaceAll("\\", "")} ${JSON.stringify(message.components)}`
        : message.kind;
    },
  },
  {
    name: "the web chat",
    async of(page) {
      const row = {
        session,
        id: "m",
        revision: 1,
        from: "bot",
        speaker: "Bobbin",
        page,
        deleted: false,
        at: 0,
      } as const;
      return (await textOf(messageMarkup(row))).replaceAll("&#39;", "'").replaceAll(/\s+/g, " ");
    },
  },
];

async function shownOf(surface: Shown, outcome: Omit<Outcome, "endedAt">, said: string): Promise<string> {
  const entries = said === "" ? [] : [entryOf(run, 1, said)];
  const limits = { pageSize: 1_500, measure: (text: string) => text.length };
  const pages = render(documentOf(run, entries, { ...outcome, endedAt: run.startedAt + 61_000 }), limits);
  return (await Promise.all(pages.map((page) => surface.of(page)))).join("\n");
}
const plain = (text: string): string => text.replaceAll("'", "").replaceAll("&#39;", "");

test.each(surfaces.flatMap((surface) => reasons.map((reason) => ({ surface, name: surface.name, reason }))))(
  "in $name the end $reason is one sentence, what can be done, and the run where somebody may look it up",
  async ({ surface, reason }) => {
    for (const said of ["", "Half of the answer"]) {
      const shown = await shownOf(surface, { reason }, said);
      const { why, next = "", canRetry } = END_REASONS[reason];
      if (reason !== "error") expect(plain(shown)).toContain(plain(why));
      expect(shown).toContain(next.slice(0, -1));
      if (said !== "") expect(shown).toContain(said);
      expect(shown.includes(`(run ${run.id})`)).toBe(!["waiting", "cancelled"].includes(reason));
      expect(/retry/.test(shown.toLowerCase()) || !canRetry).toBe(true);
    }
  },
);

test.each(surfaces.flatMap((surface) => codes.map((code) => ({ surface, name: surface.name, code }))))(
  "in $name the error $code is its sentence with the run, and nothing of what was said inside",
  async ({ surface, code }) => {
    const sentence = sentenceFor(new BobbinError(code, hostile));
    expect(sentence).toMatch(/^[A-Z][^{}<>]*\.$/);
    for (const reason of ["error", "timeout"] as const) {
      for (const said of ["", "Half of the answer"]) {
        const shown = await shownOf(surface, { reason, error: { code, message: hostile } }, said);
        expect(plain(shown)).toContain(plain(sentence));
        expect(shown).toContain(`(run ${run.id})`);
        expect(shown).not.toMatch(/openai|sk-live|https?:\/\/api|srv\/app|Incorrect|anonymous/);
        expect(shown).not.toContain(code);
      }
    }
  },
);

test("S7, S19: whatever an error said, people read the same as if it had said nothing, and what is stored of it holds no key", async () => {
  const key = fc.string({ unit: fc.constantFrom(..."abcDEF0123456789"), minLength: 16, maxLength: 40 });
  const message = fc.oneof(
    fc.string({ maxLength: 200 }),
    key.map(
      (secret) => `{"error":{"message":"bad key sk-${secret}","url":"https://u:${secret}@api.example.com"}}`,
    ),
    key.map((secret) => `<html><body>Bearer a1${secret}</body></html>`),
    key.map((secret) => `Error: x\n    at run (/srv/${secret}/index.js:3:1)\n@everyone <!channel>`),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...codes),
      message,
      fc.constantFrom("", "Half"),
      async (code, said, text) => {
        for (const surface of surfaces) {
          const shown = await shownOf(surface, { reason: "error", error: { code, message: said } }, text);
          expect(shown).toBe(await shownOf(surface, { reason: "error", error: { code, message: "" } }, text));
        }
      },
    ),
    { numRuns: 200, seed: 11 },
  );
  fc.assert(
    fc.property(key, key, (secret, own) => {
      const { mask } = createKnownSecrets([own]);
      const masked = mask(`bad key sk-${secret} ${own} https://u:${secret}@api.example.com/?token=${secret}`);
      expect(masked).not.toContain(secret);
      expect(masked).not.toContain(own);
    }),
    { numRuns: 200, seed: 11 },
  );
});
