/** The replies of the gallery: fixed documents, laid out by the same code as real ones. */

import type { ErrorCode } from "../../../core/errors.ts";
import type { EndReason } from "../../../core/events.ts";
import type { RunId } from "../../../core/ids.ts";
import { concluded, reduce, type ReplyDocument } from "../../../core/reply/document.ts";
import type { Outcome } from "../../../core/run.ts";
import type { PageContent } from "../../../core/ports/surface.ts";
import type { Step } from "../../../core/reply/steps.ts";
import { DEFAULT_VIEW, type ReplyView } from "../../../core/reply/view.ts";
import { GOAL_CARDS } from "./goal-cards.ts";
import { HALF_WRITTEN, SAMPLES } from "./samples.ts";

interface Named {
  /** Unique; the end of the item's address. */
  readonly id: string;
  readonly title: string;
}

export type GalleryItem =
  /** A reply, as a channel wants to see it; by default as all do. */
  | (Named & { readonly document: ReplyDocument; readonly view?: ReplyView })
  /** A message that is no part of a reply. */
  | (Named & { readonly page: PageContent });

export interface GallerySection {
  readonly title: string;
  readonly items: readonly GalleryItem[];
}

const STARTED = Date.UTC(2026, 0, 15, 9, 30);
const ENDED = STARTED + 12_400;

const BLANK: ReplyDocument = {
  run: "run_01example" as RunId,
  startedAt: STARTED,
  rounds: [],
  current: 0,
  activity: { kind: "thinking" },
  joined: 0,
  steps: [],
  model: "gpt-5-mini",
  usage: { input: 1_200, output: 340, cacheRead: 5_600, cost: 0.0132 },
};

function said(markdown: string): ReplyDocument {
  return { ...BLANK, rounds: [{ round: 1, text: markdown, images: 0 }] };
}

function ended(document: ReplyDocument, outcome: Omit<Outcome, "endedAt">): ReplyDocument {
  return concluded(document, { ...outcome, endedAt: ENDED });
}

/** As it stands while the model has written just this. */
function writing(markdown: string): ReplyDocument {
  const begun = reduce({ ...BLANK, usage: {} }, { kind: "round", round: 1, state: "start" });
  return reduce(begun, { kind: "text", text: markdown });
}

const REASONS: readonly EndReason[] = [
  "waiting",
  "max_turns",
  "max_tokens",
  "stuck",
  "no_speech",
  "cancelled",
  "timeout",
];
const ERRORS: readonly ErrorCode[] = [
  "model_auth",
  "model_rate_limited",
  "model_unavailable",
  "model_refused",
  "model_filtered",
  "model_garbage",
  "model_cut",
  "model_timeout",
  "context_length",
  "history_failed",
  "attempts_used_up",
  "panic",
];
/** After these there are words of the answer. */
const BREAKS_OFF: ReadonlySet<ErrorCode> = new Set(["model_cut", "model_filtered"]);
/** What a provider may say; none of it may be seen. */
const HOSTILE_MESSAGE =
  'openai: 401 {"error":{"message":"Incorrect API key sk-live-0123456789abcdef0123"}} at https://api.example.com/v1 <b>x</b>';

const PARTIAL = "I have read both pages. The first says that the release moves to Thursday, and the sec";

const MANY_WORDS =
  "the token for the build server has expired, and only an admin has another one; I tried the copy in the vault, which is older still, and the mirror of the server, which answers nobody from outside of the office; all that I could read without it I have read, and the note for support is written but for the two checks that need the server";

/** What the tools of the bot say of themselves. */
const doing = (_tool: string, count: number): string =>
  count === 1 ? "Reading a page" : `Reading ${count} pages`;
const step = (call: string, state: Step["state"], durationMs?: number): Step => ({
  round: 1,
  call,
  name: "read_page",
  state,
  arguments: `{"url":"https://example.org/${call}"}`,
  ...(durationMs === undefined ? {} : { durationMs }),
});
const STEPS: readonly Step[] = [step("c1", "done", 1_240), step("c2", "failed", 30_000)];

export const GALLERY: readonly GallerySection[] = [
  {
    title: "What models write",
    items: SAMPLES.map(({ id, title, markdown }) => ({
      id,
      title,
      document: ended(said(markdown), { reason: "stop" }),
    })),
  },
  {
    title: "Images",
    items: [
      {
        id: "pictures",
        title: "An answer with an image of the model and one of a tool",
        document: ended(
          {
            ...said("Here is how the week went. The **second half** was busier than the first."),
            steps: [step("c1", "done", 1_240)],
            pictures: [
              { mimeType: "image/png", bytes: 48_200, hash: "a", alt: "A chart of the week" },
              { mimeType: "image/jpeg", bytes: 91_000, hash: "b" },
            ],
          },
          { reason: "stop" },
        ),
      },
      {
        id: "picture-only",
        title: "An answer that is only an image",
        document: ended(
          { ...BLANK, pictures: [{ mimeType: "image/png", bytes: 48_200, hash: "a", alt: "A chart" }] },
          { reason: "stop" },
        ),
      },
      {
        id: "picture-missing",
        title: "An image that cannot be shown",
        document: ended(
          { ...said("Here is the chart."), pictures: [{ mimeType: "image/tiff", bytes: 9_000_000 }] },
          { reason: "stop" },
        ),
      },
    ],
  },
  {
    title: "While it is written",
    items: [
      { id: "thinking", title: "Nothing yet", document: { ...BLANK, usage: {}, current: 1 } },
      {
        id: "tools",
        title: "Tools at work, and a message that joined",
        document: {
          ...said("I look that up."),
          usage: {},
          current: 1,
          joined: 1,
          activity: {
            kind: "tools",
            running: [
              { call: "c1", name: "read_page" },
              { call: "c2", name: "clock" },
            ],
          },
        },
      },
      ...(["steps", "full"] as const).map((verbosity) => ({
        id: `tools-${verbosity}`,
        title: `Steps, where a channel shows them: ${verbosity}`,
        document: {
          ...said("I look that up."),
          usage: {},
          current: 1,
          steps: [...STEPS, step("c3", "running")],
          activity: { kind: "tools", running: [{ call: "c3", name: "read_page" }] } as const,
        },
        view: { ...DEFAULT_VIEW, verbosity, doing },
      })),
      ...HALF_WRITTEN.map(({ id, title, markdown }) => ({ id, title, document: writing(markdown) })),
    ],
  },
  { title: "Goals", items: GOAL_CARDS },
  {
    title: "How it ends",
    items: [
      {
        id: "end-stop-full",
        title: "stop, where a channel shows all",
        document: ended(
          { ...said("The release moves to Thursday."), steps: STEPS, model: "gpt-5-mini" },
          { reason: "stop" },
        ),
        view: { ...DEFAULT_VIEW, verbosity: "full", footer: "full", doing },
      },
      { id: "end-blank", title: "stop, with nothing said", document: ended(BLANK, { reason: "stop" }) },
      ...REASONS.map((reason) => ({
        id: `end-${reason.replace("_", "-")}`,
        title: reason,
        document: ended(said(PARTIAL), { reason }),
      })),
      ...ERRORS.map((code) => ({
        id: `end-error-${code.replaceAll("_", "-")}`,
        title: `error: ${code}`,
        document: ended(BREAKS_OFF.has(code) ? said(PARTIAL) : BLANK, {
          reason: "error",
          error: { code, message: HOSTILE_MESSAGE },
        }),
      })),
      {
        id: "end-goal-blocked",
        title: "stop, and the goal is blocked for a reason of many words",
        document: ended(
          { ...said("I cannot go on by myself."), steps: STEPS },
          { reason: "stop", goal: `The goal is blocked: ${MANY_WORDS}. \`goal resume\` tries again.` },
        ),
      },
      {
        id: "end-again",
        title: "error, and tried again below",
        document: {
          ...ended(said(PARTIAL), {
            reason: "error",
            error: { code: "model_cut", message: HOSTILE_MESSAGE },
          }),
          isTriedAgain: true,
        },
      },
    ],
  },
];
