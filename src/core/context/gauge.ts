/**
 * What a session has learnt of how much its model takes. Our count of tokens is a guess, and so is the window of a model that nobody
 * listed: what the provider reports sets the one right, what it refuses the other. Pure.
 */

import type { ModelRecord } from "../ports/model.ts";
import { AS_COUNTED, outputRoom } from "./budget.ts";

export interface Gauge {
  /** Of which model, with which window: of another one nothing is known. */
  readonly model: string;
  readonly window: number;
  /** Tokens of the provider's to one that we count, in eighths. 1 until it has reported. */
  readonly scale: number;
  /** How much of the input budget is used: 1, and half of what was refused where the scale does not explain it. */
  readonly share: number;
}

/** Where a session keeps it from run to run; the loop puts a newer one in its place. */
export interface Learnt {
  gauge?: Gauge;
}

/** What a provider counted of a request that it took. */
export interface Counted {
  /** Tokens of all of it, as we count. */
  readonly estimated: number;
  /** What it reported. */
  readonly reported: number;
}

/** The newest request that it refused before that, and the gauge before the first one. */
export interface Refused {
  readonly estimated: number;
  readonly before: Gauge;
}

const STEP = 1 / 8;
/** A provider that counts less by so much may count only what its cache did not have. */
const LEAST_SCALE = 0.75;
const LARGEST_SCALE = 8;
/** It has to be so much smaller: each change moves the start of the request, and what the provider has in its cache is lost. */
const SMALLER_BY = 0.75;
const LEAST_SHARE = 1 / 64;
/** Of the window: below it the scale is that of the provider's own frame, and of no matter. */
const TELLING = 1 / 8;

export function gaugeFor(model: ModelRecord, { gauge }: Learnt): Gauge {
  const { name, contextWindow: window } = model;
  if (gauge !== undefined && gauge.model === name && gauge.window === window) return gauge;
  return { model: name, window, ...AS_COUNTED };
}

/**
 * Half of what was refused. Undefined where that is as good as nothing: then the length of the conversation is not what is wrong.
 * @param used how much of the input budget the entries of the request took.
 */
export function afterRefusal(gauge: Gauge, used: number): Gauge | undefined {
  const share = Math.min(gauge.share, used) / 2;
  return share < LEAST_SHARE ? undefined : { ...gauge, share };
}

/** The same object where nothing is learnt from it. */
export function afterReport(model: ModelRecord, gauge: Gauge, counted: Counted, refused?: Refused): Gauge {
  const { reported } = counted;
  if (!(reported > 0) || (refused === undefined && reported < gauge.window * TELLING)) return gauge;
  const { estimated } = counted;
  if (!(estimated > 0)) return gauge;
  const ratio = reported / estimated;
  // Its signs were dearer than we took them for; a window that is smaller than it was said to be stays so.
  const isExplained = refused !== undefined && refused.estimated * ratio > gauge.window - outputRoom(model);
  const scale = scaleAfter(gauge.scale, ratio);
  const share = isExplained ? refused.before.share : gauge.share;
  return scale === gauge.scale && share === gauge.share ? gauge : { ...gauge, scale, share };
}

/** Larger at once, smaller only by much. */
function scaleAfter(scale: number, ratio: number): number {
  const needed = Math.min(LARGEST_SCALE, Math.max(LEAST_SCALE, Math.ceil(ratio / STEP) * STEP));
  return needed > scale || needed <= scale * SMALLER_BY ? needed : scale;
}
