// Streamed replies whose attempts die and are taken over, while Slack answers late, not at all or with no, and ends streams by itself: what
// stands there in the end are the final pages, each once. The surface and the writer are the real ones, on a clock of the test's.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import type { SlackAnswer, SlackApi, SlackData } from "../../../src/adapters/slack/api.ts";
import { createSlackSurfaces } from "../../../src/adapters/slack/surfaces.ts";
import { pause } from "../../../src/core/pause.ts";
import { documentOf } from "../../../src/core/reply/document.ts";
import { createReplyWriter, type ReplyWriter } from "../../../src/core/reply/writer.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { MemoryPages } from "../../support/memory-pages.ts";
import { entryOf, fenceOf, roundOf, runNamed, settles, stopped } from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";

/** As long as a call of a dead attempt may be under way when the next one begins. */
const LATE_MS = 3_000;
const session = sessionIdOf({ platform: "slack", space: "T1", channel: "D1", root: "1.000001" });

type Reaction =
  | { readonly kind: "ok" | "unknown, done" | "unknown, not done" | "busy"; readonly ms: number }
  | { readonly kind: "rate limited"; readonly ms: number };

const reaction: fc.Arbitrary<Reaction> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant("ok" as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom("unknown, done", "unknown, not done", "busy", "rate limited"),
    },
  ),
  ms: fc.integer({ min: 0, max: LATE_MS / 2 }),
});

interface Message {
  readonly ts: string;
  readonly key: string | undefined;
  text: string;
  isStreaming: boolean;
}

/** What of Slack replies in direct messages meet, in one thread. */
class DirectThread {
  readonly messages: Message[] = [];
  readonly reactions: Reaction[] = [];
  /** What anybody could read in a stream that had words twice, or in another order than they were said. */
  readonly wrong: string[] = [];
  /** How many streams were begun. */
  begun = 0;
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  readonly api: SlackApi = {
    call: async (method, args, mayBegin) => {
      const { kind, ms } = this.reactions.shift() ?? { kind: "ok", ms: 20 };
      if (mayBegin?.() === false) return { kind: "unreachable", why: "not sent" };
      await pause(this.#clock, ms);
      if (kind === "rate limited") return { kind: "rate_limited", afterMs: ms + 1 };
      if (kind === "unknown, not done") return { kind: "unknown", why: "lost" };
      if (kind === "busy") return { kind: "http", status: 503 };
      const answer = this.#perform(method, args);
      await pause(this.#clock, ms);
      return kind === "unknown, done" ? { kind: "unknown", why: "lost" } : answer;
    },
  };

  /** Slack ends what is streamed, as it does after some minutes. */
  endStreams(): void {
    for (const message of this.messages) message.isStreaming = false;
  }

  #perform(method: string, args: SlackData): SlackAnswer {
    const found = this.messages.find(({ ts }) => ts === args["ts"]);
    switch (method) {
      case "chat.startStream":
        this.begun++;
        return this.#post(keyIn(args), textIn(args), true);
      case "chat.postMessage":
        return this.#post(keyIn(args), String(args["text"]), false);
      case "chat.appendStream":
      case "chat.stopStream":
        if (found === undefined) return refused("message_not_found");
        if (!found.isStreaming) return refused("message_not_in_streaming_state");
        found.text += textIn(args);
        if (!isAscending(numbersIn(found.text))) this.wrong.push(found.text);
        found.isStreaming = method === "chat.appendStream";
        return done({ message: { thread_ts: "1.000001" } });
      case "chat.update":
        if (found === undefined) return refused("message_not_found");
        if (found.isStreaming) return refused("streaming_state_conflict");
        found.text = String(args["text"]);
        return done();
      case "chat.delete":
        if (found === undefined) return refused("message_not_found");
        this.messages.splice(this.messages.indexOf(found), 1);
        return done();
      case "conversations.replies":
        return done({
          messages: [
            { ts: "1.000001" },
            ...this.messages.map(({ ts, key }) => ({ ts, blocks: [{ block_id: key }] })),
          ],
        });
      default:
        return done();
    }
  }

  #post(key: string | undefined, text: string, isStreaming: boolean): SlackAnswer {
    const ts = `2.${String(this.messages.length + Math.round(this.#clock.ticks())).padStart(9, "0")}`;
    this.messages.push({ ts, key, text, isStreaming });
    return done({ ts, message: { thread_ts: "1.000001" } });
  }
}

const done = (data: SlackData = {}): SlackAnswer => ({ kind: "ok", data });
const refused = (code: string): SlackAnswer => ({ kind: "refused", code });
const chunksIn = (args: SlackData) => (args["chunks"] ?? []) as readonly SlackData[];
const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/w(\d+)/g)].map(([, n]) => Number(n));
const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
const textIn = (args: SlackData): string =>
  chunksIn(args)
    .map(({ text = "" }) => String(text))
    .join("");
function keyIn(args: SlackData): string | undefined {
  const blocks = (args["blocks"] ?? chunksIn(args)[0]?.["blocks"] ?? []) as readonly SlackData[];
  return blocks[0]?.["block_id"] as string | undefined;
}

type Act =
  | { readonly kind: "say"; readonly words: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "tool" | "steer" | "again" | "done" | "Slack ends" }
  | { readonly kind: "die"; readonly goneMs: number };

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 300 }).map((words): Act => ({ kind: "say", words })) },
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 4000 }).map((ms): Act => ({ kind: "pass", ms })) },
    { weight: 1, arbitrary: fc.constant<Act>({ kind: "pass", ms: 250_000 }) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom("tool", "steer", "again", "done", "done", "Slack ends")
        .map((kind): Act => ({ kind })),
    },
    { weight: 2, arbitrary: fc.nat({ max: 3000 }).map((goneMs): Act => ({ kind: "die", goneMs })) },
  ),
  { maxLength: 18 },
);

describe("whatever happens to its streams, a reply in direct messages", () => {
  it("stands there as it was said, each page once, and nothing of it is still written", async () => {
    let streamed = 0;
    await fc.assert(
      fc.asyncProperty(acts, fc.array(reaction, { maxLength: 30 }), async (all, reactions) => {
        const clock = manualClock();
        const thread = new DirectThread(clock);
        thread.reactions.push(...reactions);
        const { said } = await live(clock, thread, all);
        const shown = thread.messages.map(({ text }) => text).join(" ");
        expect(shown.match(/w\d+/g) ?? []).toEqual(said.join(" ").match(/w\d+/g) ?? []);
        expect(thread.wrong).toEqual([]);
        expect(thread.messages.filter(({ isStreaming }) => isStreaming)).toEqual([]);
        streamed += thread.begun;
      }),
      { numRuns: 150 },
    );
    expect(streamed).toBeGreaterThan(20);
  });
});

async function live(clock: ManualClock, thread: DirectThread, all: readonly Act[]) {
  const run = { ...runNamed("a"), session };
  const pages = new MemoryPages();
  const said: string[] = [];
  let current = "";
  let counted = 0;
  let fenceNumber = 0;
  let writer: ReplyWriter | undefined;
  let dead = { isDead: false };

  const begin = (): void => {
    pages.newestFence = ++fenceNumber;
    const own = { isDead: false };
    dead = own;
    const surfaces = createSlackSurfaces({
      api: thread.api,
      pacer: createLocalPacer(clock),
      clock,
      log: silentLog,
    });
    writer = createReplyWriter(
      { surface: surfaces.of(session), pages, clock, log: silentLog },
      {
        run,
        fence: fenceOf(run, fenceNumber),
        isLive: () => !own.isDead,
        document: documentOf(
          run,
          said.map((text, index) => entryOf(run, index + 1, text)),
        ),
        ...(fenceNumber === 1 ? { isNew: true } : { lateWritesMs: LATE_MS }),
      },
    );
    writer.on({ kind: "round", round: said.length + 1, state: "start" });
  };

  begin();
  for (const act of [...all, { kind: "done" } as const]) {
    switch (act.kind) {
      case "say": {
        const text = `${Array.from({ length: act.words }, () => `w${++counted}`).join(" ")} `;
        current += text;
        writer?.on({ kind: "text", text });
        break;
      }
      case "pass":
        await clock.advance(act.ms);
        break;
      case "tool":
        writer?.on({ kind: "tool_call", call: { id: `c${counted}`, name: "clock", arguments: "{}" } });
        break;
      case "steer":
        writer?.on({ kind: "steer", messages: [] });
        break;
      case "again":
        current = "";
        writer?.on({ kind: "round", round: said.length + 1, state: "again", why: "cut" });
        break;
      case "done": {
        const [, , event] = roundOf(said.length + 1, current);
        if (event !== undefined) writer?.on(event);
        said.push(current);
        current = "";
        writer?.on({ kind: "round", round: said.length + 1, state: "start" });
        break;
      }
      case "Slack ends":
        thread.endStreams();
        break;
      case "die":
        dead.isDead = true;
        // A post or a stream has begun, or never will, by the time the lease is over.
        await clock.advance(LATE_MS + act.goneMs);
        current = "";
        begin();
        break;
      default:
        act satisfies never;
    }
  }
  if (writer === undefined) throw new Error("nobody writes");
  expect(await settles(clock, writer.settle(stopped))).toEqual({ kind: "settled" });
  return { said };
}
