// A thread, its people and its workers, to which things happen as they are drawn.
import fc from "fast-check";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import type { MessageInbound } from "../../../src/core/inbound.ts";
import { tool } from "../../support/agent-library.ts";
import { storeAway, type When } from "../../support/moments.ts";
import { RunBench, type BenchWorker } from "../../support/run-bench.ts";
import { calls, computed, fails, later, reply, type ScriptedStep } from "../../support/scripted-model.ts";

const STEPS = [
  "open",
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
export type Happening =
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
export type Behaviour = "answers" | "reads" | "writes" | "fails" | "waits" | "says nothing";

const plain = fc.constantFrom("say" as const, ...COMMANDS, ...BLOWS).map((kind): Plain => ({ kind }));
export const happening: fc.Arbitrary<Happening> = fc.oneof(
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
export const behaviour = fc.constantFrom<Behaviour>(
  "answers",
  "answers",
  "reads",
  "writes",
  "fails",
  "waits",
  "says nothing",
);

export class World {
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

  constructor(sql: Sql, behaviours: readonly Behaviour[]) {
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
      sql,
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
