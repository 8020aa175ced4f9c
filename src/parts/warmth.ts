/** Connections that stay have planned what comes first: nobody waits for that. */

export interface Warmth {
  /** Does `work` on each of them, and from now on whenever `again` is called. Never rejects. */
  warm(work: () => Promise<unknown>): Promise<void>;
  /** Some were closed: does the work once more, on those that are opened for it too. Nothing before `warm`. */
  again(): void;
}

/** @param connections how many stay. */
export function createWarmth(connections: number): Warmth {
  let work: (() => Promise<unknown>) | undefined;
  let underWay = false;
  let isAsked = false;

  async function warmUp(): Promise<void> {
    if (work === undefined) return;
    isAsked = underWay;
    if (underWay) return;
    underWay = true;
    // At the same time, so that each takes a connection of its own.
    const done = await Promise.allSettled(Array.from({ length: connections }, work));
    underWay = false;
    // While all fail it is for those who need a connection to find out when that ends.
    if (isAsked && done.some(({ status }) => status === "fulfilled")) await warmUp();
  }
  return {
    warm(given) {
      work = given;
      return warmUp();
    },
    again: () => void warmUp(),
  };
}
