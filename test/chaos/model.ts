// The model of a chaos run: it holds no state, and says what follows from the conversation alone. What was asked and not
// answered yet is worked on, call by call, and then answered; so whatever was lost on the way shows in what comes.
import { delta } from "../support/fake-llm/answers.ts";
import type { Exchange, ReceivedRequest } from "../support/fake-llm/exchange.ts";
import type { FakeAnswer } from "../support/fake-llm/server.ts";
import { answerTo, recipeOf, tagsIn, type Order } from "./recipe.ts";

export interface ModelOptions {
  readonly seed: number;
  /** Between two words, ms. */
  readonly everyMs: number;
  /** Whether it works on one question after the other, or on all that are open; one unless said. */
  readonly works?: Works;
}

type Works = "on one" | "on all";

/** What the model does next. */
export type NextStep =
  | { readonly kind: "call"; readonly tag: number; readonly orders: readonly Order[] }
  | { readonly kind: "answer"; readonly words: readonly string[] };

export function nextStep(
  messages: ReceivedRequest["body"]["messages"],
  seed: number,
  works: Works = "on one",
): NextStep {
  const asked = new Set<number>();
  const ordered = new Set<string>();
  let said = "";
  for (const message of messages) {
    if (message.role === "user") for (const tag of tagsIn(textOf(message.content))) asked.add(tag);
    if (message.role !== "assistant") continue;
    said += ` ${textOf(message.content)}`;
    for (const call of message.tool_calls ?? []) {
      const { order } = JSON.parse(call.function.arguments) as { readonly order?: string };
      if (order !== undefined) ordered.add(order);
    }
  }
  const ended = new Set([...said.matchAll(/\bend(\d+)\b/g)].map(([, tag]) => Number(tag)));
  const open = [...asked].filter((tag) => !ended.has(tag));
  const due = open.flatMap((tag) => {
    const round = recipeOf(seed, tag).rounds.find((orders) => orders.some(({ id }) => !ordered.has(id)));
    return round === undefined ? [] : [{ tag, orders: round.filter(({ id }) => !ordered.has(id)) }];
  });
  const [first] = due;
  if (first !== undefined) {
    const now = works === "on one" ? [first] : due;
    return { kind: "call", tag: first.tag, orders: now.flatMap(({ orders }) => orders) };
  }
  const words = open.flatMap((tag) => answerTo(tag, recipeOf(seed, tag).words));
  return { kind: "answer", words: words.length > 0 ? words : ["nothing", "is", "open"] };
}

/** Plays each request by its conversation. */
export function chaosModel({ seed, everyMs, works }: ModelOptions): FakeAnswer {
  return async (exchange) => {
    const { request } = exchange;
    const step = nextStep(request.body.messages, seed, works);
    exchange.begin();
    await exchange.event(delta({ role: "assistant", content: "" }));
    if (step.kind === "answer") {
      await speak(exchange, step.words, everyMs);
      await exchange.event(delta({}, "stop"));
    } else {
      await speak(exchange, [`Working`, `on`, `${step.tag}.`], everyMs);
      for (const [index, { id, tool }] of step.orders.entries()) {
        const fn = { name: tool, arguments: JSON.stringify({ order: id }) };
        const call = { index, id: `call_${id}_${request.number}`, type: "function", function: fn };
        await exchange.event(delta({ tool_calls: [call] }));
      }
      await exchange.event(delta({}, "tool_calls"));
    }
    await exchange.event("[DONE]");
    exchange.end();
  };
}

/** Long answers come faster, so that a run does not last for minutes. */
async function speak(exchange: Exchange, words: readonly string[], everyMs: number): Promise<void> {
  const atOnce = Math.ceil(words.length / 60);
  for (let at = 0; at < words.length && !exchange.isClosed; at += atOnce) {
    await exchange.event(delta({ content: `${words.slice(at, at + atOnce).join(" ")} ` }));
    await pause(everyMs, exchange);
  }
}

async function pause(ms: number, exchange: Exchange): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([new Promise((resolve) => (timer = setTimeout(resolve, ms))), exchange.closed]);
  clearTimeout(timer);
}

/** Without what is only quoted: that comes by itself, or was answered before. */
function textOf(content: unknown): string {
  const text =
    typeof content === "string"
      ? content
      : Array.isArray(content)
        ? content.map((part: { text?: string }) => part.text ?? "").join(" ")
        : "";
  return text.replaceAll(/<quoted_messages>[\s\S]*?<\/quoted_messages>/g, "");
}
