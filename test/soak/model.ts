// The model of a soak: that of the chaos runs, which now and then fails in one of the ways that models do.
import { delta, eventsThenCut, hangsUp, refuses } from "../support/fake-llm/answers.ts";
import type { FakeAnswer } from "../support/fake-llm/server.ts";
import type { Random } from "../chaos/random.ts";

/** Of a hundred calls. */
const FAILING = 5;

const FAILURES: readonly FakeAnswer[] = [
  refuses(500, { message: "an error on our side" }),
  refuses(429, { message: "too many requests" }, { "retry-after": "1" }),
  // Nothing that another try would mend: the run ends with an error and Retry.
  refuses(400, { message: "this request is not wanted" }),
  eventsThenCut(delta({ content: "Half of an" })),
  hangsUp(),
];

export function failingNowAndThen(model: FakeAnswer, random: Random): FakeAnswer {
  return (exchange) => (random.chance(FAILING / 100) ? random.pick(FAILURES) : model)(exchange);
}
