/** Who may use the bot, where and for what: the rules as they are checked, with every default filled in. */

import type { CommandName } from "../command/command.ts";

/**
 * `platform:space` for a space, `platform:space:id` for a channel, a person or a role; `*` stands for any part but the first, since
 * a person on Discord is the same in every guild.
 */
export type Address = string;

/** Some of those for whom a rule is. `admins`: see `AccessRules.admins`. */
export type Audience =
  | "everyone"
  | "admins"
  /** Admins, and those of `AccessRules.reviewers`. */
  | "reviewers"
  | "nobody"
  | { readonly users?: readonly Address[]; readonly roles?: readonly Address[] };

export interface Lists {
  /** Only these. Without it all but those of `deny`. */
  readonly allow?: readonly Address[];
  /** Never these; wins over everything. */
  readonly deny: readonly Address[];
}

export interface Rate {
  readonly most: number;
  readonly withinMs: number;
}

export interface AccessRules {
  readonly spaces: Lists;
  /** A thread counts as its channel. Direct messages have `direct` in place of `allow`. */
  readonly channels: Lists;
  /** Where people or roles are allowed by a list, whoever is on neither may do nothing. */
  readonly users: Lists;
  readonly roles: Lists;
  /** Who may write to the bot directly. */
  readonly direct: Audience;
  /** Guests of a workspace. */
  readonly guests: Audience;
  /** People of another company in a shared channel. */
  readonly external: Audience;
  /** People of whom the platform did not say in time whether they are guests. */
  readonly unknown: Audience;
  readonly admins: {
    /** Whoever is an admin on the platform. */
    readonly platform: boolean;
    readonly users: readonly Address[];
    readonly roles: readonly Address[];
  };
  /** Who may read what the bot did, beside the admins. */
  readonly reviewers: {
    readonly users: readonly Address[];
    readonly roles: readonly Address[];
  };
  readonly commands: Readonly<Record<CommandName, Audience>>;
  readonly bots: {
    /** Only these are heard, where they mention the bot. */
    readonly allow: readonly Address[];
    /** Of one bot in one thread. */
    readonly rate: Rate;
  };
  readonly limits: {
    /** Of one person. */
    readonly user?: Rate;
    /** Of all in one channel. */
    readonly channel?: Rate;
  };
}

/** Whether one of the patterns is this address. */
export function isListed(patterns: readonly Address[], address: Address): boolean {
  return patterns.some((pattern) => {
    if (pattern === address) return true;
    if (!pattern.includes("*")) return false;
    const [wanted, given] = [pattern.split(":"), address.split(":")];
    return wanted.length === given.length && wanted.every((part, n) => part === "*" || part === given[n]);
  });
}
