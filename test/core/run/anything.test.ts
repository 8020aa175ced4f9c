// Whatever happens to a thread in whatever order: what people said has one fate, what was answered is shown once and whole.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../../src/core/entry.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";
import { behaviour, happening, World } from "./happenings.ts";

const backend = postgresBackend();

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
        const world = new World(backend.sql(), behaviours);
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
        const world = new World(backend.sql(), behaviours);
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
