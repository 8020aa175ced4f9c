// The model of a chaos run: it holds no state, and says what follows from the conversation alone. What was asked and not
// answered yet is worked on, call by call, and then answered; so whatever was lost on the way shows in what comes.
import { delta, usageChunk } from "../support/fake-llm/answers.ts";
import type { Exchange, ReceivedRequest } from "../support/fake-llm/exchange.ts";
import type { FakeAnswer } from "../support/fake-llm/server.ts";
import { goalRecipeOf, goalTurnIn, TOKENS_PER_CALL } from "./goal-recipe.ts";
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
  | { readonly kind: "call"; readonly tag: number | string; readonly orders: readonly Order[] }
  /** A tool that keeps the goal's books. */
  | { readonly kind: "book"; readonly tool: string; readonly value: object }
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
  const goal = openGoalTurn(messages);
  const work = goal && workOf(goal, ordered, seed);
  if (work !== undefined) return work;
  const words = open.flatMap((tag) => answerTo(tag, recipeOf(seed, tag).words));
  if (goal !== undefined) words.push(`turn${goal.n}of`, `goal-${goal.tag}`);
  return { kind: "answer", words: words.length > 0 ? words : ["nothing", "is", "open"] };
}

interface GoalTurnSeen {
  readonly tag: number;
  /** Which turn of this goal it is. */
  readonly n: number;
  /** It is told to come to an end. */
  readonly isLast: boolean;
  /** Whether it has kept the goal's books in it. */
  hasBooked: boolean;
}

/** The turn that a goal began and that has no answer yet. */
function openGoalTurn(messages: ReceivedRequest["body"]["messages"]): GoalTurnSeen | undefined {
  const turns = new Map<number, number>();
  let open: GoalTurnSeen | undefined;
  for (const message of messages) {
    if (message.role === "user") {
      const begun = goalTurnIn(textOf(message.content));
      if (begun === undefined || (begun.isWithin && open !== undefined)) continue;
      const n = (turns.get(begun.tag) ?? 0) + 1;
      turns.set(begun.tag, n);
      open = { ...begun, n, hasBooked: false };
    }
    if (message.role !== "assistant" || open === undefined) continue;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) open = undefined;
    else if (calls.some((call) => BOOKS.has(call.function.name))) open.hasBooked = true;
  }
  return open;
}

const BOOKS = new Set(["update_goal", "wait_for"]);

function workOf(
  { tag, n, isLast, hasBooked }: GoalTurnSeen,
  ordered: ReadonlySet<string>,
  seed: number,
): NextStep | undefined {
  if (isLast || hasBooked) return undefined;
  const { turns, isStuck, waitsAfter } = goalRecipeOf(seed, tag);
  const due = (turns[n - 1] ?? []).filter(({ id }) => !ordered.has(id));
  if (due.length > 0) return { kind: "call", tag: `goal-${tag}`, orders: due };
  const evidence = `what goal-${tag} shows`;
  if (isStuck)
    return { kind: "book", tool: "update_goal", value: { status: "blocked", evidence, blocker: "no-key" } };
  if (n >= turns.length)
    return { kind: "book", tool: "update_goal", value: { status: "complete", evidence } };
  if (n === waitsAfter) return { kind: "book", tool: "wait_for", value: { kind: "reply", reason: evidence } };
  return undefined;
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
    } else if (step.kind === "book") {
      const fn = { name: step.tool, arguments: JSON.stringify(step.value) };
      const call = { index: 0, id: `call_book_${request.number}`, type: "function", function: fn };
      await exchange.event(delta({ tool_calls: [call] }));
      await exchange.event(delta({}, "tool_calls"));
    } else {
      await speak(exchange, [`Working`, `on`, `${step.tag}.`], everyMs);
      for (const [index, { id, tool }] of step.orders.entries()) {
        const fn = { name: tool, arguments: JSON.stringify({ order: id }) };
        const call = { index, id: `call_${id}_${request.number}`, type: "function", function: fn };
        await exchange.event(delta({ tool_calls: [call] }));
      }
      await exchange.event(delta({}, "tool_calls"));
    }
    await exchange.event(usageChunk({ prompt_tokens: TOKENS_PER_CALL - 100, completion_tokens: 100 }));
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
