/**
 * What an open page is told while it is open. The rows are the truth and a live event only says "look": the stream subscribes
 * first and reads then, reads again at each of them and at each beat, and numbers what it sends by the row's revision, so
 * that a browser that was away gets exactly what it missed, also from another process or after a restart.
 */

import type { Context } from "hono";
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import { sentenceFor, toBobbinError } from "../../core/errors.ts";
import type { Unwatch } from "../../core/ports/stops.ts";
import type { WebMessages, WebMessage, WebThread } from "../../core/ports/web-messages.ts";
import type { SessionId } from "../../core/thread.ts";
import { revisionIn, THREADS_TOPIC, type ChangeDeps } from "./changes.ts";

export interface EventStreamDeps extends ChangeDeps {
  readonly messages: WebMessages;
  readonly showMessage: (row: WebMessage) => Promise<string>;
  readonly showThreads: (threads: readonly WebThread[], open: SessionId | undefined) => Promise<string>;
}

export interface EventStreamOptions {
  /** Absent on the page for a new thread: then only the list of threads is told. */
  readonly session: SessionId | undefined;
  /** Newest revision that the page already shows. */
  readonly since: number;
  /** Time between two beats, ms: shows that the line is alive, and finds what a lost event did not tell. */
  readonly beatMs: number;
  readonly threadLimit: number;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal | undefined;
}

/** How soon a browser tries again when the line broke, ms. */
const RETRY_MS = 500;
/** How soon a store that did not answer is asked again, ms. */
const AGAIN_MS = 1_000;

export function streamEvents(c: Context, deps: EventStreamDeps, options: EventStreamOptions): Response {
  c.header("X-Accel-Buffering", "no");
  return streamSSE(
    c,
    (stream) => new Watcher(stream, deps, options).run(),
    async (error) => deps.log.error("an event stream broke", { error }),
  );
}

class Watcher {
  readonly #stream: SSEStreamingApi;
  readonly #deps: EventStreamDeps;
  readonly #options: EventStreamOptions;
  #last: number;
  #hasNewRows = true;
  #hasNewThreads = true;
  #isTroubled = false;
  #changes: "unasked" | "heard" | "missing" = "unasked";
  #wake: () => void = () => {};

  constructor(stream: SSEStreamingApi, deps: EventStreamDeps, options: EventStreamOptions) {
    this.#stream = stream;
    this.#deps = deps;
    this.#options = options;
    this.#last = options.since;
  }

  async run(): Promise<void> {
    const { closing } = this.#options;
    const unwatch: Unwatch[] = [];
    const wake = (): void => this.#wake();
    this.#stream.onAbort(wake);
    closing?.addEventListener("abort", wake);
    try {
      // The first bytes go out before anything can be slow, so the browser knows that it is connected.
      await this.#stream.writeSSE({ event: "open", data: "", retry: RETRY_MS });
      while (!this.#isOver()) {
        if (this.#changes !== "heard") await this.#subscribe(unwatch);
        await this.#look();
        await this.#pause();
      }
    } finally {
      closing?.removeEventListener("abort", wake);
      for (const stop of unwatch) stop();
    }
  }

  #isOver(): boolean {
    return this.#stream.aborted || this.#options.closing?.aborted === true;
  }

  /** Without live events the beats do the work, more slowly, and each of them tries again. */
  async #subscribe(unwatch: Unwatch[]): Promise<void> {
    const { live, log } = this.#deps;
    const { session } = this.#options;
    const begun: Unwatch[] = [];
    try {
      if (session !== undefined) {
        begun.push(
          await live.subscribe(session, (event) => {
            if (revisionIn(event) <= this.#last) return;
            this.#hasNewRows = true;
            this.#wake();
          }),
        );
      }
      begun.push(
        await live.subscribe(THREADS_TOPIC, () => {
          this.#hasNewThreads = true;
          this.#wake();
        }),
      );
      unwatch.push(...begun);
      this.#changes = "heard";
    } catch (error) {
      for (const stop of begun) stop();
      // For each page that is open an outage is one line.
      if (this.#changes === "unasked") {
        log.warn("live events cannot be heard; the page looks at each beat", { session, error });
      }
      this.#changes = "missing";
    }
  }

  async #look(): Promise<void> {
    try {
      while (!this.#isOver() && (this.#hasNewRows || this.#hasNewThreads)) {
        if (this.#hasNewRows) await this.#sendRows();
        else await this.#sendThreads();
      }
      if (this.#isTroubled) await this.#stream.writeSSE({ event: "well", data: "" });
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled) this.#deps.log.warn("a page cannot be kept up to date", { error });
      this.#isTroubled = true;
      this.#hasNewRows = true;
      await this.#stream.writeSSE({ event: "trouble", data: sentenceFor(toBobbinError(error)) });
    }
  }

  async #sendRows(): Promise<void> {
    this.#hasNewRows = false;
    const { session } = this.#options;
    if (session === undefined) return;
    const rows = await this.#deps.messages.list(session, this.#last);
    // The numbers have to rise, or a line that breaks in between would lose the lower ones.
    for (const row of rows.toSorted((a, b) => a.revision - b.revision)) {
      const { id, revision, deleted } = row;
      const shown = deleted ? "" : await this.#deps.showMessage(row);
      await this.#stream.writeSSE({
        event: "message",
        id: String(revision),
        data: JSON.stringify({ id, revision, deleted, html: shown }),
      });
      this.#last = Math.max(this.#last, revision);
    }
  }

  async #sendThreads(): Promise<void> {
    this.#hasNewThreads = false;
    const { session, threadLimit } = this.#options;
    const threads = await this.#deps.messages.threads(threadLimit);
    await this.#stream.writeSSE({ event: "threads", data: await this.#deps.showThreads(threads, session) });
  }

  /** Until something changes or the next beat is due. */
  async #pause(): Promise<void> {
    if (this.#isOver()) return;
    const rang = await new Promise<boolean>((resolve) => {
      const ms = this.#isTroubled ? AGAIN_MS : this.#options.beatMs;
      const cancel = this.#deps.clock.after(ms, () => resolve(false));
      this.#wake = () => {
        cancel();
        resolve(true);
      };
      if ((this.#hasNewRows || this.#hasNewThreads) && !this.#isTroubled) this.#wake();
    });
    this.#wake = () => {};
    if (rang || this.#isOver()) return;
    this.#hasNewRows = true;
    await this.#stream.write(": beat\n\n");
  }
}
