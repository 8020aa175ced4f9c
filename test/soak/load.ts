// An hour of a busy workspace, pressed into the minutes that are given: the people of the chaos runs, who begin threads all the time,
// go on in the newest, stop, retry, reset, edit and delete; and some who come back to the same threads for the whole hour.
import { setTimeout as pause } from "node:timers/promises";
import type { ChaosPlace, Thread } from "../chaos/place.ts";
import { createPeople } from "../chaos/people.ts";
import { randomOf } from "../chaos/random.ts";
import { questionOf } from "../chaos/recipe.ts";

/** In one hour. */
export const HOUR = {
  /** Messages of people, in new threads and in such as go on for a while. */
  messages: 1_500,
  /** Threads that last for the whole hour, and the messages in all of them. */
  lastingThreads: 12,
  lastingMessages: 300,
  /** Calls and deliveries of Slack's that go wrong, besides: a limit, an error, a lost answer, an event that comes twice. */
  troubles: 120,
  /** Messages of the bot that people delete: a page of an answer, or all of it, while it is written or later. */
  takenAway: 90,
};

/** People delete what was said lately. */
const LATELY = 8;

/** The shortest time into which the hour may be pressed; a shorter run has a part of the hour. */
const SHORTEST_MINUTES = 10;

export interface Load {
  /** Resolves when the time is over. */
  live(signal: AbortSignal): Promise<void>;
  readonly messages: number;
  readonly threads: number;
  /** Messages of the bot that were deleted. */
  readonly takenAway: number;
}

export interface LoadOptions {
  readonly seed: number;
  readonly minutes: number;
  /** Somebody deletes a message of the bot. */
  takeAway(session: string, message: string): void;
}

/** Numbers of questions that the other people do not come to. */
const LASTING_FROM = 1_000_000;

export function createLoad(place: ChaosPlace, { seed, minutes, takeAway }: LoadOptions): Load {
  const forMs = minutes * 60_000;
  const hourMs = Math.max(minutes, SHORTEST_MINUTES) * 60_000;
  const everyMs = (times: number): number => hourMs / times;
  // An act in five is none that asks.
  const people = createPeople(place, randomOf(seed, "people"), {
    perSecond: HOUR.messages / (hourMs / 1_000),
  });
  const lasting: Thread[] = [];
  let asked = 0;

  async function again(ms: number, act: () => void, signal: AbortSignal): Promise<void> {
    const until = performance.now() + forMs;
    while (performance.now() < until && !signal.aborted) {
      act();
      await pause(ms, undefined, { signal }).catch(() => {});
    }
  }

  function comeBack(): void {
    const tag = LASTING_FROM + asked;
    const thread = lasting[asked++ % HOUR.lastingThreads];
    if (thread === undefined) lasting.push(place.begin(questionOf(tag)).thread);
    else place.say(thread, questionOf(tag));
  }

  const troubles = randomOf(seed, "troubles");
  function trouble(): void {
    const kind = troubles.pick(["rate limited", "server error", "lost response", "repeated"] as const);
    if (kind === "repeated") place.breakDelivery(kind, troubles);
    else place.breakCall(kind, troubles);
  }

  const tidiers = randomOf(seed, "tidiers");
  let takenAway = 0;
  function tidy(): void {
    const lately = place.shown().filter(({ isGone, fromBot }) => !isGone && fromBot.length > 0);
    if (lately.length === 0) return;
    const { session, fromBot } = tidiers.pick(lately.slice(-LATELY));
    const pages = fromBot.filter(({ isFile }) => isFile !== true);
    const whole = tidiers.next() < 0.3;
    // All of the newest answer, or one page of any.
    const those = whole ? pages.slice(-2) : pages.length === 0 ? [] : [tidiers.pick(pages)];
    for (const { id } of those) {
      takeAway(session, id);
      takenAway++;
    }
  }

  return {
    async live(signal) {
      await Promise.all([
        people.live(forMs, signal),
        again(everyMs(HOUR.lastingMessages), comeBack, signal),
        again(everyMs(HOUR.troubles), trouble, signal),
        again(everyMs(HOUR.takenAway), tidy, signal),
      ]);
    },
    get messages() {
      return people.questions + asked;
    },
    get threads() {
      return place.shown().length;
    },
    get takenAway() {
      return takenAway;
    },
  };
}
