/** One try of a request: it is sent, and its answer's bytes are read into a reply, within the limits on silence. */

import type { Readable } from "node:stream";
import type { BobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { BodyReader } from "./body.ts";
import { failureOfThrown } from "./failures.ts";
import type { Reply } from "./reply.ts";
import type { RequestHead, Transport } from "./transport.ts";
import { Watchdog, type SilenceLimits } from "./watchdog.ts";

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly head: Promise<RequestHead>;
  readonly settings: SilenceLimits & { readonly apiKey: string };
}

/** What goes wrong stands in the reply; nothing is thrown. */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #reply: Reply;
  readonly #reader: BodyReader;
  readonly #abort = new AbortController();
  readonly #stops: readonly AbortSignal[];
  readonly #stop = (): void => {
    this.#abort.abort("cut");
    this.#body?.destroy();
  };
  readonly #watchdog: Watchdog;
  #silence: BobbinError | undefined;
  #body: Readable | undefined;
  #bytes: AsyncIterator<Uint8Array> | undefined;
  #isOver = false;
  #progress = 0;

  constructor(deps: ConnectionDeps, reply: Reply, stops: readonly AbortSignal[]) {
    this.#deps = deps;
    this.#reply = reply;
    this.#reader = new BodyReader(reply);
    this.#stops = stops;
    this.#watchdog = new Watchdog(deps.clock, deps.settings, (error) => {
      this.#silence = error;
      this.#stop();
    });
    for (const stop of stops) stop.addEventListener("abort", this.#stop);
    if (stops.some((stop) => stop.aborted)) this.#stop();
  }

  async open(body: string): Promise<void> {
    const { head, transport } = this.#deps;
    this.#watchdog.wait();
    try {
      this.#body = await transport.post(await head, body, this.#abort.signal);
      this.#abort.signal.throwIfAborted();
      this.#bytes = this.#body.iterator({ destroyOnReturn: false });
      this.#watchdog.head();
    } catch (thrown) {
      this.#broken(thrown);
    }
  }

  /** Reads the next bytes into the reply. @returns false when there was nothing more to read. */
  async read(): Promise<boolean> {
    if (this.#isOver || this.#bytes === undefined) return false;
    if (this.#stops.some((stop) => stop.aborted)) return false;
    this.#watchdog.wait();
    try {
      const next = await this.#bytes.next();
      this.#watchdog.came();
      if (next.done === true) this.#reader.end();
      else this.#reader.push(next.value);
      this.#isOver = next.done === true || this.#reply.isOver;
    } catch (thrown) {
      this.#broken(thrown);
      return true;
    }
    if (this.#reply.progress > this.#progress) {
      this.#progress = this.#reply.progress;
      this.#watchdog.data();
      if (this.#reply.isFinished) this.#watchdog.afterEnd();
    }
    return true;
  }

  /** A whole reply's connection is kept for the next request, any other is cut. */
  async close(): Promise<void> {
    this.#watchdog.stop();
    for (const stop of this.#stops) stop.removeEventListener("abort", this.#stop);
    if (this.#body === undefined) return;
    if (!this.#isOver || this.#reply.failure !== undefined) return void this.#body.destroy();
    // The iterator listens as long as it is not returned, and a stream that is listened to does not flow by itself.
    await this.#bytes?.return?.();
    this.#deps.transport.release(this.#body);
  }

  #broken(thrown: unknown): void {
    this.#isOver = true;
    // What breaks after the reply has ended takes nothing back.
    if (!this.#reply.isFinished) {
      this.#reply.failure ??= this.#silence ?? failureOfThrown(thrown, this.#deps.settings.apiKey);
    }
    this.#reply.end();
  }
}
