// Lets a test step in between two steps of a run: before a call of a port is made, or after it was done.
import { BobbinError } from "../../src/core/errors.ts";

export type When = "before" | "after";

/** What happens at the moment. What it throws is thrown by the call: `before`, it was not made; `after`, its answer was lost. */
export type Act = () => unknown;

export class Moments {
  readonly #acts = new Map<string, Act[]>();

  /** At the next call of that name that no earlier act waits for. */
  at(name: string, when: When, act: Act): this {
    const key = `${when} ${name}`;
    this.#acts.set(key, [...(this.#acts.get(key) ?? []), act]);
    return this;
  }

  /** Nothing is waited for any more. */
  clear(): void {
    this.#acts.clear();
  }

  /** How many acts still wait for their moment. */
  get pending(): number {
    return [...this.#acts.values()].reduce((sum, acts) => sum + acts.length, 0);
  }

  async come(name: string, when: When): Promise<void> {
    await this.#acts.get(`${when} ${name}`)?.shift()?.();
  }

  /** The port with every method a moment. `isDead`: nothing is done or answered any more, as after kill -9. */
  around<P extends object>(
    port: P,
    isDead: () => boolean,
    nameOf: (method: string, args: readonly unknown[]) => string,
  ): P {
    return new Proxy(port, {
      get: (target, method, receiver) => {
        const own: unknown = Reflect.get(target, method, receiver);
        if (typeof own !== "function" || typeof method !== "string") return own;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          const name = nameOf(method, args);
          if (isDead()) return await never();
          await this.come(name, "before");
          if (isDead()) return await never();
          const answer: unknown = await Reflect.apply(own, target, args);
          await this.come(name, "after");
          return isDead() ? await never() : answer;
        };
      },
    });
  }
}

function never(): Promise<never> {
  return new Promise<never>(() => {});
}

/** An act: the store has no room. */
export function storeFull(): never {
  throw new BobbinError("store_full", "the database has no room left", { retryable: true });
}

/** An act: the store cannot be reached. */
export function storeAway(): never {
  throw new BobbinError("store_unavailable", "the database cannot be reached", { retryable: true });
}
