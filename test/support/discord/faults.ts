// What the REST API does wrong on demand.
import type { JsonObject } from "./model.ts";

export type Fault =
  | {
      readonly kind: "rate limited";
      readonly retryAfterS: number;
      readonly scope?: "user" | "shared" | "global";
    }
  /** An HTTP error of a proxy's; nothing was done. */
  | { readonly kind: "status"; readonly status: number }
  /** Done, and an HTTP error answered all the same. */
  | { readonly kind: "status after"; readonly status: number }
  /** Done, and the connection closed before the answer. */
  | { readonly kind: "lost response" }
  /** The connection is closed before anything is done. */
  | { readonly kind: "unreachable" }
  /** One of Discord's own errors; nothing was done. */
  | { readonly kind: "refused"; readonly status: number; readonly code: number }
  /** Done only when the promise settles, and then answered. */
  | { readonly kind: "late"; readonly until: Promise<unknown> };

export interface CallView {
  /** `POST /channels/:channel/messages`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface FaultOptions {
  /** How many calls it hits; `Infinity` until the faults are cleared. Default 1. */
  readonly times?: number;
  readonly when?: (call: CallView) => boolean;
}

interface Order {
  readonly route: string;
  readonly fault: Fault;
  readonly when: (call: CallView) => boolean;
  left: number;
}

export class Faults {
  readonly #orders: Order[] = [];

  /** @param route `*` for any. */
  add(route: string, fault: Fault, { times = 1, when = () => true }: FaultOptions = {}): void {
    this.#orders.push({ route, fault, when, left: times });
  }

  take(call: CallView): Fault | undefined {
    const order = this.#orders.find(
      ({ route, left, when }) => left > 0 && (route === "*" || route === call.route) && when(call),
    );
    if (order === undefined) return undefined;
    order.left--;
    return order.fault;
  }

  /** Orders that no call has met yet. */
  get unused(): number {
    return this.#orders.reduce((sum, { left }) => sum + (Number.isFinite(left) ? left : 0), 0);
  }

  clear(): void {
    this.#orders.length = 0;
  }
}
