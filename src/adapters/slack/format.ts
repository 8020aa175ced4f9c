/** A page of a reply as a Slack message: blocks for people to see, and the same as text for where blocks are not shown. Pure. */

import type { Button, ButtonAction, PageContent, PageStep } from "../../core/ports/surface.ts";
import { saysNothing } from "../../core/reply/markdown-tree.ts";
import { clipped, headOf } from "../../core/text.ts";
import { blocksOf, type PageBlock } from "./blocks.ts";
import { escapedLength, escapeSigns, mrkdwnOf } from "./mrkdwn.ts";
import { richMarkdown } from "./rich-markdown.ts";

/** The most that `chat.update` takes as text; a post would take more, but a page has to be editable. */
const TEXT_LIMIT = 4_000;
/** What the plain text of a message may need besides the page's own. */
const ROOM = 400;
/** Units of `measure`. */
export const PAGE_SIZE = TEXT_LIMIT - ROOM;
/** Slack's limits of a button's text and value, and of a block's id. */
const LABEL_LIMIT = 75;
const VALUE_LIMIT = 2_000;
/** Of the buttons of its question. */
const CONFIRM_LIMIT = 30;
const BLOCK_ID_LIMIT = 255;
const TASK_LIMIT = 256;
/** One line. */
const LINE_LIMIT = 300;
/** Of the line below an answer, in UTF-16 units. */
export const FOOTER_SIZE = LINE_LIMIT;

/** Before what a click on a button comes back with. */
const OURS = "bobbin_";
/** Of the two buttons that Slack has for what people think of an answer: which of them it was stands in its value. */
export const FEEDBACK_ID = `${OURS}feedback`;

/** What a click on a button comes back with. */
export const actionIdOf = (action: Button["action"]): string => `${OURS}${action}`;

/** What a button of ours asks for, in this version or another one. Undefined for what is none of ours. */
export function actionIn(actionId: string): string | undefined {
  return actionId.startsWith(OURS) ? actionId.slice(OURS.length) : undefined;
}

/** Small, since they stand below each answer. */
const SIGNS: Partial<Readonly<Record<ButtonAction, string>>> = { good: "👍", bad: "👎" };

interface PlainText {
  readonly type: "plain_text";
  readonly text: string;
  readonly emoji: false;
}

interface FeedbackButton {
  readonly text: PlainText;
  readonly value: string;
}

export interface TaskCard {
  readonly type: "task_card";
  readonly task_id: string;
  readonly title: string;
  readonly status: "in_progress" | "complete" | "error";
}

export type SlackBlock =
  | PageBlock
  | {
      readonly type: "plan";
      readonly block_id?: string;
      readonly title: string;
      readonly tasks: readonly TaskCard[];
    }
  | { readonly type: "context"; readonly block_id?: string; readonly elements: readonly PlainText[] }
  | {
      readonly type: "context_actions";
      readonly block_id?: string;
      readonly elements: readonly {
        readonly type: "feedback_buttons";
        readonly action_id: string;
        readonly positive_button: FeedbackButton;
        readonly negative_button: FeedbackButton;
      }[];
    }
  | {
      readonly type: "actions";
      readonly block_id?: string;
      readonly elements: readonly {
        readonly type: "button";
        readonly text: PlainText;
        readonly action_id: string;
        readonly value: string;
        readonly style?: "primary" | "danger";
        readonly confirm?: {
          readonly title: PlainText;
          readonly text: PlainText;
          readonly confirm: PlainText;
          readonly deny: PlainText;
        };
      }[];
    };

export type SlackMessage =
  | {
      readonly kind: "message";
      readonly blocks: readonly SlackBlock[];
      /** What notifications say. Never blank, and within the limit of an edit. */
      readonly text: string;
      /** All that the blocks say but the buttons, for a message without blocks; within the same limit. */
      readonly plain: string;
    }
  | { readonly kind: "too_long" }
  /** Nothing in it could be seen. */
  | { readonly kind: "blank" };

export interface FormatOptions {
  /** Whether a person with this id may be mentioned by the page. Default: nobody. */
  mayMention?(user: string): boolean;
  /** Stands as the id of the first block, so that the message can be told from others. */
  readonly key?: string;
}

/**
 * The size of a page as text: what the escapes make of it. Marks of markdown are never shorter than Slack's but in rare cases,
 * for which `PAGE_SIZE` has room, and for the rest there is `too_long`.
 */
export function measure(markdown: string): number {
  return escapedLength(markdown);
}

export function formatPage(page: PageContent, options: FormatOptions = {}): SlackMessage {
  const rich = saysNothing(page.markdown)
    ? []
    : richMarkdown(page.markdown, (user) => options.mayMention?.(user) ?? false);
  const said = mrkdwnOf(rich);
  const status = page.status === undefined ? "" : `${lineOf(page.status)}…`;
  const footer = page.footer === undefined ? "" : clipped(oneLine(page.footer), FOOTER_SIZE);
  const tasks = (page.steps ?? []).map(taskOf);
  const steps = linesOf(tasks);
  const plain = [said, escapeSigns(steps), escapeSigns(status), escapeSigns(footer)]
    .filter((part) => part !== "")
    .join("\n\n");
  if (plain === "") return { kind: "blank" };
  if (plain.length > TEXT_LIMIT) return { kind: "too_long" };
  const blocks: SlackBlock[] = [
    ...blocksOf(rich),
    ...(tasks.length === 0 ? [] : [{ type: "plan", title: "Steps", tasks } as const]),
    ...[status, footer].filter((line) => line !== "").map(contextOf),
    ...buttonBlocks(page.buttons),
  ];
  return { kind: "message", blocks: withKey(blocks, options.key), text: said === "" ? plain : said, plain };
}

export function taskTitle(text: string): string {
  return headOf(lineOf(text), TASK_LIMIT);
}

function lineOf(text: string): string {
  return headOf(oneLine(text), LINE_LIMIT);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Of a task, here and in a stream. */
export const TASK_STATES = { running: "in_progress", done: "complete", failed: "error" } as const;

function taskOf({ id, line, state }: PageStep): TaskCard {
  return { type: "task_card", task_id: id, title: taskTitle(line) || id, status: TASK_STATES[state] };
}

const linesOf = (tasks: readonly TaskCard[]): string => tasks.map(({ title }) => title).join("\n");

function plainText(text: string): PlainText {
  return { type: "plain_text", text, emoji: false };
}

function contextOf(line: string): SlackBlock {
  return { type: "context", elements: [plainText(line)] };
}

function buttonBlocks(buttons: readonly Button[]): readonly SlackBlock[] {
  const [good, bad] = (["good", "bad"] as const).map((action) =>
    buttons.find((each) => each.action === action),
  );
  if (good === undefined || bad === undefined) return buttons.length === 0 ? [] : [actionsOf(buttons)];
  const others = buttons.filter((each) => each !== good && each !== bad);
  return [
    ...(others.length === 0 ? [] : [actionsOf(others)]),
    {
      type: "context_actions",
      elements: [
        {
          type: "feedback_buttons",
          action_id: FEEDBACK_ID,
          positive_button: feedbackOf(good),
          negative_button: feedbackOf(bad),
        },
      ],
    },
  ];
}

/** Kinds of blocks that a Slack may not have, and for which others can stand. */
export const NEWER_KINDS = ["plan", "context_actions"] as const;
export type NewerKind = (typeof NEWER_KINDS)[number];

export function hasKind(blocks: readonly SlackBlock[], kind: NewerKind): boolean {
  return blocks.some(({ type }) => type === kind);
}

/** The same where Slack does not know these kinds: lines stand for a plan, plain buttons for those for feedback. */
export function withoutKinds(
  blocks: readonly SlackBlock[],
  kinds: ReadonlySet<NewerKind>,
): readonly SlackBlock[] {
  return blocks.map((block) => {
    const named = block.block_id === undefined ? {} : { block_id: block.block_id };
    if (block.type === "plan" && kinds.has("plan")) return { ...contextOf(linesOf(block.tasks)), ...named };
    if (block.type !== "context_actions" || !kinds.has("context_actions")) return block;
    const buttons = block.elements.flatMap(({ positive_button: good, negative_button: bad }) =>
      (["good", "bad"] as const).map((action): Button => {
        const { text, value } = { good, bad }[action];
        return { action, label: text.text, value: value.slice(action.length + 1) };
      }),
    );
    return { ...actionsOf(buttons), ...named };
  });
}

function feedbackOf({ action, label, value }: Button) {
  return { text: plainText(headOf(label, LABEL_LIMIT)), value: headOf(`${action} ${value}`, VALUE_LIMIT) };
}

export function actionsOf(buttons: readonly Button[]): Extract<SlackBlock, { readonly type: "actions" }> {
  return {
    type: "actions",
    elements: buttons.map(({ action, label, value, style, confirm }) => ({
      type: "button",
      text: plainText(headOf(SIGNS[action] ?? label, LABEL_LIMIT)),
      action_id: actionIdOf(action),
      value: headOf(value, VALUE_LIMIT),
      ...(style === undefined ? {} : { style }),
      ...(confirm === undefined ? {} : { confirm: confirmOf(label, confirm) }),
    })),
  };
}

function confirmOf(label: string, question: string) {
  return {
    title: plainText(headOf(label, LABEL_LIMIT)),
    text: plainText(headOf(question, LINE_LIMIT)),
    confirm: plainText(headOf(label, CONFIRM_LIMIT)),
    deny: plainText("Cancel"),
  };
}

function withKey(blocks: readonly SlackBlock[], key: string | undefined): readonly SlackBlock[] {
  const [first, ...rest] = blocks;
  if (first === undefined || key === undefined || key.length > BLOCK_ID_LIMIT) return blocks;
  return [{ ...first, block_id: key }, ...rest];
}
