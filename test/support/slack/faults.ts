// What the Web API does wrong on demand.
import type { ApiCall } from "./api/call.ts";
import type { JsonObject } from "./message.ts";

export type Fault =
  | { readonly kind: "rate limited"; readonly retryAfterS: number }
  /** An HTTP error; nothing was done. */
  | { readonly kind: "status"; readonly status: number }
  /** Done, and the connection closed before the answer. */
  | { readonly kind: "lost response" }
  /** The connection is closed before anything is done. */
  | { readonly kind: "unreachable" }
  /** `{ ok: false, error }`; nothing was done. */
  | { readonly kind: "refused"; readonly error: string; readonly details?: JsonObject }
  /** Done only when the promise settles, and then answered. */
  | { readonly kind: "late"; readonly until: Promise<unknown> }
  /** Done at once, and answered only when the promise settles. */
  | { readonly kind: "late answer"; readonly until: Promise<unknown> };

interface Order {
  readonly method: string;
  readonly fault: Fault;
  readonly when: (call: ApiCall) => boolean;
  left: number;
}

export interface FaultOptions {
  /** How many calls it hits; `Infinity` until the faults are cleared. Default 1. */
  readonly times?: number;
  /** Only calls for which this is true. */
  readonly when?: (call: ApiCall) => boolean;
}

export class Faults {
  readonly #orders: Order[] = [];

  /** @param method `*` for any. */
  add(method: string, fault: Fault, { times = 1, when = () => true }: FaultOptions = {}): void {
    this.#orders.push({ method, fault, when, left: times });
  }

  /** The first order that fits this call, used up by it. */
  take(call: ApiCall): Fault | undefined {
    const order = this.#orders.find(
      ({ method, left, when }) => (method === "*" || method === call.method) && left > 0 && when(call),
    );
    if (!order) return undefined;
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
