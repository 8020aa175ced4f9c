// What a local platform does wrong on demand: orders, and which of them a call meets.

export interface OrderOptions<Call> {
  /** How many calls it hits; `Infinity` until the faults are cleared. Default 1. */
  readonly times?: number;
  /** Only calls for which this is true. */
  readonly when?: (call: Call) => boolean;
}

interface Order<Fault, Call> {
  readonly name: string;
  readonly fault: Fault;
  readonly when: (call: Call) => boolean;
  left: number;
}

export class FaultOrders<Fault, Call> {
  readonly #orders: Order<Fault, Call>[] = [];
  readonly #nameOf: (call: Call) => string;

  constructor(nameOf: (call: Call) => string) {
    this.#nameOf = nameOf;
  }

  /** @param name of the calls that are meant; `*` for any. */
  add(name: string, fault: Fault, { times = 1, when = () => true }: OrderOptions<Call> = {}): void {
    this.#orders.push({ name, fault, when, left: times });
  }

  /** The first order that fits this call, used up by it. */
  take(call: Call): Fault | undefined {
    const order = this.#orders.find(
      ({ name, left, when }) => (name === "*" || name === this.#nameOf(call)) && left > 0 && when(call),
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
