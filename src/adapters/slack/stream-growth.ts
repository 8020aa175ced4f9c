/** What has to be added to a stream so that it shows a page. Pure. */

import { certainPart } from "../../core/reply/heal.ts";
import type { PageContent } from "../../core/ports/surface.ts";
import { TASK_STATES, taskTitle } from "./format.ts";
import { streamText } from "./stream-text.ts";

/** What a stream shows so far. */
export interface Streamed {
  readonly text: string;
  /** By id: its line and its state. */
  readonly tasks: ReadonlyMap<string, string>;
  /** Of all that was sent, as Slack counts it. */
  readonly bytes: number;
}

export type Chunk =
  | { readonly type: "markdown_text"; readonly text: string }
  | {
      readonly type: "task_update";
      readonly id: string;
      readonly title: string;
      readonly status: "in_progress" | "complete" | "error";
    };

export const NOTHING: Streamed = { text: "", tasks: new Map(), bytes: 0 };

/** Slack ends a message that weighs more than about 10,600 bytes. */
const MOST_BYTES = 9_000;
/** Rows of one message. */
const MOST_TASKS = 40;
/** Before the line of one that is not over. */
const RUNNING = "in_progress ";
/** Of the one line on what goes on. */
const STATUS = "status";

/** Undefined where the page cannot be shown by adding to what stands there. */
export function growthOf(
  shown: Streamed,
  page: PageContent,
): { readonly chunks: readonly Chunk[]; readonly shown: Streamed } | undefined {
  const { unhealed, status, steps = [] } = page;
  if (unhealed === undefined || status === undefined) return undefined;
  if (!streamText(unhealed).startsWith(shown.text)) return undefined;
  if (steps.length === 0 && [...shown.tasks.keys()].some((id) => id !== STATUS)) return undefined;
  const told = new Set([STATUS, ...steps.map(({ id }) => id)]);
  const tasks = [
    ...steps
      .filter(({ id }) => id !== "earlier")
      .map(({ id, line, state }) => taskOf(id, line, TASK_STATES[state])),
    // Steps that have become one, or are told of together by now: no task can be taken away, so it is over.
    ...[...shown.tasks].flatMap(([id, was]) =>
      !told.has(id) && was.startsWith(RUNNING) ? [taskOf(id, was.slice(RUNNING.length), "complete")] : [],
    ),
    taskOf(STATUS, `${status}…`, "in_progress"),
  ].filter(({ id, title, status: state }) => shown.tasks.get(id) !== `${state} ${title}`);
  const certain = streamText(certainPart(unhealed));
  const text = certain.length > shown.text.length ? certain : shown.text;
  const added = text.slice(shown.text.length);
  const chunks: readonly Chunk[] = [
    ...tasks,
    ...(added === "" ? [] : [{ type: "markdown_text", text: added } as const]),
  ];
  const next = {
    text,
    tasks: new Map([
      ...shown.tasks,
      ...tasks.map(({ id, title, status: state }) => [id, `${state} ${title}`] as const),
    ]),
    bytes: shown.bytes + chunks.reduce((sum, chunk) => sum + weightOf(chunk), 0),
  };
  return next.bytes > MOST_BYTES || next.tasks.size > MOST_TASKS ? undefined : { chunks, shown: next };
}

function taskOf(id: string, line: string, status: "in_progress" | "complete" | "error") {
  return { type: "task_update", id, title: taskTitle(line) || id, status } as const;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

function weightOf(chunk: Chunk): number {
  return chunk.type === "markdown_text" ? bytesOf(chunk.text) : bytesOf(chunk.title);
}
