/** What admins ask stands behind what people wait for: of it only so much is under way at a time, and none of it for long. */

export class TooBusy extends Error {
  override readonly name = "TooBusy";
}

export interface Turns {
  /** @throws TooBusy at once where too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** @param most under way at the same time. @param waiting so many more wait for a turn. @param sentence for who comes when that is full. */
export function createTurns(
  most: number,
  waiting: number,
  sentence = "Too much is being searched just now. Try again in a minute.",
): Turns {
  let under = 0;
  const queue: (() => void)[] = [];
  return {
    async run(work) {
      if (under < most) under += 1;
      else if (queue.length >= waiting) throw new TooBusy(sentence);
      // Whoever ends hands its own turn on.
      else await new Promise<void>((resolve) => queue.push(resolve));
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next === undefined) under -= 1;
        else next();
      }
    },
  };
}
