/**
 * The way of a message as spans: what came in, the bell, the run with its claims, the model's calls and the tools, and what was written to
 * the platform. They are made where the parts meet, after the fact; they change nothing, and hold ids and figures, and no word of anybody.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { toBobbinError } from "../../core/errors.ts";
import type { EntryBody } from "../../core/entry.ts";
import { keepNewest } from "../../core/keep-newest.ts";
import { overlaid } from "../../core/overlaid.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { ToolSpec } from "../../core/ports/model.ts";
import type { RunQueue } from "../../core/ports/run-queue.ts";
import type { Fence, RunStore } from "../../core/ports/run-store.ts";
import type { Surface, Written } from "../../core/ports/surface.ts";
import type { Frozen, ModelCallRecord, RoundRecord } from "../../core/round.ts";
import type { RunInfo } from "../../core/run.ts";
import type { Intake } from "../../core/run/intake.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { CallUsage } from "../../core/usage.ts";
import type { Place, Spans } from "./spans.ts";

/** A claim of a run that is under way in this process. */
interface Attempt {
  readonly run: RunInfo;
  readonly place: Place;
  readonly from: number;
  readonly isResumed: boolean;
  /** Those whose messages the run answers. */
  readonly links: Place[];
  /** Names of the tools that the model was offered; whatever else it calls is its own word. */
  readonly offered: Set<string>;
  /** When the newest reply of the model had ended, ms since 1970: its tools began then. */
  repliedAt: number;
  hasEnded: boolean;
}

export interface Observed {
  intake(intake: Intake): Intake;
  queue(queue: RunQueue, name: string): RunQueue;
  store(store: RunStore): RunStore;
  surface(surface: Surface, session: SessionId): Surface;
}

/** Claims that are kept in mind at most; whoever never says how it left is replaced by the next claim of its thread. */
const MOST = 5_000;
/** Lists of tools. */
const MOST_LISTS = 100;

export function createObserved(spans: Spans, clock: Clock): Observed {
  const coming = new AsyncLocalStorage<Place>();
  const attempts = new Map<SessionId, Attempt>();
  const namesIn = toolNames();
  const ofThread = (session: SessionId) => ({
    "bobbin.platform": threadOf(session).platform,
    "bobbin.session": session,
  });
  const attemptOf = ({ session, run }: Fence): Attempt | undefined => {
    const known = attempts.get(session);
    return known?.run.id === run ? known : undefined;
  };

  function emitCall(call: ModelCallRecord, { place }: Attempt): void {
    const to = call.startedAt + call.durationMs;
    spans.emit({
      name: `chat ${call.model}`,
      place: spans.within(place),
      parent: place,
      kind: "client",
      from: call.startedAt,
      to,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": call.model,
        "bobbin.round": call.round,
        "bobbin.outcome": call.outcome,
        ...(call.purpose === undefined ? {} : { "bobbin.purpose": call.purpose }),
        ...tokensOf(call.usage),
      },
      error: call.outcome === "failed" ? (call.error ?? "failed") : undefined,
    });
  }

  function emitTools(entries: readonly EntryBody[], { place, repliedAt, offered }: Attempt): void {
    for (const entry of entries) {
      if (entry.kind !== "tool") continue;
      const name = offered.has(entry.name) ? entry.name : "unknown";
      spans.emit({
        name: `execute_tool ${name}`,
        place: spans.within(place),
        parent: place,
        from: repliedAt,
        to: repliedAt + (entry.durationMs ?? 0),
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.call.id": entry.call,
        },
        error: entry.ok ? undefined : "tool_error",
      });
    }
  }

  function emitRound(
    fence: Fence,
    round: Pick<RoundRecord, "modelCalls" | "entries"> | undefined,
    others: readonly ModelCallRecord[] = [],
  ): void {
    const attempt = attemptOf(fence);
    if (attempt === undefined) return;
    for (const call of [...(round?.modelCalls ?? []), ...others]) {
      emitCall(call, attempt);
      for (const name of namesIn(call)) attempt.offered.add(name);
      attempt.repliedAt = Math.max(attempt.repliedAt, call.startedAt + call.durationMs);
    }
    emitTools(round?.entries ?? [], attempt);
  }

  function emitAttempt(fence: Fence, how: string): void {
    const attempt = attemptOf(fence);
    if (attempt === undefined || attempt.hasEnded) return;
    attempt.hasEnded = true;
    spans.emit({
      name: "attempt",
      place: attempt.place,
      parent: spans.placeOf("run", attempt.run.id),
      from: attempt.from,
      to: clock.now(),
      attributes: {
        ...ofThread(fence.session),
        "bobbin.run": fence.run,
        "bobbin.fence": fence.number,
        "bobbin.resumed": attempt.isResumed,
        "bobbin.attempt.how": how,
      },
      error: how === "crashed" || how === "lost" ? how : undefined,
    });
  }

  return {
    intake: (intake) => ({
      async receive(inbound, put) {
        const first = spans.placeOf("inbound", inbound.id);
        const from = clock.now();
        const emit = (outcome: string, error?: string): void =>
          spans.emit({
            name: "inbound",
            // The same may be delivered again.
            ...(outcome === "stored" ? { place: first } : { place: spans.within(first), parent: first }),
            kind: "consumer",
            from,
            to: clock.now(),
            attributes: {
              ...ofThread(inbound.session),
              "bobbin.inbound.kind": inbound.kind,
              "bobbin.outcome": outcome,
            },
            error,
          });
        try {
          const receipt = await coming.run(first, () => intake.receive(inbound, put));
          emit(receipt.kind);
          return receipt;
        } catch (error) {
          emit("not_stored", toBobbinError(error).code);
          throw error;
        }
      },
    }),
    queue: (queue, name) => ({
      ...queue,
      async wake(session) {
        const parent = coming.getStore();
        if (parent === undefined) return queue.wake(session);
        const from = clock.now();
        const emit = (error?: string): void =>
          spans.emit({
            name: "wake",
            place: spans.within(parent),
            parent,
            kind: "producer",
            from,
            to: clock.now(),
            attributes: { ...ofThread(session), "messaging.destination.name": name },
            error,
          });
        try {
          await queue.wake(session);
          emit();
        } catch (error) {
          emit(toBobbinError(error).code);
          throw error;
        }
      },
    }),
    store: (store) =>
      overlaid<RunStore>(store, {
        async open(session, worker, goals) {
          const from = clock.now();
          const opened = await store.open(session, worker, goals);
          if (opened.kind === "nothing") return opened;
          const { run } = opened;
          const entries = opened.kind === "run" ? opened.tail : opened.entries;
          const attempt: Attempt = {
            run,
            place: spans.within(spans.placeOf("run", run.id)),
            from,
            isResumed: opened.kind === "settle" || opened.resumed,
            offered: new Set(
              opened.kind === "run" && opened.frozen !== undefined ? namesIn(opened.frozen) : [],
            ),
            links: entries.flatMap((entry) => (entry.run === run.id ? linkOf(entry.body) : [])),
            repliedAt: from,
            hasEnded: false,
          };
          keepNewest(attempts, session, attempt, MOST);
          return opened;
        },
        async commitRound(fence, round, frozen) {
          const committed = await store.commitRound(fence, round, frozen);
          emitRound(fence, round);
          attemptOf(fence)?.links.push(...committed.steered.flatMap(({ body }) => linkOf(body)));
          return committed;
        },
        async end(fence, ending, frozen) {
          const ended = await store.end(fence, ending, frozen);
          if (ended.kind === "stopped") return ended;
          emitRound(fence, ending.round, ending.modelCalls);
          const attempt = attemptOf(fence);
          if (ended.kind === "steered")
            attempt?.links.push(...ended.steered.flatMap(({ body }) => linkOf(body)));
          if (ended.kind !== "ended" || attempt === undefined) return ended;
          emitAttempt(fence, "ended");
          spans.emit({
            name: "run",
            place: spans.placeOf("run", fence.run),
            links: attempt.links,
            from: attempt.run.startedAt,
            to: clock.now(),
            attributes: {
              ...ofThread(fence.session),
              "bobbin.run": fence.run,
              "bobbin.cause": attempt.run.cause,
              "bobbin.end.reason": ending.reason,
            },
            error: ending.error?.code,
          });
          return ended;
        },
        async settled(fence, laidOut) {
          await store.settled(fence, laidOut);
          emitAttempt(fence, "settled");
          if (attemptOf(fence) !== undefined) attempts.delete(fence.session);
        },
        async leave(fence, how) {
          await store.leave(fence, how);
          emitAttempt(fence, how);
          if (attemptOf(fence) !== undefined) attempts.delete(fence.session);
        },
      }),
    surface(surface, session) {
      const written = async (what: string, writing: Promise<Written>): Promise<Written> => {
        const parent = attempts.get(session)?.place;
        const from = clock.now();
        const result = await writing;
        // What is not of a run (a goal's card) is in no trace.
        if (parent !== undefined)
          spans.emit({
            name: `platform ${what}`,
            place: spans.within(parent),
            parent,
            kind: "client",
            from,
            to: clock.now(),
            attributes: { ...ofThread(session), "bobbin.outcome": result.kind },
            error: result.kind === "unknown" || result.kind === "refused" ? result.kind : undefined,
          });
        return result;
      };
      return overlaid(surface, {
        post: (...args: Parameters<Surface["post"]>) => written("post", surface.post(...args)),
        edit: (...args: Parameters<Surface["edit"]>) => written("edit", surface.edit(...args)),
        remove: (...args: Parameters<Surface["remove"]>) => written("remove", surface.remove(...args)),
      });
    },
  };

  function linkOf(body: EntryBody): Place[] {
    return body.kind === "user" && body.inbound !== undefined ? [spans.placeOf("inbound", body.inbound)] : [];
  }
}

/** Reads each list of tools once: it is the same in most runs. */
function toolNames(): (frozen: Pick<Frozen, "tools">) => readonly string[] {
  const read = new Map<string, readonly string[]>();
  return ({ tools: { hash, text } }) => {
    const known = read.get(hash);
    if (known !== undefined) return known;
    const names = (JSON.parse(text) as readonly ToolSpec[]).map(({ name }) => name);
    keepNewest(read, hash, names, MOST_LISTS);
    return names;
  };
}

/** Summed over the tries; absent where none reported it. */
function tokensOf(usage: readonly CallUsage[]): Record<string, number> {
  const sum = (
    ...kinds: readonly ("input" | "cacheRead" | "cacheWrite" | "output" | "reasoning")[]
  ): number | undefined => {
    const told = usage.flatMap((each) => kinds.flatMap((kind) => each[kind] ?? []));
    return told.length === 0 ? undefined : told.reduce((all, n) => all + n, 0);
  };
  const told = {
    // As the conventions count them: what came from the cache is among what was read.
    "gen_ai.usage.input_tokens": sum("input", "cacheRead", "cacheWrite"),
    "gen_ai.usage.output_tokens": sum("output", "reasoning"),
    "gen_ai.usage.cache_read.input_tokens": sum("cacheRead"),
  };
  return Object.fromEntries(Object.entries(told).filter(([, n]) => n !== undefined)) as Record<
    string,
    number
  >;
}
