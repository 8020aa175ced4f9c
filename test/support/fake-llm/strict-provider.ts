// What the strictest providers refuse, gathered from the field: a request that passes here passes everywhere.

const TOP_LEVEL = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "reasoning_effort",
  "reasoning",
]);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

type Json = Readonly<Record<string, unknown>>;

/** One sentence for each thing that is wrong; empty when the request is good. */
export function complaintsAbout(raw: Uint8Array): string[] {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(raw);
  } catch {
    return ["the body is not UTF-8"];
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return ["the body is not JSON"];
  }
  if (!isObject(body)) return ["the body is not an object"];
  return [...topLevel(body), ...toolList(body), ...messages(body), ...strings(body)];
}

function* topLevel(body: Json): Generator<string> {
  for (const key of Object.keys(body)) if (!TOP_LEVEL.has(key)) yield `unknown parameter ${key}`;
  if (typeof body["model"] !== "string" || body["model"] === "") yield "model is missing";
  if (body["max_tokens"] !== undefined && body["max_completion_tokens"] !== undefined)
    yield "two output caps";
  for (const key of ["max_tokens", "max_completion_tokens"]) {
    const cap = body[key];
    if (cap !== undefined && !(Number.isInteger(cap) && Number(cap) > 0))
      yield `${key} is no positive integer`;
  }
  if (body["stream"] !== true && body["stream_options"] !== undefined) yield "stream_options without stream";
}

function* toolList(body: Json): Generator<string> {
  const { tools } = body;
  if (tools === undefined) return;
  if (!Array.isArray(tools) || tools.length === 0) return void (yield "tools is empty");
  const names = new Set<unknown>();
  for (const tool of tools as Json[]) {
    const fn = isObject(tool["function"]) ? tool["function"] : {};
    const { name, parameters } = fn;
    if (typeof name !== "string" || !NAME.test(name))
      yield `tool name ${JSON.stringify(name)} is not allowed`;
    if (names.has(name)) yield `tool ${JSON.stringify(name)} is there twice`;
    names.add(name);
    if (!isObject(parameters) || parameters["type"] !== "object")
      yield `the schema of ${String(name)} is no object`;
  }
}

function* messages(body: Json): Generator<string> {
  const list = body["messages"];
  if (!Array.isArray(list) || list.length === 0) return void (yield "messages is empty");
  let pending: string[] = [];
  for (const [at, message] of (list as Json[]).entries()) {
    const where = `message ${at}`;
    const { role } = message;
    if (role !== "tool" && pending.length > 0) {
      yield `${where}: calls without results: ${pending.join(", ")}`;
      pending = [];
    }
    if (role === "system") {
      if (at !== 0) yield `${where}: system is not first`;
      yield* content(message, where);
    } else if (role === "user") {
      yield* content(message, where);
      const { name } = message;
      if (name !== undefined && !(typeof name === "string" && NAME.test(name))) yield `${where}: bad name`;
    } else if (role === "assistant") {
      const calls = Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as Json[]) : [];
      if (message["tool_calls"] !== undefined && calls.length === 0) yield `${where}: tool_calls is empty`;
      if (calls.length === 0 || message["content"] !== null) yield* content(message, where);
      if (calls.length > 0 && body["tools"] === undefined) yield `${where}: calls without a tool list`;
      pending = [];
      for (const call of calls) {
        yield* oneCall(call, where);
        if (pending.includes(String(call["id"])))
          yield `${where}: call id ${String(call["id"])} is there twice`;
        pending.push(String(call["id"]));
      }
    } else if (role === "tool") {
      const id = String(message["tool_call_id"]);
      if (pending[0] !== id) yield `${where}: result of ${id} where ${pending[0] ?? "no call"} was expected`;
      pending = pending.filter((each) => each !== id);
      yield* content(message, where);
    } else yield `${where}: unknown role ${String(role)}`;
  }
  if (pending.length > 0) yield `calls without results at the end: ${pending.join(", ")}`;
  const last = (list as Json[]).at(-1);
  if (last?.["role"] !== "user" && last?.["role"] !== "tool")
    yield "the last message is neither user nor tool";
}

function* oneCall(call: Json, where: string): Generator<string> {
  const fn = isObject(call["function"]) ? call["function"] : {};
  if (typeof call["id"] !== "string" || call["id"] === "") yield `${where}: a call without id`;
  if (call["type"] !== "function") yield `${where}: a call that is no function`;
  if (typeof fn["name"] !== "string" || !NAME.test(fn["name"])) yield `${where}: a call with a bad name`;
  const { arguments: given } = fn;
  if (typeof given !== "string") return void (yield `${where}: arguments are no string`);
  try {
    if (!isObject(JSON.parse(given))) yield `${where}: arguments are no object`;
  } catch {
    yield `${where}: arguments are no JSON`;
  }
}

function* content(message: Json, where: string): Generator<string> {
  const { content } = message;
  if (typeof content === "string") {
    if (content.trim() === "") yield `${where}: content is blank`;
    return;
  }
  if (!Array.isArray(content) || content.length === 0) return void (yield `${where}: content is missing`);
  for (const part of content as Json[]) {
    if (part["type"] === "text" && (typeof part["text"] !== "string" || part["text"] === ""))
      yield `${where}: empty part`;
    const mark = part["cache_control"];
    if (mark !== undefined && !(isObject(mark) && mark["type"] === "ephemeral"))
      yield `${where}: bad cache mark`;
  }
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (!value.isWellFormed()) yield "a lone surrogate";
    if (value.includes("\u0000")) yield "a NUL";
  } else if (Array.isArray(value)) for (const item of value) yield* strings(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* strings(item);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
