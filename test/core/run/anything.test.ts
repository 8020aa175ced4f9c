// Whatever happens to a thread in whatever order: what people said has one fate, what was answered is shown once and whole.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../../src/core/entry.ts";
import type { MessageInbound } from "../../../src/core/inbound.ts";
import { tool } from "../../support/agent-library.ts";
import { storeAway, type When } from "../../support/moments.ts";
import { RunBench, type BenchWorker } from "../../support/run-bench.ts";
import { calls, computed, fails, later, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();

const STEPS = [
  "open",
  "freeze",
  "commitCalls",
  "commitRound",
  "end",
  "settled",
  "leave",
  "isStopped",
  "putPage",
  "write",
  "final",
] as const;
const COMMANDS = ["stop", "reset", "retry"] as const;
const BLOWS = ["die", "leave", "lose", "lose silently"] as const;
type Plain = { readonly kind: "say" | (typeof COMMANDS)[number] | (typeof BLOWS)[number] };
type Happening =
  | Plain
  | { readonly kind: "serve" | "time passes" }
  | { readonly kind: "edit" | "delete"; readonly which: number }
  /** At the next such step of a run. */
  | {
      readonly kind: "then";
      readonly step: (typeof STEPS)[number];
      readonly when: When;
      readonly what: Plain | "the store is away";
    }
  | { readonly kind: "platform"; readonly reaction: "landed" | "lost" | "later" };
type Behaviour = "answers" | "reads" | "writes" | "fails" | "waits" | "says nothing";

const plain = fc.constantFrom("say" as const, ...COMMANDS, ...BLOWS).map((kind): Plain => ({ kind }));
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Happening>({ kind: "say" }) },
  { weight: 4, arbitrary: fc.constantFrom<Happening>({ kind: "serve" }, { kind: "time passes" }) },
  { weight: 4, arbitrary: plain },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("edit", "delete"), which: fc.nat(5) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("then"),
      step: fc.constantFrom(...STEPS),
      when: fc.constantFrom("before", "after"),
      what: fc.oneof(
        { weight: 1, arbitrary: fc.constant("the store is away" as const) },
        { weight: 2, arbitrary: plain },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("platform"),
      reaction: fc.constantFrom("landed", "lost", "later"),
    }),
  },
);
const behaviour = fc.constantFrom<Behaviour>(
  "answers",
  "answers",
  "reads",
  "writes",
  "fails",
  "waits",
  "says nothing",
);

class World {
  readonly bench: RunBench;
  readonly writesOf = new Map<string, number>();
  readonly #said: { readonly said: MessageInbound; readonly number: number }[] = [];
  /** Of each word: how many resets were surely before it, and how many at most. */
  readonly spans = new Map<string, { readonly from: number; readonly to: number }>();
  /** How many attempts may at most have ended without a word. */
  crashes = 0;
  #count = 0;
  #resetsBegun = 0;
  #resetsDone = 0;
  readonly #release = Promise.withResolvers<void>();
  readonly #live = new Map<BenchWorker, Promise<unknown>>();

  constructor(behaviours: readonly Behaviour[]) {
    let asked = 0;
    const step = computed(() => {
      const call = ++asked;
      return this.#play(behaviours[call - 1] ?? "answers", call);
    });
    const write = tool(
      "write",
      async (_, { call }) => void this.writesOf.set(call, (this.writesOf.get(call) ?? 0) + 1),
      { effect: "write" },
    );
    this.bench = new RunBench(
      backend.sql(),
      Array.from({ length: 200 }, () => step),
      { tools: [tool("read", "seen"), write] },
    );
  }

  #play(how: Behaviour, call: number): ScriptedStep {
    switch (how) {
      case "answers":
        return reply({ deltas: ["answer ", `number ${call}`] });
      case "reads":
        return calls([`r${call}`, "read", { call }]);
      case "writes":
        return calls([`w${call}`, "write", { call }]);
      case "fails":
        return fails("model_unavailable", "half a ");
      case "waits":
        return later(this.#release.promise, reply(`late answer ${call}`));
      case "says nothing":
        return reply("");
      default:
        return how satisfies never;
    }
  }

  async play(what: Happening): Promise<void> {
    const { bench } = this;
    switch (what.kind) {
      case "say": {
        const number = ++this.#count;
        const from = this.#resetsDone;
        const said = await bench.say(`m${number}.`, { id: `U${number % 2}`, name: "Ana" });
        this.#said.push({ said, number });
        this.spans.set(`m${number}.`, { from, to: this.#resetsBegun });
        return;
      }
      case "stop":
      case "retry":
        await bench.command(what.kind);
        return;
      case "reset":
        this.#resetsBegun++;
        await bench.command("reset");
        this.#resetsDone++;
        return;
      case "edit":
      case "delete": {
        const target = this.#said[what.which];
        if (target === undefined) return;
        const { said, number } = target;
        await (what.kind === "edit" ? bench.edit(said, `m${number}. edited`) : bench.remove(said));
        return;
      }
      case "serve": {
        const worker = bench.worker();
        const served = worker.serve().catch(() => {});
        this.#live.set(
          worker,
          served.finally(() => this.#live.delete(worker)),
        );
        return;
      }
      case "die":
        this.crashes += this.#live.size;
        for (const worker of this.#live.keys()) worker.die();
        this.#live.clear();
        return;
      case "leave":
        for (const worker of this.#live.keys()) worker.leave();
        return;
      case "lose":
        bench.locker.lose(bench.key);
        return;
      case "lose silently":
        bench.locker.loseSilently(bench.key);
        return;
      case "time passes":
        await bench.clock.advance(600);
        return;
      case "then": {
        const { step, when, what: act } = what;
        // A platform does not throw.
        if (act === "the store is away" && (step === "write" || step === "final")) return;
        bench.moments.at(step, when, () => {
          if (act !== "the store is away") return this.play(act);
          if (step === "leave" || (step === "open" && when === "after")) this.crashes++;
          return storeAway();
        });
        return;
      }
      case "platform":
        bench.thread.reactions.push(
          what.reaction === "later"
            ? { kind: "later", waitMs: 700 }
            : { kind: "unknown", landed: what.reaction === "landed" },
        );
        return;
      default:
        what satisfies never;
    }
  }

  /** All is well again: what is under way ends, and what is left is done. */
  async settle(): Promise<void> {
    this.bench.moments.clear();
    this.#release.resolve();
    await this.bench.passes(Promise.all(this.#live.values()));
    await this.bench.passes(this.bench.rest());
  }
}

/** The things that must hold, as what is wrong with them. */
async function wrongs(world: World): Promise<string[]> {
  const { bench } = world;
  const { transcripts } = bench.stores;
  const [runs, entries, inbounds] = await Promise.all([
    transcripts.runs(bench.session),
    transcripts.entries(bench.session),
    transcripts.inbounds(bench.session),
  ]);
  const wrong = await bench.problems();
  for (const run of runs) {
    const pages = bench.thread.messages.filter(({ key, isDeleted }) => key.startsWith(run.id) && !isDeleted);
    if (pages.some(({ page }) => page.status !== undefined)) wrong.push(`still at work: ${run.id}`);
    if (run.outcome?.error?.code === "panic") wrong.push(`a fault of ours: ${run.outcome.error.message}`);
    const own = entries.filter((entry) => entry.run === run.id && entry.body.kind !== "note");
    const isAnswer = (entry?: Entry): boolean =>
      entry?.body.kind === "assistant" && entry.body.calls.length === 0;
    if (own.some((entry, at) => isAnswer(entry) && isAnswer(own[at + 1])))
      wrong.push(`answered twice: ${run.id}`);
    if (run.outcome?.reason !== "stop") continue;
    const texts = entries.flatMap(({ run: of, body }) =>
      of === run.id && body.kind === "assistant" && body.text !== "" ? [body.text] : [],
    );
    const whole =
      texts.length === 0
        ? "The model gave an empty answer. Please ask again, perhaps in other words."
        : texts.join("\n\n");
    const shown = pages.map(({ page }) => page.markdown);
    if (shown.length !== 1 || shown[0] !== whole)
      wrong.push(`shown ${JSON.stringify(shown)} for ${JSON.stringify(whole)}`);
  }
  for (const [call, count] of world.writesOf) if (count > 1) wrong.push(`${call} wrote ${count} times`);
  const taken = entries.flatMap(({ body }) => (body.kind === "user" ? [body.inbound] : []));
  if (new Set(taken).size !== taken.length) wrong.push("taken in twice");
  for (const [index, { messages }] of bench.model.requests.entries()) {
    const words = [...new Set(JSON.stringify(messages).match(/m\d+\./g))];
    const spans = words.flatMap((word) => world.spans.get(word) ?? []);
    if (Math.max(...spans.map(({ from }) => from)) > Math.min(...spans.map(({ to }) => to))) {
      wrong.push(`request ${index + 1} looks behind a reset: ${words.join(" ")}`);
    }
  }
  const crashed = runs
    .flatMap(({ attempts }) => attempts)
    .filter(({ ended }) => ended === "crashed" || ended === undefined);
  if (crashed.length > world.crashes)
    wrong.push(`${crashed.length} crashes where at most ${world.crashes} were`);
  for (const { inbound, fate, run } of inbounds) {
    const outcome = runs.find(({ id }) => id === run)?.outcome?.reason;
    const isSuccess = outcome === "stop";
    if (inbound.kind !== "message" || fate === undefined || outcome === undefined) continue;
    if (isSuccess !== (fate === "answered" || fate === "steered"))
      wrong.push(`${fate} in a run that ended: ${outcome}`);
  }
  return wrong;
}

test("each inbound has one fate, each answer is shown once and whole, each request is valid, no effect happens twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(happening, { minLength: 1, maxLength: 3 }), { maxLength: 10 }),
      fc.array(behaviour, { maxLength: 12 }),
      async (bursts, behaviours) => {
        const world = new World(behaviours);
        await world.play({ kind: "say" });
        await world.play({ kind: "serve" });
        for (const burst of bursts) {
          await Promise.all(burst.map((one) => world.play(one)));
          // What was begun gets somewhere, and not always to the same place.
          await world.bench.clock.advance(0);
        }
        await world.settle();
        expect(await wrongs(world)).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

test("the same where each thing happens when a run has come to rest or waits for its model", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { maxLength: 14 }),
      fc.array(behaviour, { maxLength: 14 }),
      async (list, behaviours) => {
        const world = new World(behaviours);
        for (const one of list) {
          await world.play({ kind: "say" });
          await world.play({ kind: "serve" });
          const { bench } = world;
          const waitsOrRests = async (): Promise<boolean> => {
            await bench.clock.advance(100);
            return bench.model.streaming > 0 || !bench.locker.isHeld(bench.key);
          };
          await until(waitsOrRests, { what: "it waits or rests", everyMs: 1 });
          await world.play(one);
        }
        await world.settle();
        expect(await wrongs(world)).toEqual([]);
      },
    ),
    { numRuns: 40 },
  );
});
