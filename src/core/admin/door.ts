/**
 * The way from a thread to the pages on which it is reviewed: a private link that lets one person in, once. Who may ask for it is
 * the command layer's business, and is asked again on each page.
 */

import type { Author } from "../inbound.ts";
import type { Hash } from "../ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { SignIns } from "../ports/sign-ins.ts";
import type { SessionId, Thread } from "../thread.ts";

export interface Asking {
  readonly author: Author;
  readonly place: Pick<Thread, "platform" | "space">;
  /** The thread that is asked about; all of the space without it. */
  readonly session?: SessionId;
}

export interface Door {
  /**
   * What whoever asked is told, and nobody else may read. Asked twice, as by two deliveries of one request, it makes two links, since
   * nobody knows which of the two answers arrives. Rejects when it could not be stored.
   */
  open(asking: Asking): Promise<string>;
}

/** How long a link is good, ms. */
export const LINK_MS = 15 * 60_000;

export interface DoorDeps {
  readonly signIns: Pick<SignIns, "offer">;
  readonly clock: Clock;
  readonly hash: Hash;
  /** 256 random bits as text that a path may hold. */
  readonly newSecret: () => string;
}

/** @param base where people reach this server, without a slash at the end. */
export function createDoor({ signIns, clock, hash, newSecret }: DoorDeps, base: string): Door {
  return {
    async open({ author, place: { platform, space }, session }) {
      const secret = newSecret();
      await signIns.offer({
        hash: hash(secret),
        who: { platform, space, person: author.id, name: author.name },
        ...(session === undefined ? {} : { session }),
        until: clock.now() + LINK_MS,
      });
      const what = session === undefined ? "the admin pages" : "the transcript of this thread";
      return `[Open ${what}](${base}/admin/in/${secret}). The link is for you alone: it works once, within 15 minutes.`;
    },
  };
}
