import { createOpenAiModel } from "../../../src/adapters/openai/model.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Model, ModelEvent, ModelRequest } from "../../../src/core/ports/model.ts";
import { expectBroken, runContract } from "../../contract/contract.ts";
import { modelContract, wireContract, type WireSubject } from "../../contract/model.ts";
import { delta, refuses, staysSilent } from "../../support/fake-llm/answers.ts";
import type { Exchange } from "../../support/fake-llm/exchange.ts";
import { asks, isFinal } from "../../support/fake-llm/request.ts";
import { createFakeLlm } from "../../support/fake-llm/server.ts";
import { createTalker } from "../../support/fake-llm/talker.ts";

interface Opened {
  readonly subject: WireSubject;
  close(): Promise<void>;
}

async function open(change: (model: Model) => Model = (model) => model): Promise<Opened> {
  const fake = await createFakeLlm();
  const talk = createTalker();
  fake.respondWith((exchange) => {
    const text = JSON.stringify(exchange.request.body.messages.at(-1));
    if (text.includes("endless")) return talkForEver(exchange);
    if (text.includes("silent")) return staysSilent()(exchange);
    if (text.includes("refused")) return refuses(400)(exchange);
    return talk(exchange);
  });
  const model = createOpenAiModel({ clock: createSystemClock() }, { apiKey: "k", baseUrl: fake.url });
  return {
    subject: {
      model: change(model),
      endless: asks("endless"),
      silent: asks("silent"),
      refused: asks("refused"),
      underWay: () => fake.open,
      received: () => fake.requests.map((request) => request.raw),
    },
    async close() {
      await model.close();
      await fake.close();
    },
  };
}

async function talkForEver(exchange: Exchange): Promise<void> {
  while (!exchange.isClosed) {
    await exchange.event(delta({ content: "on and " }));
    await new Promise<void>((resolve) => void setTimeout(resolve, 5));
  }
}

/** The same model with its events changed on the way. */
function altered(
  change: (events: AsyncIterable<ModelEvent>, signal: AbortSignal) => AsyncIterable<ModelEvent>,
) {
  return (model: Model): Model => ({
    stream: (request: ModelRequest, signal) => change(model.stream(request, signal), signal),
  });
}

runContract("the openai adapter as a model", modelContract, () => open());
runContract("the openai adapter on the wire", wireContract, () => open());

expectBroken("ends twice", modelContract, () =>
  open(
    altered(async function* (events) {
      for await (const event of events) {
        yield event;
        if (isFinal(event)) yield event;
      }
    }),
  ),
);

expectBroken(
  "throws where it was aborted",
  modelContract,
  () =>
    open(
      altered(async function* (events, signal) {
        for await (const event of events) {
          if (signal.aborted) throw new Error("aborted");
          yield event;
        }
      }),
    ),
  {
    noticedBy: [
      "aborted before it began, it ends as aborted and nothing else happens",
      "an abort in the middle ends it promptly as aborted, with nothing behind",
    ],
  },
);

expectBroken(
  "does not notice that its reader left",
  modelContract,
  () =>
    open((model) => ({
      stream(request, signal) {
        const events = model.stream(request, signal)[Symbol.asyncIterator]();
        return { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) };
      },
    })),
  { noticedBy: ["a reader that breaks off ends the work"], limitMs: 1_500 },
);

expectBroken(
  "hashes something else than it sends",
  wireContract,
  () =>
    open(
      altered(async function* (events) {
        for await (const event of events) {
          yield event.kind === "sent" ? { ...event, bodyHash: "0".repeat(64) } : event;
        }
      }),
    ),
  { noticedBy: ["the hash is that of the bytes that the provider received"] },
);
