// One goal from its first word to its end, as people see it wherever it is given: five turns of its own with tools, a question that
// somebody answers, an edit amid a turn, a budget that is used up and raised, and what proves that it is reached.
import { expect } from "vitest";
import { callsTools, says, usageChunk } from "../support/fake-llm/answers.ts";
import type { FakeAnswer, FakeLlm } from "../support/fake-llm/server.ts";
import { until } from "../support/until.ts";

export interface ShownCard {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly string[];
}

/** A surface and who uses it. `Spot`: the thread of the goal. */
export interface GoalDriver<Spot> extends AsyncDisposable {
  readonly llm: FakeLlm;
  /** Gives the goal where one gives it there. */
  begin(text: string): Promise<Spot>;
  say(spot: Spot, text: string): Promise<unknown>;
  /** Every card that stands in the thread. */
  cards(spot: Spot): Promise<readonly ShownCard[]>;
  press(spot: Spot, card: ShownCard, label: string): Promise<unknown>;
  /** Changes the text by the card's Edit. */
  edit(spot: Spot, card: ShownCard, text: string): Promise<unknown>;
  /** What the bot said there besides. */
  replies(spot: Spot): Promise<readonly string[]>;
  expectPeace(): void;
}

const looks = (zone: string): FakeAnswer =>
  callsTools({ id: `c-${zone}`, name: "time_in_zone", arguments: JSON.stringify({ zone }) });
const asks: FakeAnswer = callsTools({
  id: "c-wait",
  name: "wait_for",
  arguments: JSON.stringify({ kind: "reply", reason: "may the old ones go?" }),
});
const done: FakeAnswer = callsTools({
  id: "c-done",
  name: "update_goal",
  arguments: JSON.stringify({ status: "complete", evidence: "every heron was counted twice" }),
});

/** The same answer, and what the provider says that it took. */
const takes =
  (tokens: number, answer: FakeAnswer): FakeAnswer =>
  async (exchange) => {
    const { event } = exchange;
    await answer({
      ...exchange,
      event: async (data) => {
        if (data === "[DONE]")
          await event.call(exchange, usageChunk({ prompt_tokens: tokens, completion_tokens: 0 }));
        await event.call(exchange, data);
      },
    });
  };

export async function playGoal<Spot>(driver: GoalDriver<Spot>): Promise<void> {
  const edited = Promise.withResolvers<void>();
  const answers: readonly FakeAnswer[] = [
    looks("Asia/Tokyo"),
    says("The first pond is counted."),
    looks("Europe/Rome"),
    asks,
    says("May the old ones go?"),
    says("Then they go."),
    async (exchange) => {
      await edited.promise;
      await takes(95_000, looks("Europe/Paris"))(exchange);
    },
    says("Half of the ponds are counted."),
    looks("Europe/Oslo"),
    says("Now the other half."),
    done,
    says("All herons are counted."),
  ];
  let asked = 0;
  driver.llm.respondWith(async (exchange) => {
    if (!JSON.stringify(exchange.request.body.messages).includes("heron")) return says("aside")(exchange);
    const answer = answers[asked++] ?? says("one call too many");
    return answer(exchange);
  });
  const spot = await driver.begin("count the herons --tokens 100k");
  const cardThat = (says: RegExp): Promise<ShownCard> =>
    until(
      async () => {
        const all = await driver.cards(spot);
        if (all.length > 1) throw new Error(`there are ${all.length} cards`);
        return all.find(({ text }) => says.test(text));
      },
      { what: `the card says ${says}` },
    );
  const hears = (words: string): Promise<unknown> =>
    until(async () => (await driver.replies(spot)).some((text) => text.includes(words)), {
      what: `the bot says ${words}`,
    });

  await hears("The first pond is counted.");
  const waits = await cardThat(/waits for a reply[\s\S]*may the old ones go\?/);
  expect(waits.buttons).toEqual(["Pause", "Go on now", "Edit", "End goal"]);
  await hears("May the old ones go?");
  await driver.say(spot, "yes, they may");
  await hears("Then they go.");
  const works = await cardThat(/working, turn 3 of 20/);
  expect(works.buttons).toEqual(["Pause", "Edit", "End goal"]);
  await until(() => asked === 7, { what: "the third turn has begun" });
  await driver.edit(spot, works, "count the herons and the grebes");
  await cardThat(/and the grebes/);
  edited.resolve();
  const limited = await cardThat(/tokens are used up/);
  expect(limited.buttons).toEqual(["+200k tokens", "Edit", "End goal"]);
  await hears("Half of the ponds are counted.");
  // The turn under way was told before its next model call.
  expect(JSON.stringify(driver.llm.requests.map(({ body }) => body.messages))).toContain("and the grebes");
  await driver.press(spot, limited, "+200k tokens");
  await hears("All herons are counted.");
  const reached = await cardThat(/reached[\s\S]*counted twice/);
  expect(reached.buttons).toEqual([]);
  expect(reached.text).toContain("5 of 20 turns");
  expect(reached.text).toContain("of 300,000 tokens");
  // One message from the first to the last.
  expect(new Set([waits, works, limited, reached].map(({ id }) => id)).size).toBe(1);
  const said = await driver.replies(spot);
  for (const words of ["The goal is reached.", "budget is used up", "may the old ones go?"])
    expect(said.filter((text) => text.includes(words))).toHaveLength(1);
  expect(asked).toBe(12);
  driver.expectPeace();
}
