/** What people want to see of a reply besides its answer, and where. Pure. */

import { isListed, type Address } from "../access/rules.ts";
import { threadOf, type SessionId } from "../thread.ts";
import type { Verbosity } from "../verbosity.ts";

/** In the order in which each shows more. */
export const FOOTERS = ["off", "short", "full"] as const;

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
  /** For a surface that adds to what stands there: pages that grow say what they were healed from. Default false. */
  readonly saysUnhealed?: boolean;
}

/** Of a place that wants nothing otherwise. */
export const DEFAULT_VIEW: ReplyView = { verbosity: "quiet", footer: "short", feedback: true };
export const DEFAULT_RULES: ReplyRules = { ...DEFAULT_VIEW, channels: [] };

/** What a thread's own store knows of how it is shown. */
export interface Shown {
  /** What its people have set. */
  readonly verbosity?: Verbosity;
  /** The channel in which it hangs, where its address does not tell it. */
  readonly parent?: string;
}

export function viewOf(
  { channels, ...everywhere }: ReplyRules,
  session: SessionId,
  { parent, verbosity }: Shown = {},
): ReplyView {
  const { platform, space, channel } = threadOf(session);
  const places = [channel, ...(parent === undefined ? [] : [parent])].map((id) =>
    [platform, space, id].join(":"),
  );
  const view = channels.reduce<ReplyView>(
    (wanted, [address, wishes]) =>
      places.some((place) => isListed([address], place)) ? { ...wanted, ...wishes } : wanted,
    everywhere,
  );
  return verbosity === undefined ? view : { ...view, verbosity };
}
