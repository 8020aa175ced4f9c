/** Names of people, as Slack's events have only ids. Kept for an hour; asked for at most once at a time. */

import type { Clock } from "../../core/ports/clock.ts";
import type { SlackApi } from "./api.ts";
import { fieldsOf, textOf } from "./payload.ts";
import type { NameOf } from "./text.ts";

export interface SlackPeople {
  /** Undefined while a name is not known. */
  readonly nameOf: NameOf;
  /**
   * Asks for the names that are missing, and waits for them only so long: a message has to be acknowledged within 3 s, and
   * an id in place of a name is no harm. Never rejects.
   * @returns whether there was anything to ask for.
   */
  learn(users: readonly string[]): Promise<boolean>;
}

export interface PeopleOptions {
  /** How long a message may wait for names, ms. Default 700. */
  readonly waitMs?: number;
  /** How long a name is believed, ms. Default one hour. */
  readonly keepMs?: number;
  /** How long somebody who could not be looked up is not asked for again, ms. Default 60,000. */
  readonly missedMs?: number;
  /** People that are kept; the ones learned first go first. Default 5,000. */
  readonly most?: number;
}

interface Known {
  readonly name: string | undefined;
  /** Ticks. */
  readonly until: number;
}

export function createSlackPeople(
  deps: { readonly api: SlackApi; readonly clock: Clock },
  options: PeopleOptions = {},
): SlackPeople {
  const { api, clock } = deps;
  const { waitMs = 700, keepMs = 3_600_000, missedMs = 60_000, most = 5_000 } = options;
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<void>>();

  async function ask(user: string): Promise<void> {
    const answer = await api.call("users.info", { user });
    const name = answer.kind === "ok" ? nameIn(fieldsOf(answer.data["user"])) : undefined;
    // A name that was known yesterday is better than none.
    const kept = name ?? known.get(user)?.name;
    known.delete(user);
    known.set(user, { name: kept, until: clock.ticks() + (name === undefined ? missedMs : keepMs) });
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
  }

  return {
    nameOf: (user) => known.get(user)?.name,
    async learn(users) {
      const missing = users.filter((user) => (known.get(user)?.until ?? 0) <= clock.ticks());
      if (missing.length === 0) return false;
      const asked = missing.map((user) => {
        const already = asking.get(user);
        if (already !== undefined) return already;
        const question = ask(user).finally(() => asking.delete(user));
        asking.set(user, question);
        return question;
      });
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(waitMs, resolve);
      await Promise.race([Promise.allSettled(asked), late]);
      cancel();
      return true;
    },
  };
}

/** As the person wants to be called, else as they are called. */
function nameIn(user: Readonly<Record<string, unknown>>): string | undefined {
  const profile = fieldsOf(user["profile"]);
  return (
    textOf(profile["display_name"]) ??
    textOf(profile["real_name"]) ??
    textOf(user["real_name"]) ??
    textOf(user["name"])
  );
}
