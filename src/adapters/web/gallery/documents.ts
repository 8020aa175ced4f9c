/** The replies of the gallery: fixed documents, laid out by the same code as real ones. */

import type { ErrorCode } from "../../../core/errors.ts";
import type { EndReason } from "../../../core/events.ts";
import type { RunId } from "../../../core/ids.ts";
import { concluded, reduce, type ReplyDocument } from "../../../core/reply/document.ts";
import type { Outcome } from "../../../core/run.ts";
import { HALF_WRITTEN, SAMPLES } from "./samples.ts";

export interface GalleryItem {
  /** Unique; the end of the item's address. */
  readonly id: string;
  readonly title: string;
  readonly document: ReplyDocument;
}

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
  "model_garbage",
  "model_cut",
  "model_timeout",
  "context_length",
  "history_failed",
  "attempts_used_up",
  "panic",
];
/** What a provider may say; none of it may be seen. */
const HOSTILE_MESSAGE =
  'openai: 401 {"error":{"message":"Incorrect API key sk-live-0123456789abcdef0123"}} at https://api.example.com/v1 <b>x</b>';

const PARTIAL = "I have read both pages. The first says that the release moves to Thursday, and the sec";

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
      ...HALF_WRITTEN.map(({ id, title, markdown }) => ({ id, title, document: writing(markdown) })),
    ],
  },
  {
    title: "How it ends",
    items: [
      { id: "end-blank", title: "stop, with nothing said", document: ended(BLANK, { reason: "stop" }) },
      ...REASONS.map((reason) => ({
        id: `end-${reason.replace("_", "-")}`,
        title: reason,
        document: ended(said(PARTIAL), { reason }),
      })),
      ...ERRORS.map((code) => ({
        id: `end-error-${code.replaceAll("_", "-")}`,
        title: `error: ${code}`,
        document: ended(code === "model_cut" ? said(PARTIAL) : BLANK, {
          reason: "error",
          error: { code, message: HOSTILE_MESSAGE },
        }),
      })),
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
