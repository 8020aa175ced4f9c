/**
 * Names new threads: a cheap model is asked beside the first run, which waits for nothing of it. It is asked once for a thread, and where
 * nothing comes of it the first words stay what the thread is called.
 */

import { limitSignal } from "../agent/abort.ts";
import { askAside, type SideCallDeps } from "../agent/side-call.ts";
import type { Entry } from "../entry.ts";
import { pause } from "../pause.ts";
import type { Log } from "../ports/log.ts";
import type { ModelRecord } from "../ports/model.ts";
import type { Opened } from "../ports/run-store.ts";
import type { Surface } from "../ports/surface.ts";
import type { Titles } from "../ports/titles.ts";
import { isBlank } from "../text.ts";
import type { SessionId } from "../thread.ts";
import type { CallUsage } from "../usage.ts";
import { TITLE_SYSTEM, titleIn, titleQuestion } from "./title-text.ts";

export interface TitlerDeps extends SideCallDeps {
  readonly titles: Titles;
  readonly log: Log;
  surfaceOf(session: SessionId): Surface;
}

export interface TitlerOptions {
  readonly record: ModelRecord;
  /** Default 5,000. */
  readonly timeoutMs?: number;
}

export interface Titler {
  /**
   * Never throws and never waits.
   * @param spent hears what it took, once that is known.
   */
  begin(claimed: Extract<Opened, { readonly kind: "run" }>, spent: (usage: CallUsage) => void): void;
  /** Asks for nothing any more; resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** A note may stand before what a person said first. */
const FIRST_SEQS = 3;
/** Room for a reasoning model to think. */
const OUTPUT_TOKENS = 1_000;
/** A place may come into being with the first words of the answer. */
const RENAME_TRIES = 4;
const RENAME_AGAIN_MS = 2_000;

export function createTitler(deps: TitlerDeps, { record, timeoutMs = 5_000 }: TitlerOptions): Titler {
  const { clock, titles } = deps;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  async function name(
    { run, fence }: Extract<Opened, { readonly kind: "run" }>,
    said: string,
    spent: (usage: CallUsage) => void,
  ): Promise<void> {
    const limit = limitSignal(stopping.signal, clock, timeoutMs);
    const question = {
      purpose: "title",
      record,
      system: TITLE_SYSTEM,
      asked: titleQuestion(said),
      tools: [],
      outputTokens: OUTPUT_TOKENS,
    } as const;
    const { final, call } = await askAside(deps, question, limit.signal).finally(() => limit.close());
    for (const usage of call.usage) spent(usage);
    const title = final.kind === "done" ? titleIn(final.text) : undefined;
    if (title === undefined)
      deps.log.info("no title came for a thread: it is called by its first words", {
        session: run.session,
        outcome: call.outcome,
        error: call.error,
      });
    if (!(await titles.give(fence, run.epoch, call, title)) || title === undefined) return;
    const surface = deps.surfaceOf(run.session);
    for (let tries = 0; tries < RENAME_TRIES; tries++) {
      if ((await surface.rename?.(title)) !== false) return;
      if (!(await pause(clock, RENAME_AGAIN_MS, stopping.signal))) return;
    }
  }

  return {
    begin(claimed, spent) {
      if (stopping.signal.aborted) return;
      const said = firstSaid(claimed);
      if (said === undefined) return;
      const work = name(claimed, said, spent)
        .catch((error: unknown) =>
          deps.log.warn("a thread could not be named", { session: claimed.run.session, error }),
        )
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}

/** What the thread begins with, where this is the first attempt of its first run. */
function firstSaid({
  run,
  tail,
  resumed,
  stopped,
}: Extract<Opened, { readonly kind: "run" }>): string | undefined {
  if (resumed || stopped || run.cause !== "message") return undefined;
  const isOfOthers = (entry: Entry): boolean => entry.run !== undefined && entry.run !== run.id;
  if (tail.some(isOfOthers) || (tail[0]?.seq ?? Infinity) > FIRST_SEQS) return undefined;
  const words = tail.flatMap(({ body }) =>
    body.kind === "user" ? body.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])) : [],
  );
  const text = words.join("\n").trim();
  return isBlank(text) ? undefined : text;
}
