/**
 * Who has come in to the admin pages, and who may: links that were offered, and the browsers that one of them has let in. Secrets are
 * known here only by their hash, so that who reads the store can use nothing of it.
 */

import type { Platform, SessionId } from "../thread.ts";

/** One person in one space: whoever has come in is that, and never more. */
export interface Person {
  readonly platform: Platform;
  readonly space: string;
  readonly person: string;
  /** As shown to others. */
  readonly name: string;
}

export interface Offer {
  /** SHA-256 of the link's secret, hex. */
  readonly hash: string;
  readonly who: Person;
  /** Where it leads; to the list of threads without it. */
  readonly session?: SessionId;
  /** How they have shown who they are, as the audit log says it. Default `link`. */
  readonly way?: string;
  /** ms since 1970. */
  readonly until: number;
}

export type Offered = Pick<Offer, "who" | "session"> & Required<Pick<Offer, "way">>;

export interface Entered {
  /** Names it on pages; opens nothing. */
  readonly id: string;
  readonly who: Person;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly until: number;
  /** What the browser says it is. */
  readonly browser: string;
}

export interface SignIns {
  /** Rejects when it could not be stored. */
  offer(offer: Offer): Promise<void>;
  /** Looks only. Undefined when it is unknown, was used or is over. */
  offered(hash: string): Promise<Offered | undefined>;
  /** Takes the offer and lets a browser in, in one step: of two that come at once one is let in. */
  enter(
    offer: string,
    browser: Pick<Entered, "id" | "until" | "browser"> & { readonly hash: string },
  ): Promise<Offered | undefined>;
  /** Lets a browser in without an offer: for who has shown in another way who they are. */
  admit(
    who: Person,
    browser: Pick<Entered, "id" | "until" | "browser"> & { readonly hash: string },
  ): Promise<void>;
  /**
   * Undefined when it is unknown, has left, is over, or was not used for `idleMs`.
   * @param isUse it is used now, which is noted about once a minute. Else it was only asked whether it still is in.
   */
  find(hash: string, idleMs: number, isUse: boolean): Promise<Entered | undefined>;
  /** Those of a space that are in, of one person where one is given; the newest first. */
  list(space: Pick<Person, "platform" | "space">, person?: string): Promise<readonly Entered[]>;
  /** All of this person's but one: how many were in. From then on they are out. */
  leaveOthers(than: string, who: Pick<Person, "platform" | "space" | "person">): Promise<number>;
  /** Whether it was in, in this space, and of this person where one is given. From then on it is out. */
  leave(id: string, space: Pick<Person, "platform" | "space">, person?: string): Promise<boolean>;
}
