// What the model received is what the page of the thread shows of it, byte for byte.
import type { Broken, ChaosRecord, ShownRequest } from "./record.ts";

const SHOWN = "the page of a request shows the bytes that the model received";

export function brokenShown({ shown, requests }: ChaosRecord): Broken[] {
  const received = new Set(requests);
  return shown.flatMap((one): Broken[] => {
    const what = problemOf(one, received);
    return what === undefined
      ? []
      : [{ invariant: SHOWN, what: `${one.session}, call ${one.call}: ${what}` }];
  });
}

/** Those of which it is known what was received: one that was cut off may never have arrived. */
export function comparedOf({ shown, requests }: Pick<ChaosRecord, "shown" | "requests">): number {
  const received = new Set(requests);
  return shown.filter(({ body }) => body !== undefined && received.has(body)).length;
}

function problemOf(
  { body, isSame, outcome }: ShownRequest,
  received: ReadonlySet<string>,
): string | undefined {
  if (body === undefined) return "there is no page of it";
  if (isSame === false) return "the page says that other bytes were sent";
  if (received.has(body)) return isSame === undefined ? "the page says that it was never sent" : undefined;
  return outcome === "done" ? "the model never received what the page shows" : undefined;
}
