/** `/healthz`: the process lives. `/readyz`: it can do its work, or what is missing, by name. */

import { Hono } from "hono";
import { TookTooLong, withTimeLimit } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";

export interface ReadyCheck {
  /** What is looked at, as an operator calls it: `Postgres`. */
  readonly name: string;
  /** Resolves to nothing when all is well, else to one sentence that says what is missing. A rejection is one too. */
  check(): Promise<string | undefined>;
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
    const missing = (await Promise.all(deps.checks.map((check) => look(check)))).filter(
      (found) => found !== undefined,
    );
    c.header("Cache-Control", "no-store");
    return c.json({ ready: missing.length === 0, missing }, missing.length === 0 ? 200 : 503);
  });

  /** One look at a time: what hangs must not be asked once more by everybody who wants to know. */
  const looking = new Map<ReadyCheck, Promise<string | undefined>>();
  function lookOnce(each: ReadyCheck): Promise<string | undefined> {
    const begun = looking.get(each) ?? each.check().finally(() => looking.delete(each));
    looking.set(each, begun);
    return begun;
  }

  async function look(each: ReadyCheck): Promise<{ name: string; why: string } | undefined> {
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
