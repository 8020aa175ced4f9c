// Requests for tests of a model, and their events gathered.
import type {
  Model,
  ModelEvent,
  ModelRecord,
  ModelRequest,
  ToolSpec,
} from "../../../src/core/ports/model.ts";

export const plainModel: ModelRecord = {
  name: "fake-1",
  contextWindow: 100_000,
  outputTokens: 1_000,
  largerOutputTokens: 4_000,
  seesImages: true,
  thinking: "none",
  caching: "automatic",
};

export const searchTool: ToolSpec = {
  name: "search",
  description: "Looks something up.",
  schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
};

/** A person says one thing to a plain model that has one tool. */
export function asks(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: plainModel,
    system: "You are a test.",
    messages: [{ role: "user", content: [{ kind: "text", text }] }],
    tools: [searchTool],
    outputTokens: 1_000,
    cacheSystem: false,
    ...more,
  };
}

export async function gather(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return events;
}

export function isFinal(event: ModelEvent): boolean {
  return event.kind === "done" || event.kind === "failed" || event.kind === "aborted";
}

/** The text since the last `again`, as a reader shows it. */
export function shownText(events: readonly ModelEvent[]): string {
  let text = "";
  for (const event of events) {
    if (event.kind === "again") text = "";
    else if (event.kind === "text") text += event.text;
  }
  return text;
}

/** The only event of this kind. @throws when there is none or more than one. */
export function only<K extends ModelEvent["kind"]>(
  events: readonly ModelEvent[],
  kind: K,
): Extract<ModelEvent, { kind: K }> {
  const found = events.filter((event): event is Extract<ModelEvent, { kind: K }> => event.kind === kind);
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new Error(`${found.length} events "${kind}" in ${JSON.stringify(events.map((e) => e.kind))}`);
  }
  return first;
}
