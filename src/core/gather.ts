/**
 * Joins calls that come close together into one: what comes in the same turn, or while others are under way, goes together.
 * Who comes alone goes at once, and nothing waits for a time.
 */

export interface GatherOptions {
  /** Joint calls under way at once, at most. */
  readonly atOnce: number;
  /** Items in a joint call, at most. */
  readonly most: number;
}

interface Waiting<T, R> {
  readonly item: T;
  resolve(value: R | Promise<R>): void;
  reject(error: unknown): void;
}

/** @param work answers each item in its place, or later; when it rejects, each of them rejects. */
export function gathered<T, R>(
  work: (items: readonly T[]) => Promise<readonly (R | Promise<R>)[]>,
  { atOnce, most }: GatherOptions,
): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  let underWay = 0;
  let isDue = false;

  function goOn(): void {
    isDue = false;
    while (underWay < atOnce && waiting.length > 0) {
      start(waiting.slice(0, most));
      waiting = waiting.slice(most);
    }
  }

  function start(group: readonly Waiting<T, R>[]): void {
    underWay++;
    work(group.map(({ item }) => item)).then(
      (answers) => {
        for (const [index, { resolve }] of group.entries()) resolve(answers[index] as R | Promise<R>);
        underWay--;
        goOn();
      },
      (error: unknown) => {
        for (const { reject } of group) reject(error);
        underWay--;
        goOn();
      },
    );
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isDue) return;
      isDue = true;
      queueMicrotask(goOn);
    });
}
