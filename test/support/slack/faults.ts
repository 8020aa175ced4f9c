// What the Web API does wrong on demand.
import { FaultOrders, type OrderOptions } from "../fault-orders.ts";
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
  /** Done, and answered `{ ok: false, error }` all the same. */
  | { readonly kind: "done and refused"; readonly error: string }
  /** Done only when the promise settles, and then answered. */
  | { readonly kind: "late"; readonly until: Promise<unknown> }
  /** Done at once, and answered only when the promise settles. */
  | { readonly kind: "late answer"; readonly until: Promise<unknown> };

export type FaultOptions = OrderOptions<ApiCall>;

/** Named by the method. */
export class Faults extends FaultOrders<Fault, ApiCall> {
  constructor() {
    super(({ method }) => method);
  }
}
