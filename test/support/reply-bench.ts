// A run, its thread and its rows, put together for tests of the reply writer.
import type { EntryBody } from "../../src/core/entry.ts";
import type { RunEvent } from "../../src/core/events.ts";
import type { Entry } from "../../src/core/entry.ts";
import type { RunId } from "../../src/core/ids.ts";
import type { ShownMask } from "../../src/core/mask-shown.ts";
import type { Fence } from "../../src/core/ports/run-store.ts";
import type { Outcome, RunInfo } from "../../src/core/run.ts";
import type { Button, SurfaceLimits } from "../../src/core/ports/surface.ts";
import { concluded, documentOf, type ReplyDocument } from "../../src/core/reply/document.ts";
import { render } from "../../src/core/reply/render.ts";
import { createReplyWriter, type ReplyWriter, type ReplyWriterOptions } from "../../src/core/reply/writer.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { FakeThread, type FakeThreadOptions } from "./fake-surface.ts";
import { manualClock, type ManualClock } from "./manual-clock.ts";
import { MemoryPages } from "./memory-pages.ts";
import { silentLog } from "./silent-log.ts";

export const stopped: Outcome = { reason: "stop", endedAt: Date.UTC(2026, 0, 1, 0, 0, 12) };

export function runNamed(id: string): RunInfo {
  return {
    id: id as RunId,
    session: "web:local:general:t1" as SessionId,
    cause: "message",
    epoch: 1,
    rounds: 0,
    usage: {},
    startedAt: Date.UTC(2026, 0, 1),
    requester: { id: "u1", name: "Ada" },
  };
}

export function fenceOf(run: RunInfo, number: number): Fence {
  return { session: run.session, run: run.id, number };
}

/** The events of one round that says `text` in the given pieces. */
export function roundOf(round: number, ...pieces: readonly string[]): RunEvent[] {
  const said: EntryBody = { v: 1, kind: "assistant", text: pieces.join(""), calls: [] };
  return [
    { kind: "round", round, state: "start" },
    ...pieces.map((text): RunEvent => ({ kind: "text", text })),
    { kind: "round", round, state: "done", entries: [said] },
  ];
}

export function entryOf(run: RunInfo, round: number, text: string): Entry {
  return { seq: round, epoch: 1, run: run.id, round, body: { v: 1, kind: "assistant", text, calls: [] } };
}

export interface ReplyBench {
  readonly clock: ManualClock;
  readonly thread: FakeThread;
  readonly pages: MemoryPages;
  readonly run: RunInfo;
  writer(options?: Partial<ReplyWriterOptions> & { readonly fenceNumber?: number }): ReplyWriter;
}

export function replyBench(
  options: Partial<FakeThreadOptions> & { readonly mask?: ShownMask } = {},
): ReplyBench {
  const clock = manualClock();
  const thread = new FakeThread({ clock, ...options });
  const pages = new MemoryPages();
  const run = runNamed("r1");
  return {
    clock,
    thread,
    pages,
    run,
    writer({ fenceNumber = 1, ...own } = {}) {
      pages.newestFence = Math.max(pages.newestFence, fenceNumber);
      return createReplyWriter(
        { surface: thread, pages, clock, log: silentLog, mask: options.mask },
        { run, fence: fenceOf(own.run ?? run, fenceNumber), isLive: () => true, ...own },
      );
    },
  };
}

/** The text of the settled pages of a reply with these rounds. */
export function settledTexts(
  run: RunInfo,
  texts: readonly string[],
  limits: SurfaceLimits,
  outcome: Outcome = stopped,
): string[] {
  const entries = texts.map((text, index) => entryOf(run, index + 1, text));
  const document: ReplyDocument = concluded(documentOf(run, entries), outcome);
  return render(document, limits).map((page) => page.markdown);
}

/** Moves the clock until the promise has settled; fails after ten minutes of its time. */
export async function settles<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const noted = promise.finally(() => (isSettled = true));
  noted.catch(() => undefined);
  for (let step = 0; step < 1200; step++) {
    await clock.advance(isSettled ? 0 : 500);
    if (isSettled) return noted;
  }
  throw new Error("not settled after ten minutes");
}

/** What people are asked below an answer. */
export const thumbsOf = (run: string): readonly Button[] => [
  { action: "good", label: "Good answer", value: run },
  { action: "bad", label: "Bad answer", value: run },
];
