// What the REST API does wrong on demand.
import { FaultOrders, type OrderOptions } from "../fault-orders.ts";
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
  | { readonly kind: "late"; readonly until: Promise<unknown> }
  /** Done at once, and answered only when the promise settles. */
  | { readonly kind: "late answer"; readonly until: Promise<unknown> };

export interface CallView {
  /** `POST /channels/:channel/messages`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export type FaultOptions = OrderOptions<CallView>;

/** Named by the route. */
export class Faults extends FaultOrders<Fault, CallView> {
  constructor() {
    super(({ route }) => route);
  }
}
