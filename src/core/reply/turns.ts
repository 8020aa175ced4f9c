/** The turns of one who writes in a thread: where they wait for one, and that they wait no more. */

import type { Budget, Pacer, Urgency } from "../ports/pacer.ts";
import type { Voice } from "../ports/surface.ts";
import type { SessionId } from "../thread.ts";

export interface Turns {
  /** 0: a write may be made now; else in how many ms to ask again. */
  take(budget: Budget, urgency: Urgency): Promise<number>;
  /** Gives up every place in a line. Never waits. */
  leave(): void;
}

export function createTurns(pacer: Pacer, session: SessionId, voice: Voice = "reply"): Turns {
  const who = voice === "reply" ? session : `${session} ${voice}`;
  const waiting = new Map<string, Budget>();
  return {
    async take(budget, urgency) {
      const waitMs = await pacer.take(budget, { who, urgency });
      if (waitMs > 0) waiting.set(budget.key, budget);
      else waiting.delete(budget.key);
      return waitMs;
    },
    leave() {
      for (const budget of waiting.values()) pacer.leave(budget, who).catch(() => undefined);
      waiting.clear();
    },
  };
}
