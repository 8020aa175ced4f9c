/** A page of a reply as a Discord message: text with small print below, and buttons. Pure. */

import type { Button, ButtonAction, PageContent } from "../../core/ports/surface.ts";
import { clipped, headOf } from "../../core/text.ts";
import { escapesIn, escapeText } from "./inline-markdown.ts";
import { discordMarkdown } from "./markdown.ts";

/** Discord's limit of a message. */
const TEXT_LIMIT = 2_000;
/** For status and footer, and for marks that Discord writes longer than markdown does. */
const ROOM = 250;
/** Units of `measure`. */
export const PAGE_SIZE = TEXT_LIMIT - ROOM;
/** Discord's limits of a button's label and of the id that comes back with a click. */
const LABEL_LIMIT = 80;
const ID_LIMIT = 100;
/** One line. */
const LINE_LIMIT = 150;
/** Of the line below an answer, in UTF-16 units; a status and such a line never stand together. */
export const FOOTER_SIZE = 240;

const ROW = 1;
const BUTTON = 2;
/** Grey, where no button is what a person has to press. */
const SECONDARY = 2;
/** Small, since they stand below each answer. */
const SIGNS: Partial<Readonly<Record<ButtonAction, string>>> = { good: "👍", bad: "👎" };
const STYLES = { primary: 1, danger: 4 } as const;

interface ActionRow {
  readonly type: typeof ROW;
  readonly components: readonly {
    readonly type: typeof BUTTON;
    readonly style: 1 | 2 | 4;
    readonly label: string;
    readonly custom_id: string;
  }[];
}

export type DiscordMessage =
  | { readonly kind: "message"; readonly content: string; readonly components: readonly ActionRow[] }
  | { readonly kind: "too_long" }
  /** Nothing in it could be seen. */
  | { readonly kind: "blank" };

/** The size of a page as Discord counts it: its text with all escapes. Marks are counted as if each were escaped. */
export function measure(markdown: string): number {
  return markdown.length + escapesIn(markdown);
}

/** @param mark stands in the ids of the buttons, so that the message can be told from others. */
export function formatPage(page: PageContent, mark = ""): DiscordMessage {
  const said = discordMarkdown(page.markdown);
  const status = page.status === undefined ? "" : smallPrint(`${lineOf(page.status)}…`);
  const footer = page.footer === undefined ? "" : smallPrint(clipped(oneLine(page.footer), FOOTER_SIZE));
  const steps = (page.steps ?? []).map(({ line }) => smallPrint(lineOf(line)));
  const content = [said, ...steps, status, footer].filter((part) => part !== "").join("\n");
  if (content === "") return { kind: "blank" };
  if (content.length > TEXT_LIMIT) return { kind: "too_long" };
  const components = page.buttons.length === 0 ? [] : [rowOf(page.buttons, mark)];
  return { kind: "message", content, components };
}

const CUSTOM_ID = /^bobbin:([a-z]+):([^:]+)(?::([\w-]*))?$/;

export interface Clicked {
  /** Of a button that another version made it may be none of ours. */
  readonly action: string;
  readonly value: string;
  /** Of the message that the button was posted with. */
  readonly mark: string;
}

/** What stands in the id of a button; undefined for one that is not ours. */
export function readCustomId(id: string): Clicked | undefined {
  const [, action, value = "", mark = ""] = CUSTOM_ID.exec(id) ?? [];
  return action === undefined ? undefined : { action, value, mark };
}

function rowOf(buttons: readonly Button[], mark: string): ActionRow {
  return {
    type: ROW,
    components: buttons.map(({ action, label, value, style }) => ({
      type: BUTTON,
      style: style === undefined ? SECONDARY : STYLES[style],
      label: headOf(SIGNS[action] ?? label, LABEL_LIMIT),
      custom_id: headOf(`bobbin:${action}:${value}:${mark}`, ID_LIMIT),
    })),
  };
}

function smallPrint(line: string): string {
  return line === "" ? "" : `-# ${escapeText(line)}`;
}

function lineOf(text: string): string {
  return headOf(oneLine(text), LINE_LIMIT);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
