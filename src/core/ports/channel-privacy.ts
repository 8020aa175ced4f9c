/** Whether a channel is for some people only: what the platform says now, and what it said when it was asked last. */

import type { Space } from "./overviews.ts";

export interface Channel extends Space {
  /** As in a thread's address. */
  readonly channel: string;
}

export interface ChannelsNow {
  /**
   * Whether not everybody of the space may read it; true also for one that is not there for the bot any more. Undefined where the
   * platform does not say.
   */
  isPrivate(channel: Channel): Promise<boolean | undefined>;
}

export interface ChannelPrivacy {
  /** Channels that have threads, and of which it is not known, or was asked before then (ms since 1970). */
  unknown(space: Space, askedBefore: number, limit: number): Promise<readonly string[]>;
  keep(channel: Channel, isPrivate: boolean): Promise<void>;
}
