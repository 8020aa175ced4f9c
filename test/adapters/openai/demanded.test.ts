// Reasoning that a provider wants back with a reply that called tools: the second round of a run, with servers that refuse a history
// without it.
import { describe, expect, test } from "vitest";
import { createOpenAiModel } from "../../../src/adapters/openai/model.ts";
import type { ModelRecord } from "../../../src/core/ports/model.ts";
import { collect, ports, sessionOver, tool } from "../../support/agent-library.ts";
import { delta, events, refuses, says } from "../../support/fake-llm/answers.ts";
import type { Exchange } from "../../support/fake-llm/exchange.ts";
import { plainModel } from "../../support/fake-llm/request.ts";
import type { FakeAnswer } from "../../support/fake-llm/server.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createFakeLlm } from "../../support/fake-llm/server.ts";

type Message = Exchange["request"]["body"]["messages"][number];

const replies = (exchange: Exchange): readonly Message[] =>
  exchange.request.body.messages.filter(({ tool_calls }) => tool_calls !== undefined);

/** Refuses a history in which a reply with calls lacks something. */
const strict =
  (lacks: (reply: Message) => boolean, message: string, answer: FakeAnswer): FakeAnswer =>
  (exchange) =>
    replies(exchange).some(lacks) ? refuses(400, { message })(exchange) : answer(exchange);

const NO_THOUGHT = "Missing `reasoning_content` field in the assistant message at message index 2.";
const NO_SIGNATURE = "Function call is missing a thought_signature in functionCall parts.";
const lacksThought = ({ reasoning_content }: Message): boolean => typeof reasoning_content !== "string";
interface Signed {
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } };
}
const signatureOf = ({ tool_calls: [first] = [] }: Message): unknown =>
  (first as Signed | undefined)?.extra_content?.google?.thought_signature;

const callOf = (id: string, more: object = {}) => ({
  id,
  type: "function",
  function: { name: "look", arguments: "{}" },
  ...more,
});
const thinksAndCalls = (id: string, ...thoughts: readonly string[]): FakeAnswer =>
  events(
    ...thoughts.map((thought) => delta({ reasoning_content: thought })),
    delta({ tool_calls: [{ index: 0, ...callOf(id) }] }),
    delta({}, "tool_calls"),
    "[DONE]",
  );
const signsAndCalls = (id: string): FakeAnswer =>
  events(
    delta({
      tool_calls: [
        { index: 0, ...callOf(id, { extra_content: { google: { thought_signature: `sig-${id}` } } }) },
        { index: 1, ...callOf(`${id}b`) },
      ],
    }),
    delta({}, "tool_calls"),
    "[DONE]",
  );

/** A session over the real client, with one tool; each text is a run of its own. */
async function talk(
  record: Partial<ModelRecord>,
  answers: readonly FakeAnswer[],
  ...texts: readonly string[]
) {
  const fake = await createFakeLlm();
  fake.script(...answers);
  const clock = createSystemClock();
  const model = createOpenAiModel({ clock }, { apiKey: "k", baseUrl: fake.url, backoffMs: 1 });
  try {
    const deps = { ...ports(), model, clock };
    const session = sessionOver(deps, {
      model: { ...plainModel, ...record },
      tools: [tool("look", "it is up there")],
    });
    const ends: string[] = [];
    for (const text of texts) {
      const end = (await collect(session.run(text))).at(-1);
      ends.push(end?.kind === "end" ? end.reason : "none");
    }
    const { requests, unused } = fake;
    return { ends, requests, unused, history: await deps.history.read("s1") };
  } finally {
    await model.close();
    await fake.close();
  }
}

describe("W3: a provider that wants its thinking back", () => {
  test("as text gets it with each reply that called tools, also where there was none", async () => {
    const { ends, requests, unused } = await talk(
      { replays: "reasoning_content" },
      [
        thinksAndCalls("c1", "first ", "look up"),
        strict(lacksThought, NO_THOUGHT, thinksAndCalls("c2")),
        strict(lacksThought, NO_THOUGHT, says("it is there")),
        strict(lacksThought, NO_THOUGHT, says("as I said")),
      ],
      "where is the moon?",
      "are you sure?",
    );
    expect([ends, unused]).toEqual([["stop", "stop"], 0]);
    const told = requests.at(-1)?.body.messages.filter(({ role }) => role === "assistant");
    expect(told?.map(({ reasoning_content }) => reasoning_content)).toEqual([
      "first look up",
      "",
      // What calls nothing needs none.
      undefined,
    ]);
    // What was sent is sent again byte for byte.
    const [, second, third] = requests.map(({ body }) => JSON.stringify(body.messages).slice(0, -1));
    expect(third?.startsWith(second ?? "?")).toBe(true);
  });

  test("beside a call gets back what came with it, and with that call alone", async () => {
    const { ends, requests } = await talk(
      { replays: "extra_content" },
      [
        signsAndCalls("c1"),
        strict((reply) => signatureOf(reply) !== "sig-c1", NO_SIGNATURE, says("it is there")),
      ],
      "where is the moon?",
    );
    expect(ends).toEqual(["stop"]);
    const calls = requests[1]?.body.messages.find(({ role }) => role === "assistant")?.tool_calls;
    expect(calls?.map((call) => "extra_content" in call)).toEqual([true, false]);
  });

  test("is the only one that gets it: other servers refuse what they do not know, and their thinking is not kept", async () => {
    const { ends, requests, history } = await talk(
      {},
      [thinksAndCalls("c1", "a secret thought"), signsAndCalls("c2"), says("done")],
      "go",
    );
    expect(ends).toEqual(["stop"]);
    const sent = requests.map(({ raw }) => raw.toString()).join("");
    for (const word of ["reasoning_content", "extra_content"]) expect(sent).not.toContain(word);
    expect(JSON.stringify(history)).not.toContain("a secret thought");
  });

  test("keeps of an answer without calls no thinking either", async () => {
    const answer = events(delta({ reasoning_content: "a secret thought" }), delta({ content: "ok" }, "stop"));
    const { ends, history } = await talk({ replays: "reasoning_content" }, [answer], "go");
    expect(ends).toEqual(["stop"]);
    expect(JSON.stringify(history)).not.toContain("a secret thought");
  });
});
