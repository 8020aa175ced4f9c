/**
 * Who people are, as Slack's events have only ids: their names, and what they are in the workspace. Kept for an hour, and for five
 * minutes what makes somebody an admin; asked for at most once at a time.
 */

import { keepNewest } from "../../core/keep-newest.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { SlackApi } from "./api.ts";
import { fieldsOf, textOf, type Payload } from "./payload.ts";
import type { NameOf } from "./text.ts";

/** What Slack says of a person beside the name. */
export interface Facts {
  /** The workspace they are of. */
  readonly team: string | undefined;
  readonly isStranger: boolean;
  readonly isGuest: boolean;
  readonly isBot: boolean;
  /** Deactivated. */
  readonly isGone?: true;
  /** Absent for somebody who was an admin when it was said too long ago to be relied on. */
  readonly admin?: { readonly isAdmin: boolean; readonly isOwner: boolean };
}

/** Undefined while nothing is known. */
export type FactsOf = (user: string) => Facts | undefined;

export interface SlackPeople {
  /** Undefined while a name is not known. */
  readonly nameOf: NameOf;
  readonly factsOf: FactsOf;
  /**
   * Asks for what is missing, and waits for it only so long: a message has to be acknowledged within 3 s, and an id in place of
   * a name is no harm. Never rejects.
   * @param anew somebody who asks for what perhaps only an admin may: of them nothing counts that is older than five minutes.
   * @returns whether there was anything to ask for.
   */
  learn(users: readonly string[], anew?: string): Promise<boolean>;
}

export interface PeopleOptions {
  /** How long a message may wait for names, ms. Default 700. */
  readonly waitMs?: number;
  /** How long a name is believed, ms. Default one hour. */
  readonly keepMs?: number;
  /** How long it is believed whether somebody is an admin, ms. Default 5 minutes. */
  readonly adminMs?: number;
  /** How long somebody who could not be looked up is not asked for again, ms. Default 60,000. */
  readonly missedMs?: number;
  /** Of an install in a whole organisation. Default false. */
  readonly isWide?: boolean;
  /** People that are kept; the ones learned first go first. Default 5,000. */
  readonly most?: number;
}

/** As Slack has just said them. */
type SaidFacts = Facts & Required<Pick<Facts, "admin">>;

interface Known {
  readonly name: string | undefined;
  readonly facts: SaidFacts | undefined;
  /** Ticks at which the facts were said. */
  readonly saidAt: number;
  /** Ticks. */
  readonly until: number;
  /** Ticks before which they are not asked for again, as they could not be looked up. */
  readonly notBefore: number;
}

export function createSlackPeople(
  deps: { readonly api: SlackApi; readonly clock: Clock },
  options: PeopleOptions = {},
): SlackPeople {
  const { api, clock } = deps;
  const { waitMs = 700, keepMs = 3_600_000, adminMs = 300_000, missedMs = 60_000, most = 5_000 } = options;
  const { isWide = false } = options;
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<void>>();

  async function ask(user: string): Promise<void> {
    const answer = await api.call("users.info", { user });
    const now = clock.ticks();
    const before = known.get(user);
    if (answer.kind === "ok") {
      const said = fieldsOf(answer.data["user"]);
      const name = nameIn(said) ?? before?.name;
      const facts = factsIn(said, isWide);
      keepNewest(known, user, { name, facts, saidAt: now, until: now + keepMs, notBefore: 0 }, most);
    } else {
      // What was known yesterday is better than nothing.
      const { name, facts, saidAt = 0 } = before ?? {};
      const until = now + missedMs;
      keepNewest(known, user, { name, facts, saidAt, until, notBefore: until }, most);
    }
  }

  function isMissing(user: string, anew: string | undefined): boolean {
    const found = known.get(user);
    const now = clock.ticks();
    if (found === undefined || found.until <= now) return true;
    if (found.notBefore > now || now - found.saidAt < adminMs) return false;
    // Who was no admin an hour ago is at most refused something; who was one may be none any more.
    return user === anew || found.facts?.admin.isAdmin === true;
  }

  return {
    nameOf: (user) => known.get(user)?.name,
    factsOf(user) {
      const found = known.get(user);
      if (found?.facts === undefined) return undefined;
      const { admin, ...rest } = found.facts;
      // Who was no admin is at most refused something.
      return clock.ticks() - found.saidAt < adminMs || !admin.isAdmin ? found.facts : rest;
    },
    async learn(users, anew) {
      const missing = users.filter((user) => isMissing(user, anew));
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
export function nameIn(user: Payload): string | undefined {
  const profile = fieldsOf(user["profile"]);
  return (
    textOf(profile["display_name"]) ??
    textOf(profile["real_name"]) ??
    textOf(user["real_name"]) ??
    textOf(user["name"])
  );
}

/** @param isWide of an install in a whole organisation: there an admin of one of its workspaces is none. Default false. */
export function factsIn(user: Payload, isWide = false): SaidFacts {
  const wide = fieldsOf(user["enterprise_user"]);
  const own: Payload = isWide ? {} : user;
  const isOwner = own["is_owner"] === true || own["is_primary_owner"] === true || wide["is_owner"] === true;
  return {
    team: textOf(user["team_id"]),
    isStranger: user["is_stranger"] === true,
    isGuest: user["is_restricted"] === true || user["is_ultra_restricted"] === true,
    isBot: user["is_bot"] === true,
    ...(user["deleted"] === true ? { isGone: true as const } : {}),
    admin: { isAdmin: isOwner || own["is_admin"] === true || wide["is_admin"] === true, isOwner },
  };
}
