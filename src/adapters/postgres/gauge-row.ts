/** What a session has learnt of how much its model takes, as a claim reads it and a round writes it. */

import type { Gauge } from "../../core/context/gauge.ts";
import type { RunEnding } from "../../core/ports/run-store.ts";
import type { RoundRecord } from "../../core/round.ts";
import { fieldsOf } from "./stored-json.ts";

export interface GaugeRow {
  readonly gauge: unknown;
}

/** SQL: the column of a `GaugeRow` of the session `was`. */
export const GAUGE = "was.gauge";

/** What a later version may have stored, and this one does not know, counts as nothing learnt. */
export function toGauge({ gauge }: GaugeRow): { readonly gauge?: Gauge } {
  if (gauge === null) return {};
  const { model, window, scale, share } = fieldsOf(gauge, "gauge");
  const isKnown = typeof model === "string" && isAbove(window) && isAbove(scale) && isAbove(share);
  return isKnown ? { gauge: { model, window, scale, share } } : {};
}

/** The parameters for `holding`: one, or none where nothing new was learnt. */
export const gaugeValues = ({ gauge }: Pick<RoundRecord | RunEnding, "gauge">): readonly string[] =>
  gauge === undefined ? [] : [JSON.stringify(gauge)];

function isAbove(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}
