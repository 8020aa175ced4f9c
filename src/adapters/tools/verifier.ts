/** Asks a cheap model whether a goal is reached. Its answer counts only in the form that it was asked for. */

import { z } from "zod";
import { limitSignal } from "../../core/agent/abort.ts";
import { askAside, type SideCallDeps } from "../../core/agent/side-call.ts";
import type { Verdict } from "../../core/goal/verdict.ts";
import { VERIFIER_SYSTEM, verifyText } from "../../core/goal/verify.ts";
import type { ModelEvent, ModelRecord } from "../../core/ports/model.ts";
import type { Verified, Verifier } from "../../core/ports/verifier.ts";
import type { ModelCallRecord } from "../../core/round.ts";
import { specOf } from "./define.ts";

export interface VerifierOptions {
  readonly record: ModelRecord;
  /** Tools whose calls say nothing of the work. */
  readonly bookkeeping: ReadonlySet<string>;
  /** For all tries together, ms. Default 20,000. */
  readonly timeoutMs?: number;
}

/** Room for a reasoning model to think. */
const OUTPUT_TOKENS = 4_000;
const MOST_TRIES = 2;

const verdict = z.object({
  verdict: z.enum(["accept", "reject"]),
  reason: z.string().min(1).describe("One or two sentences. Of a rejection: what is missing or wrong."),
  done_when: z
    .array(
      z.object({
        line: z.int().min(1).describe("Its number."),
        holds: z.boolean(),
        why: z.string().describe("What in the record shows it, or what is missing."),
      }),
    )
    .default([])
    .describe("One for each line of done_when, if there are any."),
});

const spec = specOf({ name: "verdict", description: "Gives the verdict.", arguments: verdict });

export function createVerifier(
  deps: SideCallDeps,
  { record, bookkeeping, timeoutMs = 20_000 }: VerifierOptions,
): Verifier {
  return {
    async verify(asked, signal): Promise<Verified> {
      const limit = limitSignal(signal, deps.clock, timeoutMs);
      const calls: ModelCallRecord[] = [];
      const lines = asked.goal.doneWhen?.length ?? 0;
      let why = "it did not answer in time";
      try {
        const question = {
          purpose: "verify",
          record,
          system: VERIFIER_SYSTEM,
          asked: verifyText(asked, record.contextWindow, bookkeeping),
          tools: [spec],
          outputTokens: OUTPUT_TOKENS,
        } as const;
        for (let tried = 0; tried < MOST_TRIES && !limit.signal.aborted; tried++) {
          const { final, call } = await askAside(deps, question, limit.signal);
          calls.push(call);
          if (final.kind === "done") {
            const found = verdictIn(final, asked.as, lines);
            if (found !== undefined) return { verdict: found, calls };
            why = "its answer could not be read";
          } else if (final.kind === "failed") {
            why = `it failed (${final.error.code})`;
            if (!final.error.retryable || final.error.code === "model_rate_limited") break;
          } else why = "it did not answer in time";
        }
      } catch {
        why = "it failed";
      } finally {
        limit.close();
      }
      return { verdict: { kind: "neutral", reason: why }, calls };
    },
  };
}

type Done = Extract<ModelEvent, { kind: "done" }>;

/** Undefined for what is no verdict. A model that cannot call tools may write it as its text. */
function verdictIn(
  { calls, text, cutCall }: Done,
  as: "complete" | "blocked",
  lines: number,
): Verdict | undefined {
  const call = cutCall === true ? undefined : calls.find(({ name }) => name === spec.name);
  const parsed = verdict.safeParse(jsonIn(call?.arguments ?? text));
  if (!parsed.success) return undefined;
  const { verdict: word, reason, done_when: judged } = parsed.data;
  if (word === "accept" && as === "complete") {
    // Each line was asked for: one that was not looked at is no yes.
    const numbers = new Set(judged.map(({ line }) => line));
    for (let line = 1; line <= lines; line++) if (!numbers.has(line)) return undefined;
    const open = judged.filter(({ holds, line }) => !holds && line <= lines);
    if (open.length > 0)
      return {
        kind: "rejected",
        reason: open.map(({ line, why }) => `Line ${line} does not hold: ${why}`).join(" "),
      };
  }
  return { kind: word === "accept" ? "accepted" : "rejected", reason };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(/^\s*```(?:json)?\s*\n([\s\S]*)\n```\s*$/.exec(text)?.[1] ?? text);
  } catch {
    return undefined;
  }
}
