/** What people want to see of a reply besides its answer, and where. Pure. */

import { isListed, type Address } from "../access/rules.ts";
import { threadOf, type SessionId } from "../thread.ts";

/** In the order in which each shows more. */
export const VERBOSITIES = ["quiet", "steps", "full"] as const;
export const FOOTERS = ["off", "short", "full"] as const;

/** `quiet`: one line while tools run; `steps`: a line for each step, which stays; `full`: with what each was given. */
export type Verbosity = (typeof VERBOSITIES)[number];

/** `short`: steps, time, tokens and cost; `full`: also the share that came from the cache, and the model. */
export type FooterDetail = (typeof FOOTERS)[number];

/** What a place may want otherwise than all others. */
export interface ReplyWishes {
  readonly verbosity?: Verbosity;
  readonly footer?: FooterDetail;
  readonly feedback?: boolean;
}

export interface ReplyRules extends Required<ReplyWishes> {
  /** In this order; of several that mean a channel the later one counts. A thread counts as its channel. */
  readonly channels: readonly (readonly [Address, ReplyWishes])[];
}

export interface ReplyView extends Required<ReplyWishes> {
  /** What a tool is doing, for so many calls of it: `Reading 3 pages`. Undefined for one that does not say. */
  doing?(tool: string, count: number): string | undefined;
}

/** Of a place that wants nothing otherwise. */
export const DEFAULT_VIEW: ReplyView = { verbosity: "quiet", footer: "short", feedback: true };
export const DEFAULT_RULES: ReplyRules = { ...DEFAULT_VIEW, channels: [] };

/** @param parent the channel in which the thread hangs, where its address does not tell it. */
export function viewOf(
  { channels, ...everywhere }: ReplyRules,
  session: SessionId,
  parent: string | undefined,
): ReplyView {
  const { platform, space, channel } = threadOf(session);
  const places = [channel, ...(parent === undefined ? [] : [parent])].map((id) =>
    [platform, space, id].join(":"),
  );
  return channels.reduce<ReplyView>(
    (view, [address, wishes]) =>
      places.some((place) => isListed([address], place)) ? { ...view, ...wishes } : view,
    everywhere,
  );
}
