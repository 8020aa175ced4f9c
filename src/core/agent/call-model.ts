/** One complete reply: a model call, and more of them where the reply was cut by its length limit. */

import { largerCap, outputRoom } from "../context/budget.ts";
import type { ToolCall } from "../entry.ts";
import type { BobbinError } from "../errors.ts";
import type { ImagePart } from "../part.ts";
import type { ModelCallRecord } from "../round.ts";
import { isBlank } from "../text.ts";
import { tryFitting } from "./fit-model.ts";
import type { RunState } from "./run-state.ts";
import { createShownReply, type Shown } from "./shown-text.ts";
import { isTooLong, type Tried } from "./try-model.ts";

export interface Reply {
  readonly kind: "reply";
  readonly text: string;
  readonly images: readonly ImagePart[];
  readonly calls: readonly ToolCall[];
  readonly reasoning?: string;
  /** Still cut after all tries. */
  readonly isCut: boolean;
  /** The last call was cut in its arguments and must not run. */
  readonly hasCutCall: boolean;
  /** The provider held it back, or the rest of it. */
  readonly isFiltered: boolean;
  readonly records: readonly ModelCallRecord[];
}

export type ModelAnswer =
  | Reply
  | {
      readonly kind: "failed";
      readonly error: BobbinError;
      readonly reason: "error" | "timeout";
      /** What people have seen of the reply; so for `aborted`. */
      readonly shown: Shown;
      readonly records: readonly ModelCallRecord[];
    }
  /** The run's signal was aborted. */
  | { readonly kind: "aborted"; readonly shown: Shown; readonly records: readonly ModelCallRecord[] };

/** How often a reply that was cut twice is continued. */
const CONTINUATIONS = 3;

/**
 * A reply that its length limit cut is asked for once more with the larger cap, from the same history. What is cut then too
 * is continued at most three times; the pieces are one reply. Where the window has no room for the larger cap, the first reply is shown
 * again and goes on so. A reply with calls is not continued: they are what it was for.
 */
export async function callModel(state: RunState, round: number): Promise<ModelAnswer> {
  const records: ModelCallRecord[] = [];
  const { model } = state.profile;
  let base: Shown = { text: "", images: [] };
  let cap: "first" | "larger" = "larger";
  let tried = await tryFitting(state, round, {}, base, records);
  if (isCut(tried) && largerCap(model) > outputRoom(model)) {
    const why = "the reply was cut by its length limit";
    state.hooks.emit({ kind: "round", round, state: "again", why });
    const larger = await tryFitting(state, round, { cap }, base, records);
    if (isTooLong(larger)) {
      cap = "first";
      const draft = createShownReply(round, tried.whole, (event) => state.hooks.emit(event));
      draft.again("the model has no room for a longer reply");
    } else tried = larger;
  }
  for (let more = 0; more < CONTINUATIONS && canGoOn(tried); more++) {
    base = joined(base, tried.whole);
    tried = await tryFitting(state, round, { cap, continued: base.text }, base, records);
  }
  return answerOf(hasOutgrown(tried, base) ? cutThere : tried, base, records);
}

/** A reply too long to be shown to the model again is not lost: it ends where it was cut. */
function hasOutgrown(tried: Tried, base: Shown): boolean {
  return isTooLong(tried) && base.text !== "";
}

const cutThere: Tried = {
  kind: "done",
  whole: { text: "", images: [] },
  calls: [],
  finish: "length",
  hasCutCall: false,
};

function answerOf(tried: Tried, base: Shown, records: readonly ModelCallRecord[]): ModelAnswer {
  switch (tried.kind) {
    case "failed":
      return {
        kind: "failed",
        error: tried.error,
        reason: tried.reason,
        shown: joined(base, tried.shown),
        records,
      };
    case "aborted":
      return { kind: "aborted", shown: joined(base, tried.shown), records };
    case "done": {
      const { calls, reasoning, finish, hasCutCall } = tried;
      return {
        kind: "reply",
        ...joined(base, tried.whole),
        calls,
        ...(reasoning === undefined ? {} : { reasoning }),
        isCut: finish === "length",
        hasCutCall,
        isFiltered: finish === "filtered",
        records,
      };
    }
    default:
      return tried satisfies never;
  }
}

type Done = Extract<Tried, { kind: "done" }>;

function isCut(tried: Tried): tried is Done {
  return tried.kind === "done" && tried.finish === "length";
}

function canGoOn(tried: Tried): tried is Done {
  return isCut(tried) && tried.calls.length === 0 && !isBlank(tried.whole.text);
}

function joined(base: Shown, more: Shown): Shown {
  return { text: base.text + more.text, images: [...base.images, ...more.images] };
}
