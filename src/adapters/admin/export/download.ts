/** A file that is made while it is read: as fast as its reader takes it, and no longer than they do. */

import { pause } from "../../../core/pause.ts";
import type { Clock } from "../../../core/ports/clock.ts";

export interface DownloadOptions {
  /** Ends it before its end: the process goes, or whoever reads may not any more. */
  readonly over: AbortController;
  /** Called once, however it ends, also where nobody ever began to read. Its own trouble is its own. */
  readonly ended: (isWhole: boolean) => Promise<void>;
  /** Who takes nothing for so long has gone, ms. Default 2 minutes. */
  readonly stalledMs?: number;
}

/** Letters that are sent together. */
const CHUNK = 64 * 1024;
/** Answers come first: after each chunk it rests for as long as that took to make, and at most for so long, ms. */
const LONGEST_REST_MS = 100;

/** Reads on only when what was read is taken. However it ends, `pieces` is ended too, and then `ended` is called. */
export function downloadOf(
  pieces: AsyncGenerator<string, void, undefined>,
  clock: Clock,
  { over, ended, stalledMs = 120_000 }: DownloadOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let forgetStall = (): void => {};
  let isOver = false;

  async function end(isWhole: boolean): Promise<void> {
    if (isOver) return;
    isOver = true;
    forgetStall();
    if (!isWhole && !over.signal.aborted) over.abort(new Error("the file was broken off"));
    // That it failed is known to whoever read it.
    await pieces.return().catch(() => undefined);
    await ended(isWhole);
  }

  const watch = (): void => {
    forgetStall();
    forgetStall = clock.after(stalledMs, () => over.abort(new Error("nobody takes the file any more")));
  };

  async function chunk(): Promise<{ readonly text: string; readonly isLast: boolean }> {
    const parts: string[] = [];
    for (let length = 0; length < CHUNK;) {
      const { done, value } = await pieces.next();
      if (done) return { text: parts.join(""), isLast: true };
      parts.push(value);
      length += value.length;
    }
    return { text: parts.join(""), isLast: false };
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onAbort = (): void => {
          if (!isOver) controller.error(over.signal.reason);
          end(false).catch(() => undefined);
        };
        over.signal.addEventListener("abort", onAbort, { once: true });
        watch();
      },
      async pull(controller) {
        forgetStall();
        try {
          const begun = clock.ticks();
          const { text, isLast } = await chunk();
          await pause(clock, Math.min(LONGEST_REST_MS, clock.ticks() - begun), over.signal);
          if (isOver) return;
          if (text !== "") controller.enqueue(encoder.encode(text));
          if (!isLast) return watch();
          controller.close();
        } catch (error) {
          await end(false);
          throw error;
        }
        await end(true);
      },
      cancel: () => end(false),
    },
    { highWaterMark: 0 },
  );
}
