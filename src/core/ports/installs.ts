/** Where the app is installed: whose token is used in which space, and what is wrong with it. */

import type { Platform } from "../thread.ts";

/** What is known of an install beside its secret. */
export interface InstallFacts {
  readonly platform: Platform;
  /** What the install is of: a workspace, or a whole organisation. */
  readonly space: string;
  /** The organisation that the space belongs to. */
  readonly enterprise?: string;
  /** As people call the space. */
  readonly name: string;
  /** Where a browser finds it. */
  readonly url?: string;
  /** Who the bot is there: as it is mentioned, as its messages carry it, and as people see it. */
  readonly bot: { readonly user: string; readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  /** Id of the person who installed it; empty where nobody knows. */
  readonly installedBy: string;
}

export interface Install extends InstallFacts {
  /** When it was installed, ms since 1970. */
  readonly at: number;
  /** Raised by each change of the install: what was learnt of an older one says nothing of this one. */
  readonly revision: number;
  /** `broken`: the platform does not take the secret any more. */
  readonly state: "active" | "broken";
  /** The platform's word for what is wrong. */
  readonly why?: string;
  readonly secret:
    | { readonly kind: "open"; readonly value: string }
    /** No key that we have opens it. `why`: one sentence. */
    | { readonly kind: "sealed"; readonly why: string };
}

/** One state of one install. */
export type InstallVersion = Pick<Install, "platform" | "space" | "revision">;

export interface ThreadLookup {
  /** The space that is meant, if it has a session there. */
  readonly rather?: string | undefined;
  /** Spaces in which the app is, and that are not known here. */
  readonly also?: readonly string[];
}

export interface Installs {
  /** Durable when it resolves. Whatever was known of the space before is replaced; what was broken or removed is active again. */
  save(facts: InstallFacts, secret: string): Promise<void>;
  /** Undefined where the app is not installed, or is no more. */
  find(platform: Platform, space: string): Promise<Install | undefined>;
  /** Whether somebody has removed the app there. Of where it is not known to have been installed that is not said. */
  wasRemoved(platform: Platform, space: string): Promise<boolean>;
  /** All that are not removed, by space. */
  list(platform: Platform): Promise<readonly Install[]>;
  /** The space in which the bot has one of these user ids. */
  spaceOfBot(platform: Platform, users: readonly string[]): Promise<string | undefined>;
  /**
   * The space of a session that lies at this channel and root, where a channel is seen by several. Where several spaces have one: that
   * which is meant, else that in which it began first.
   */
  spaceOfThread(
    platform: Platform,
    channel: string,
    root: string,
    options?: ThreadLookup,
  ): Promise<string | undefined>;
  /** False, and nothing changes, where the install has changed since or was so already. */
  mark(version: InstallVersion, state: Install["state"], why?: string): Promise<boolean>;
  /**
   * The secret is erased, and `find` knows it no more. Only an install that is older than `before` (ms since 1970): news of a removal may
   * come after the app was installed again. Whether there was one.
   */
  remove(platform: Platform, space: string, before: number): Promise<boolean>;
}
