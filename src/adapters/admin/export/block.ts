/** An item as people read it, the same for each format that is for reading. */

import type {
  EntryItem,
  ExportItem,
  GoalItem,
  InboundItem,
  RemarkItem,
  RunItem,
} from "../../../core/admin/export/items.ts";
import { formatDuration } from "../../../core/measure.ts";
import { usageText } from "../pages/thread-run.ts";

export interface Block {
  /** `said`: what people saw; `aside`: what only the model, or only those who review, see. */
  readonly level: "thread" | "run" | "said" | "aside";
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly facts: readonly string[];
  readonly texts: readonly string[];
}

/** Undefined for what stands in another item already. */
export function blockOf(item: ExportItem): Block | undefined {
  const { at } = item;
  switch (item.kind) {
    case "thread": {
      const { thread, title, touchedAt, branchedFrom } = item;
      const branched = branchedFrom === undefined ? [] : [`branched from ${branchedFrom}`];
      return {
        level: "thread",
        title,
        at,
        facts: [thread, `last touched ${touchedAt}`, ...branched],
        texts: [],
      };
    }
    case "remark":
      return remarkBlock(item);
    case "goal":
      return goalBlock(item);
    case "inbound":
      return inboundBlock(item);
    case "run":
      return runBlock(item);
    case "call": {
      const { round, model, durationMs, outcome, error, usage, purpose } = item;
      const failed = outcome === "done" ? [] : [error === undefined ? outcome : `${outcome}: ${error}`];
      const facts = [formatDuration(durationMs), usageText(usage), ...failed];
      return { level: "aside", title: `Request ${purpose ?? round} to ${model}`, at, facts, texts: [] };
    }
    case "entry":
      return entryBlock(item);
    case "result":
      return {
        level: "aside",
        title: `All of the result ${item.call}`,
        at,
        facts: [],
        texts: [item.content],
      };
    default:
      return item satisfies never;
  }
}

function remarkBlock({ at, type, by, text, about, assignee, resolvedAt, resolvedBy }: RemarkItem): Block {
  const facts = [
    about === undefined ? undefined : `about entry ${about.epoch}.${about.seq}`,
    assignee === undefined ? undefined : `with ${assignee}`,
    resolvedAt === undefined ? undefined : `resolved by ${resolvedBy ?? "somebody"}, ${resolvedAt}`,
  ].filter((fact) => fact !== undefined);
  const what = type === "note" ? "Note of a reviewer" : `Flag: ${type}`;
  return { level: "aside", title: `${what}, by ${by}`, at, facts, texts: [text] };
}

function goalBlock({ at, event, by, status, objective, evidence, verdict, reactions = [] }: GoalItem): Block {
  const who = by === undefined ? "" : ` by ${by}`;
  const checked = verdict === undefined ? [] : [`the check: ${verdict.kind}`];
  const given = lines(reactions.map((reaction) => reactionText(reaction)));
  const texts = [objective, evidence, verdict?.reason, ...given].filter((text) => text !== undefined);
  return { level: "aside", title: `Goal: ${event}${who}`, at, facts: [`then ${status}`, ...checked], texts };
}

function inboundBlock(item: InboundItem): Block {
  const { at, type, author, message, parts, text, command, state, fate, reason, rule, toldModel } = item;
  const { reactions = [] } = item;
  const who = `${author.name} (${author.id})`;
  const facts = [fate ?? state, reason, rule === reason ? undefined : rule].filter(
    (fact) => fact !== undefined,
  );
  const value = command?.value === undefined ? "" : ` ${command.value}`;
  const titles: Readonly<Record<InboundItem["type"], string>> = {
    message: who,
    edit: `${who} edited ${message ?? ""}`,
    delete: `${who} deleted ${message ?? ""}`,
    command: `${who} gave ${command?.name ?? ""}${value}`,
    note: "The bot noted for the model",
  };
  const said = [...(parts ?? []).flatMap(partText), ...(text === undefined ? [] : [text])];
  const told = toldModel === undefined ? [] : [`The model was told: ${toldModel}`];
  const given = reactions.map((reaction) => reactionText(reaction));
  return {
    level: type === "note" ? "aside" : "said",
    title: titles[type],
    at,
    facts,
    texts: [...said, ...told, ...lines(given)],
  };
}

/** All in one piece, where there are any. */
function lines(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [texts.join("\n")];
}

function reactionText(
  { by, emoji, at, takenBackAt }: NonNullable<InboundItem["reactions"]>[number],
  message?: string,
): string {
  const to = message === undefined ? "" : ` to ${message}`;
  const taken = takenBackAt === undefined ? "" : `, taken back ${takenBackAt}`;
  return `${emoji} from ${by.name} (${by.id})${to}, ${at}${taken}`;
}

function partText(part: NonNullable<InboundItem["parts"]>[number]): readonly string[] {
  switch (part.kind) {
    case "text":
      return [part.text];
    case "note":
      return [`For the model only: ${part.text}`];
    case "image":
    case "file":
      return [`[${part.kind}${part.name === undefined ? "" : ` ${part.name}`}, ${part.mimeType}]`];
    default:
      return part satisfies never;
  }
}

function runBlock(item: RunItem): Block {
  const { id, at, cause, requester, rounds, endedAt, reason, error, usage, attempts, goalSaid } = item;
  const { reactions = [] } = item;
  const took = endedAt === undefined ? [] : [formatDuration(Date.parse(endedAt) - Date.parse(at))];
  const facts = [
    id,
    `${rounds} ${rounds === 1 ? "round" : "rounds"}`,
    ...took,
    usageText(usage),
    ...(attempts.length > 1 ? [`${attempts.length} claims`] : []),
  ];
  const texts = [
    ...(error === undefined ? [] : [`${error.code}: ${error.message}`]),
    ...(goalSaid ? [goalSaid] : []),
    ...lines(reactions.map((reaction) => reactionText(reaction, reaction.message))),
  ];
  return { level: "run", title: `${cause} of ${requester}: ${reason ?? "running"}`, at, facts, texts };
}

function entryBlock(item: EntryItem): Block | undefined {
  const { at, epoch, seq, type, author, inbound, parts = [], text = "", calls = [], images = [] } = item;
  const place = `entry ${epoch}.${seq}`;
  const aside = (title: string, texts: readonly string[], facts: readonly string[] = []): Block => ({
    level: "aside",
    title,
    at,
    facts: [place, ...facts],
    texts,
  });
  switch (type) {
    case "user": {
      // What somebody wrote stands there as they wrote it.
      const shown = inbound === undefined ? parts : parts.filter(({ kind }) => kind === "note");
      if (shown.length === 0) return undefined;
      return aside(
        author === undefined ? "Told to the model" : `${author.name} (${author.id})`,
        shown.flatMap(partText),
      );
    }
    case "assistant": {
      const facts = [place, ...(item.interrupted ? ["interrupted"] : []), ...(item.cut ? ["cut"] : [])];
      const asked = calls.map((call) => `calls ${call.name} (${call.id}): ${call.arguments}`);
      const drawn = images.map(imageText);
      const texts = [...(text === "" ? [] : [text]), ...drawn, ...asked];
      return {
        level: text === "" && drawn.length === 0 ? "aside" : "said",
        title: "Bobbin",
        at,
        facts,
        texts,
      };
    }
    case "tool":
      return aside(
        `Result of ${item.name ?? ""}`,
        [text, ...images.map(imageText)],
        [item.call ?? "", ...(item.ok ? [] : ["failed"])],
      );
    case "note":
      return aside("Note of the bot, for the model only", [text]);
    case "summary":
      return aside(`Summary of all up to ${item.upTo ?? 0}`, [text]);
    default:
      return type satisfies never;
  }
}

function imageText({ mimeType, alt, hash }: NonNullable<EntryItem["images"]>[number]): string {
  const more = [alt, hash === undefined ? undefined : `SHA-256 ${hash}`].filter((each) => each !== undefined);
  return `[image, ${[mimeType, ...more].join(", ")}]`;
}
