/** Legal holds: what may be neither erased nor forgotten, whatever else is asked for, until somebody lifts the hold. */

import type { Person } from "./sign-ins.ts";

export type HoldKind = "thread" | "person" | "space";

/** `subject`: the id of a thread or of a person, or the name of the space. */
export interface HeldThing {
  readonly kind: HoldKind;
  readonly subject: string;
}

export interface Hold extends HeldThing {
  readonly id: string;
  readonly reason: string;
  /** Who set it. */
  readonly name: string;
  readonly at: number;
  readonly liftedAt?: number;
  readonly liftedName?: string;
  /** It stands, is on a person, and nobody of that id has written in the space or given an emoji there: perhaps it is no id. */
  readonly isOfNobody?: true;
}

export interface Holds {
  /** False where it is held already. */
  set(id: string, thing: HeldThing, reason: string, who: Person): Promise<boolean>;
  /** False where the space has no such hold that stands. */
  lift(id: string, who: Person): Promise<boolean>;
  /** Of a space, the newest first, those that were lifted too. */
  list(space: Pick<Person, "platform" | "space">, limit: number): Promise<readonly Hold[]>;
}
