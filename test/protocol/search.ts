// Looks at every state that can be reached, breadth first, so that what it finds wrong it finds by a shortest way.
import { flush, gateway, mute, person, stop, sweep, timeouts } from "./people.ts";
import type { Rules } from "./rules.ts";
import { initialState, keyOf, type Setting, type State, type WorkerId } from "./state.ts";
import type { Step } from "./step.ts";
import { lateWrites, mayFollow, trouble, work } from "./worker.ts";

export interface Found {
  readonly wrong: string;
  /** The steps that lead there. */
  readonly trace: readonly string[];
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** Of the shortest ways to them, the longest. */
  readonly depth: number;
  readonly found?: Found;
}

const WORKERS: readonly WorkerId[] = [0, 1];

/** What happens by itself sooner or later. */
function* steps(state: State, setting: Setting, rules: Rules): Generator<Step> {
  yield* person(state, setting, rules);
  yield* stop(state, rules);
  yield* sweep(state, rules);
  yield* timeouts(state, rules);
  yield* lateWrites(state, rules);
  for (const id of WORKERS) yield* work(state, id, rules);
}

/** What may happen. */
function* mishaps(state: State, setting: Setting, rules: Rules): Generator<Step> {
  for (const id of WORKERS) yield* mayFollow(state, id);
  if (state.faults === 0) return;
  const faults = function* (): Generator<Step> {
    for (const fault of setting.faults) {
      if (fault === "flush") yield flush(state);
      else if (fault === "mute") yield* mute(state);
      else if (fault === "gateway") yield* gateway(state, rules);
      else for (const id of WORKERS) yield* trouble(state, id, fault, rules);
    }
  };
  for (const step of faults()) {
    step.next.faults -= 1;
    yield step;
  }
}

/** All is done: everything has its fate, every reply stands there once and whole, nobody is at work and nothing waits. */
function isDone(state: State): boolean {
  return (
    state.rung === (1 << state.messages.length) - 1 &&
    state.stop === "told" &&
    state.reply === "none" &&
    state.messages.every((message) => message === "answered" || message === "cancelled") &&
    state.pages.every((page) => page === "final") &&
    state.late.length === 0 &&
    !state.isWaking &&
    state.job === "none" &&
    state.lease === "none" &&
    state.workers.every((worker) => worker.next === "take")
  );
}

/**
 * Every state, until something is wrong: a step that must not be, or a state from which, without more mishaps, no way leads to
 * where all is done.
 */
export function explore(setting: Setting, rules: Rules): Explored {
  const known = new Map<string, number>();
  const parents: number[] = [-1];
  const names: string[] = [""];
  const depths: number[] = [0];
  /** Pairs: from, to. Only steps that happen by themselves. */
  const edges: number[] = [];
  const done: number[] = [];
  const first = initialState(setting);
  known.set(keyOf(first), 0);
  let count = 0;
  const traceTo = (index: number): string[] => {
    const trace: string[] = [];
    for (let at = index; at > 0; at = parents[at] ?? 0) trace.unshift(names[at] ?? "");
    return trace;
  };
  let frontier: (readonly [State, number])[] = [[first, 0]];
  while (frontier.length > 0) {
    const later: (readonly [State, number])[] = [];
    for (const [state, from] of frontier) {
      if (isDone(state)) done.push(from);
      for (const [kind, list] of [
        ["step", steps(state, setting, rules)],
        ["mishap", mishaps(state, setting, rules)],
      ] as const) {
        for (const { name, next, wrong } of list) {
          count += 1;
          const key = keyOf(next);
          let to = known.get(key);
          if (to === undefined) {
            to = parents.length;
            known.set(key, to);
            parents.push(from);
            names.push(name);
            depths.push((depths[from] ?? 0) + 1);
            later.push([next, to]);
          }
          if (kind === "step") edges.push(from, to);
          if (wrong !== undefined) {
            return { ...sizes(), found: { wrong, trace: [...traceTo(from), name] } };
          }
        }
      }
    }
    frontier = later;
  }
  const stuck = firstThatCannotReach(done, edges, parents.length);
  if (stuck === undefined) return sizes();
  return { ...sizes(), found: { wrong: "it never comes to its end from here", trace: traceTo(stuck) } };

  function sizes(): Explored {
    return { states: parents.length, steps: count, depth: depths.at(-1) ?? 0 };
  }
}

/** Walks the edges backwards from where all is done. */
function firstThatCannotReach(
  done: readonly number[],
  edges: readonly number[],
  size: number,
): number | undefined {
  const head = new Int32Array(size).fill(-1);
  const next = new Int32Array(edges.length / 2);
  for (let edge = 0; edge < next.length; edge++) {
    const to = edges[2 * edge + 1] ?? 0;
    next[edge] = head[to] ?? -1;
    head[to] = edge;
  }
  const reaches = new Uint8Array(size);
  const stack = [...done];
  for (const index of done) reaches[index] = 1;
  for (let to = stack.pop(); to !== undefined; to = stack.pop()) {
    for (let edge = head[to] ?? -1; edge !== -1; edge = next[edge] ?? -1) {
      const from = edges[2 * edge] ?? 0;
      if (reaches[from] === 1) continue;
      reaches[from] = 1;
      stack.push(from);
    }
  }
  const stuck = reaches.indexOf(0);
  return stuck === -1 ? undefined : stuck;
}
