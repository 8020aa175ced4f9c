/** Learns which channels are private before their threads are listed, searched or opened. What is not known counts as private. */

import { keepNewest } from "../keep-newest.ts";
import { withTimeLimit } from "../pause.ts";
import type { Channel, ChannelPrivacy, ChannelsNow } from "../ports/channel-privacy.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Space } from "../ports/overviews.ts";

export interface Channels {
  /** All of a space. Resolves when they are known, or after a moment: then the rest is learnt behind it. Never rejects. */
  learn(space: Space): Promise<void>;
  /** One of them, as the platform says it now. Never rejects: where it does not say, what it said before counts. */
  look(channel: Channel): Promise<void>;
}

export interface ChannelsDeps {
  readonly privacy: ChannelPrivacy;
  readonly now: ChannelsNow;
  readonly clock: Clock;
  readonly log: Log;
}

/** A channel may be made private: so long what was said of one counts where many are listed, and where one is opened, ms. */
const LISTED_MS = 24 * 3_600_000;
const OPENED_MS = 60_000;
/** One of which the platform says nothing is asked about again after so long, ms. */
const AGAIN_MS = 600_000;
/** A page waits so long for it, ms. */
const WAITED_MS = 1_500;
/** Asked about in one go; the next page goes on. */
const AT_ONCE = 200;
const MOST_KEPT = 5_000;

export function createChannels({ privacy, now, clock, log }: ChannelsDeps): Channels {
  const under = new Map<string, Promise<void>>();
  /** Until when a channel is not asked about again, in ticks. */
  const asked = new Map<string, number>();
  const keyOf = ({ platform, space, channel }: Channel): string => `${platform}:${space}:${channel}`;

  function remember(channel: Channel, forMs: number): void {
    keepNewest(asked, keyOf(channel), clock.ticks() + forMs, MOST_KEPT);
  }

  async function ask(channel: Channel): Promise<void> {
    if ((asked.get(keyOf(channel)) ?? 0) > clock.ticks()) return;
    const isPrivate = await now.isPrivate(channel).catch(() => undefined);
    remember(channel, isPrivate === undefined ? AGAIN_MS : OPENED_MS);
    if (isPrivate !== undefined) await privacy.keep(channel, isPrivate);
  }

  async function all(space: Space): Promise<void> {
    for (const channel of await privacy.unknown(space, clock.now() - LISTED_MS, AT_ONCE))
      await ask({ platform: space.platform, space: space.space, channel });
  }

  /** Pages never fail for it. */
  async function within(work: Promise<void>): Promise<void> {
    await withTimeLimit(clock, WAITED_MS, "to learn about channels", work).catch(() => undefined);
  }

  return {
    learn(space) {
      const key = `${space.platform}:${space.space}`;
      const before = under.get(key);
      const work =
        before ??
        all(space)
          .catch((error: unknown) => log.warn("which channels are private could not be learnt", { error }))
          .finally(() => under.delete(key));
      under.set(key, work);
      return within(work);
    },
    look: (channel) => within(ask(channel)),
  };
}
