// A reset at every moment: the next message sees nothing from before, and nothing of before is written after it.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, computed, fails, hangs, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);
const STOPPED = "Stopped. Reply to go on, or retry.";
const ANEW = "This thread begins anew: the bot no longer sees what was said above.";

/** The next message is answered from an empty history, and every entry of before is in the epoch of before. */
async function expectNothingFromBefore(b: RunBench, call: number): Promise<void> {
  expect(b.asked(call)).toEqual(["user: [from Ana (U1)]\nanew"]);
  const entries = await b.stores.transcripts.entries(b.session);
  const words = (epoch: number): string =>
    JSON.stringify(entries.filter((entry) => entry.epoch === epoch).map(({ body }) => body));
  expect(words(2)).not.toContain("secret");
  expect(words(1)).not.toContain("anew");
  expect(await b.problems()).toEqual([]);
}

test("in mid-text", async () => {
  const b = bench([hangs("secret answer"), reply("fresh")]);
  await b.say("secret");
  const served = b.worker().serve();
  await b.model.reached(1);
  expect(await b.command("reset")).toBe(ANEW);
  await b.say("anew");
  await served;
  await b.rest();
  expect(b.shown()).toEqual([`secret answer [${STOPPED}]`, "fresh"]);
  expect(await b.fates()).toEqual(["secret: cancelled", "/reset: answered", "anew: answered"]);
  await expectNothingFromBefore(b, 2);
});

test("at each step of the store, with the next message right behind it", async () => {
  for (const [moment, when] of [
    ["open", "before"],
    ["open", "after"],
    ["commitCalls", "before"],
    ["commitCalls", "after"],
    ["commitRound", "before"],
    ["commitRound", "after"],
    ["end", "before"],
    ["end", "after"],
    ["final", "before"],
    ["settled", "before"],
    ["settled", "after"],
  ] as const) {
    const write = tool("write", "secret done", { effect: "write" });
    // The call that a reset cuts may be the first or the second one: the model answers what it is asked.
    const answers = computed(({ messages }) => {
      if (JSON.stringify(messages).includes("anew")) return reply("fresh");
      if (moment === "open") return hangs();
      return messages.length === 1 ? calls(["c1", "write"]) : reply("secret reply");
    });
    const b = bench([answers, answers, answers], { tools: [write] });
    await b.say("secret");
    b.moments.at(moment, when, async () => {
      await b.command("reset");
      await b.say("anew");
    });
    await b.rest();
    const last = b.model.requests.length;
    expect(b.shown().at(-1), `${when} ${moment}`).toBe("fresh");
    await expectNothingFromBefore(b, last);
  }
});

test("while a worker that was paused past its lease still has the old run: it writes nothing more, and its reply says that it was stopped", async () => {
  const b = bench([hangs("secret half"), reply("fresh")]);
  await b.say("secret");
  const paused = b.worker();
  const served = paused.serve();
  await until(() => b.thread.texts().includes("secret half"), { what: "the text is shown" });
  b.locker.loseSilently(b.key);
  const { writes } = paused;
  const elsewhere = b.heldElsewhere(served);
  await b.command("reset");
  await b.say("anew");
  await elsewhere;
  await b.rest();
  expect(paused.writes).toBe(writes);
  expect(b.shown()).toEqual([`secret half [${STOPPED}]`, "fresh"]);
  await expectNothingFromBefore(b, 2);
});

test("an edit or a delete of what was said before the reset tells the model nothing of it", async () => {
  const b = bench([reply("noted"), reply("fresh")]);
  const old = await b.say("secret");
  await b.rest();
  await b.edit(old, "secret, and more");
  await b.command("reset");
  await b.edit(old, "secret, and even more");
  await b.remove(old);
  await b.say("anew");
  await b.rest();
  await expectNothingFromBefore(b, 2);
});

test("a retry after a reset has nothing to try again, whatever failed before it", async () => {
  const b = bench([fails(), reply("fresh")]);
  await b.say("secret");
  await b.rest();
  await b.command("reset");
  expect(await b.command("retry")).toBe("There is nothing to try again.");
  await b.say("anew");
  await b.rest();
  expect(await b.command("retry")).toBe("There is nothing to try again.");
  await expectNothingFromBefore(b, 2);
});

test("status tells how often the thread began anew, and nothing of what ended before", async () => {
  const b = bench([fails()]);
  await b.say("secret");
  await b.rest();
  expect(await b.command("status")).not.toContain("Resets");
  expect(await b.command("status")).toContain("Something went wrong.");
  await b.command("reset");
  expect(await b.command("status")).not.toContain("Something went wrong.");
  expect(await b.command("status")).toContain("Resets so far: 1.");
});
