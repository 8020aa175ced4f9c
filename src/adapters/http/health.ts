/** `/healthz`: the process lives. `/readyz`: it can do its work, or what is missing, by name. */

import { Hono } from "hono";
import { TookTooLong, withTimeLimit } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";

export interface ReadyCheck {
  /** What is looked at, as an operator calls it: `Postgres`. */
  readonly name: string;
  /** Resolves to nothing when all is well, else to one sentence that says what is missing. A rejection is one too. */
  check(): Promise<string | undefined>;
  /** What is missing concerns a part of those who are served, and the others are: it is told, and the process is ready. */
  readonly isPartial?: true;
}

interface Missing {
  readonly name: string;
  readonly why: string;
}

export interface HealthOptions {
  /** How long a check may take before it counts as failed, ms. */
  readonly limitMs: number;
}

/** Both answers are JSON and for machines: no secret, no address. */
export function createHealth(
  deps: { readonly checks: readonly ReadyCheck[]; readonly clock: Clock },
  options: HealthOptions,
): Hono {
  const { limitMs } = options;
  const app = new Hono();
  app.get("/healthz", (c) => c.json({ alive: true }));
  app.get("/readyz", async (c) => {
    const looked = await Promise.all(
      deps.checks.map(async (check) => ({ isPartial: check.isPartial === true, found: await look(check) })),
    );
    const told = (partial: boolean): readonly Missing[] =>
      looked.flatMap(({ isPartial, found }) => (isPartial === partial && found !== undefined ? [found] : []));
    const missing = told(false);
    const troubles = told(true);
    const answer = { ready: missing.length === 0, missing, ...(troubles.length === 0 ? {} : { troubles }) };
    c.header("Cache-Control", "no-store");
    return c.json(answer, missing.length === 0 ? 200 : 503);
  });

  /** One look at a time: what hangs must not be asked once more by everybody who wants to know. */
  const looking = new Map<ReadyCheck, Promise<string | undefined>>();
  function lookOnce(each: ReadyCheck): Promise<string | undefined> {
    const begun = looking.get(each) ?? each.check().finally(() => looking.delete(each));
    looking.set(each, begun);
    return begun;
  }

  async function look(each: ReadyCheck): Promise<Missing | undefined> {
    try {
      const why = await withTimeLimit(deps.clock, limitMs, each.name, lookOnce(each));
      return why === undefined ? undefined : { name: each.name, why };
    } catch (error) {
      if (error instanceof TookTooLong) return { name: each.name, why: `No answer within ${limitMs} ms.` };
      // The message of an error may carry an address or a name of a login; the log has it from where it arose.
      return { name: each.name, why: "It does not answer." };
    }
  }

  return app;
}
