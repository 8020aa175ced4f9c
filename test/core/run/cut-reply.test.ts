// A reply that reached the greatest length, and a worker that dies before it could say so.
import { expect, test } from "vitest";
import { RunBench } from "../../support/run-bench.ts";
import { reply } from "../../support/scripted-model.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();

test.each([
  ["after", "commitRound"],
  ["before", "end"],
] as const)(
  "is no complete answer when the worker dies %s %s: another ends it as cut, and says what can be done",
  async (when, step) => {
    const cut = (text: string) => reply({ text, finish: "length" });
    const b = new RunBench(backend.sql(), [cut("void"), cut("a"), cut("b"), cut("c"), cut("d")]);
    await b.say("hello");
    const first = b.worker();
    b.moments.at(step, when, () => first.die());
    first.begin();
    await until(() => b.moments.pending === 0 && !b.locker.isHeld(b.key), { what: "the worker is dead" });
    await b.rest();
    const [run] = await b.stores.transcripts.runs(b.session);
    expect(run?.outcome?.reason).toBe("max_tokens");
    expect(b.shown()).toEqual([expect.stringMatching(/^abcd.*greatest length/s)]);
    expect(await b.fates()).toEqual(["hello: failed"]);
    expect(await b.problems()).toEqual([]);
  },
);
