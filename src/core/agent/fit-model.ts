/** One request of as much of the conversation as the model takes: one that is refused as too long is made again with less of it. */

import { afterRefusal, afterReport, gaugeFor, type Counted, type Refused } from "../context/gauge.ts";
import type { RequestOptions } from "../context/request.ts";
import type { ModelCallRecord } from "../round.ts";
import type { RunState } from "./run-state.ts";
import type { Shown } from "./shown-text.ts";
import { isTooLong, tryModel, type Tried } from "./try-model.ts";

/** How often: with an eighth of what was refused something else is wrong. */
const REFITS = 3;

/**
 * What is learnt stands in `state.learnt`, also where the last try was refused: the next message goes on from there. A reply that is
 * continued is not asked for with less: it stands in no entry yet, and would have to be left out itself. Nor is one with the larger cap:
 * the conversation was taken with the first one, so it is not what is too long.
 */
export async function tryFitting(
  state: RunState,
  round: number,
  options: RequestOptions,
  base: Shown,
  records: ModelCallRecord[],
): Promise<Tried> {
  const { model } = state.profile;
  const { learnt } = state;
  let refused: Refused | undefined;
  for (let refits = 0; ; refits++) {
    const gauge = gaugeFor(model, learnt);
    const { scale, share } = gauge;
    const asking = { ...options, fitting: { scale, share } };
    const { tried, sent, reported } = await tryModel(state, round, asking, base, records);
    if (sent === undefined) return tried;
    if (tried.kind === "done" && reported !== undefined) {
      const counted: Counted = {
        get estimated() {
          return sent.estimated;
        },
        reported,
      };
      const after = afterReport(model, gauge, counted, refused);
      if (after !== gauge) learnt.gauge = after;
    }
    if (!isTooLong(tried) || options.continued !== undefined || options.cap === "larger") return tried;
    const smaller = afterRefusal(gauge, sent.used);
    if (smaller === undefined) return tried;
    refused = { estimated: sent.estimated, before: refused?.before ?? gauge };
    learnt.gauge = smaller;
    if (refits === REFITS) return tried;
    const why = "the request was too long for the model";
    state.hooks.emit({ kind: "round", round, state: "again", why });
  }
}
