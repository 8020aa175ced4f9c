/**
 * A message or a click of a person, from the checked body to the receipt. In this order: the row that the thread shows
 * together with the inbound, and only then the acknowledgement. Each step may be repeated with the same id without harm, which
 * is how a browser recovers when one of them failed.
 */

import type { z } from "zod";
import { isAside } from "../../core/aside.ts";
import type { Author } from "../../core/inbound.ts";
import { clickOf, UNKNOWN_BUTTON } from "../../core/command/button.ts";
import type { Commands } from "../../core/command/commands.ts";
import { parseCommand } from "../../core/command/parse.ts";
import type { PageContent } from "../../core/ports/surface.ts";
import type { WebInbox, WebMessages } from "../../core/ports/web-messages.ts";
import type { Intake, Receipt } from "../../core/run/intake.ts";
import { cleanText, isBlank } from "../../core/text.ts";
import type { SessionId } from "../../core/thread.ts";
import { tellOfRow, tellOfThreads, type ChangeDeps } from "./changes.ts";
import type { KnownThreads } from "./known-threads.ts";
import {
  commandIdOf,
  mentions,
  sessionOfRoot,
  toMessageInbound,
  type actionBody,
  type messageBody,
} from "./parse.ts";

export type Received =
  /** Stored. For the person alone: `notice`, one line, or `details`, markdown that belongs below the message. */
  | {
      readonly kind: "stored";
      readonly session: SessionId;
      readonly notice?: string;
      readonly details?: string;
      /** Stands in the box to write in from now on. */
      readonly fill?: string;
    }
  | { readonly kind: "unknown_thread" }
  | { readonly kind: "refused"; readonly why: string };

export interface ReceiveDeps extends ChangeDeps {
  readonly intake: Intake;
  readonly commands: Commands;
  readonly messages: WebMessages;
  readonly arrivals: WebInbox;
  readonly threads: KnownThreads;
}

/** Rejects when something could not be stored; the sender keeps what it has and sends it again with the same id. */
export async function receiveMessage(
  deps: ReceiveDeps,
  author: Author,
  body: z.infer<typeof messageBody>,
  botName: string,
): Promise<Received> {
  if (isBlank(body.text)) return { kind: "refused", why: "There is nothing to send." };
  const session = body.thread === undefined ? sessionOfRoot(body.id) : await deps.threads.find(body.thread);
  if (session === undefined) return { kind: "unknown_thread" };

  const page: PageContent = { markdown: cleanText(body.text).trim(), buttons: [] };
  const message = { session, id: body.id, speaker: author.name, page };
  const isRoot = body.thread === undefined;
  const isMention = (text: string): boolean => isRoot || mentions(text, botName);
  if (!isAside(page.markdown) && parseCommand(page.markdown) === undefined) {
    const receipt = await storeWhole(deps, author, { ...message, isMention: isMention(page.markdown) });
    if (receipt?.kind === "refused") await say(deps, session, { id: body.id, botName }, receipt.answer);
    if (receipt !== undefined) return { kind: "stored", session };
  }
  // A command, an aside, or a repeat.
  const row = await deps.messages.insert({ ...message, from: "person" });
  deps.threads.add(session);
  if (row.from !== "person") return { kind: "refused", why: "This message id is taken." };
  // What was stored first counts, also when a repeat says something else.
  const text = row.page.markdown;

  if (isAside(text)) {
    await Promise.all([tellOfRow(deps, row), tellOfThreads(deps)]);
    return { kind: "stored", session };
  }
  const command = parseCommand(text);
  if (command !== undefined) {
    const request = { session, author, id: commandIdOf(body.id), at: row.at, mayBegin: true } as const;
    const answer = await deps.commands.run(command, request);
    await say(deps, session, { id: body.id, botName }, answer.text);
    return { kind: "stored", session };
  }

  // The telling needs no answer of the intake: the row is there, and other windows may show it.
  const [receipt] = await Promise.all([
    deps.intake.receive(
      toMessageInbound({ session, id: body.id, author, text, at: row.at, isMention: isMention(text) }),
    ),
    tellOfRow(deps, row),
    tellOfThreads(deps),
  ]);
  if (receipt.kind === "refused") await say(deps, session, { id: body.id, botName }, receipt.answer);
  if (receipt.kind === "ignored") return { kind: "refused", why: "The bot does not take messages here." };
  return { kind: "stored", session };
}

/**
 * The bot's answer to what is no turn of the model's. A repeat says it once more, and then nothing changes. Without words (the
 * thread's own settings keep the message from the bot) nothing is said.
 */
async function say(
  deps: ReceiveDeps,
  session: SessionId,
  { id, botName }: { readonly id: string; readonly botName: string },
  markdown: string | undefined,
): Promise<void> {
  if (markdown === undefined) return;
  const page = { markdown, buttons: [] };
  const told = await deps.messages.insert({
    session,
    id: `${id}-answer`,
    from: "bot",
    speaker: botName,
    page,
  });
  await Promise.all([tellOfRow(deps, told), tellOfThreads(deps)]);
}

/** The way that nearly every message takes. Undefined, and nothing is stored, where the id is there already or has to be counted. */
async function storeWhole(
  deps: ReceiveDeps,
  author: Author,
  { isMention, ...message }: Parameters<WebInbox["put"]>[0] & { readonly isMention: boolean },
): Promise<Receipt | undefined> {
  const { session, id, page } = message;
  const at = deps.clock.now();
  const inbound = toMessageInbound({ session, id, author, text: page.markdown, at, isMention });
  let put: Awaited<ReturnType<WebInbox["put"]>>;
  // The bell first: somebody waits for the answer, and the telling is for other windows.
  const receipt = await deps.intake.receive(inbound, async (admission) => {
    if (admission.counted === undefined) put = await deps.arrivals.put(message, inbound, admission);
    if (put === undefined) return { kind: "ignored" };
    deps.threads.add(session);
    return put.stored;
  });
  if (put === undefined) return undefined;
  await Promise.all([tellOfRow(deps, put.row), tellOfThreads(deps)]);
  return receipt;
}

/** A click. What comes of it shows in the reply itself; the result is a notice for who clicked. */
export async function receiveAction(
  deps: ReceiveDeps,
  author: Author,
  body: z.infer<typeof actionBody>,
): Promise<Received> {
  const session = await deps.threads.find(body.thread);
  if (session === undefined) return { kind: "unknown_thread" };
  if (body.action === "edit") {
    const { id: goal, text } = await deps.commands.goalForm(session);
    return goal === undefined
      ? { kind: "stored", session, notice: "That goal has ended." }
      : { kind: "stored", session, fill: `/goal edit ${text}` };
  }
  const clicked = clickOf(body.action, body.value);
  if (clicked === undefined) return { kind: "stored", session, notice: UNKNOWN_BUTTON };
  // A button that stops goes with the end of its answer, in every window: there is none that was left standing.
  const about = clicked.command.name === "stop" ? {} : clicked.about;
  const request = { session, author, id: commandIdOf(body.id), at: deps.clock.now(), ...about };
  const result = await deps.commands.run(clicked.command, request);
  return {
    kind: "stored",
    session,
    [clicked.command.name === "details" ? "details" : "notice"]: result.text,
  };
}
