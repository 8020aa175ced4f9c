/** What a process counts of its own work, by the names under which Prometheus finds it. */

import { Counter, Histogram, type Registry } from "prom-client";

/** Seconds, for what people wait for. */
const WAITED = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];
/** Seconds, for what is done in between. */
const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15];

export type Instruments = ReturnType<typeof createInstruments>;

export function createInstruments(registry: Registry) {
  const registers = [registry];
  return {
    inbounds: new Counter({
      name: "bobbin_inbounds_total",
      help: "What came in from people, by what became of it at the way in.",
      labelNames: ["platform", "kind", "outcome"],
      registers,
    }),
    intake: new Histogram({
      name: "bobbin_intake_seconds",
      help: "From the arrival of an inbound until it is stored and may be acknowledged.",
      labelNames: ["platform"],
      buckets: SHORT,
      registers,
    }),
    attempts: new Counter({
      name: "bobbin_attempts_total",
      help: "Claims of runs, and how attempts left that did not end their run.",
      labelNames: ["how"],
      registers,
    }),
    runs: new Counter({
      name: "bobbin_runs_ended_total",
      help: "Runs that ended, by their end reason and what they were begun by.",
      labelNames: ["platform", "cause", "reason"],
      registers,
    }),
    runErrors: new Counter({
      name: "bobbin_run_errors_total",
      help: "Runs that ended with an error, by its code.",
      labelNames: ["code"],
      registers,
    }),
    runTime: new Histogram({
      name: "bobbin_run_seconds",
      help: "From the first claim of a run to its end, with all its attempts.",
      labelNames: ["platform", "cause"],
      buckets: WAITED,
      registers,
    }),
    modelCalls: new Counter({
      name: "bobbin_model_calls_total",
      help: "Calls of the model as they were stored, with all their tries.",
      labelNames: ["model", "outcome"],
      registers,
    }),
    modelTime: new Histogram({
      name: "bobbin_model_call_seconds",
      help: "How long a call of the model took, with all its tries.",
      labelNames: ["model"],
      buckets: WAITED,
      registers,
    }),
    firstToken: new Histogram({
      name: "bobbin_model_first_token_seconds",
      help: "From the request to the model's first token, of the tries that said so.",
      labelNames: ["model"],
      buckets: WAITED,
      registers,
    }),
    tokens: new Counter({
      name: "bobbin_model_tokens_total",
      help: "Tokens that the provider counted: input, cache_read, cache_write, output, reasoning.",
      labelNames: ["model", "kind"],
      registers,
    }),
    cost: new Counter({
      name: "bobbin_model_cost_dollars_total",
      help: "US dollars, where the provider says what a call cost.",
      labelNames: ["model"],
      registers,
    }),
    pageWrites: new Counter({
      name: "bobbin_page_writes_total",
      help: "Writes of replies to a platform: post, edit, remove, and what came of each.",
      labelNames: ["platform", "write", "outcome"],
      registers,
    }),
    logLines: new Counter({
      name: "bobbin_log_lines_total",
      help: "Lines of the log that warn or tell of an error.",
      labelNames: ["level"],
      registers,
    }),
  };
}
