/** Slack's own streaming, as replies in direct messages use it (ADR 22), and the pace of the session status. */

import { setTimeout as sleep } from "node:timers/promises";
import type { SlackAnswer, SlackData } from "../../src/adapters/slack/api.ts";
import { isTaken, outcomeOf, tsOf, type Place } from "./place.ts";
import { found, type Finding } from "../smoke/report.ts";

export interface Recipient {
  readonly user: string;
  readonly team: string;
}

/** Where Slack takes more than that, the question is answered. */
const MOST_PIECES = 20;
const PIECE = `${"word ".repeat(199)}\n\n`;
const MOST_STATUS_CALLS = 120;
const EVERY_MS = 20_000;
const MOST_MS = 8 * 60_000;

/** How a stream may begin, and how much it takes. */
export async function checkStreams(
  place: Place,
  recipient: Recipient | undefined,
): Promise<readonly Finding[]> {
  const alone = await start(place, { ...recipientOf(recipient) });
  await end(place, alone);
  const findings = [found("A stream can begin without a thread", isTaken(alone), outcomeOf(alone))];
  const root = tsOf(await place.post({ text: "Smoke test of Bobbin, goes away by itself: streams" }));
  const nobody = await start(place, { thread_ts: root });
  await end(place, nobody);
  const isTakenAlone = isTaken(nobody);
  const needsReader = isTakenAlone === undefined ? undefined : !isTakenAlone;
  findings.push(found("A stream in a channel needs to be told its reader", needsReader, outcomeOf(nobody)));
  if (recipient === undefined) return findings;
  const stream = await start(place, { thread_ts: root, ...recipientOf(recipient) });
  const ts = tsOf(stream);
  const claim = "A stream takes 9,000 characters";
  if (ts === undefined) return [...findings, found(claim, undefined, outcomeOf(stream))];
  let taken = 0;
  let answer = stream;
  while (taken < MOST_PIECES) {
    await sleep(700);
    answer = await append(place, ts);
    if (answer.kind !== "ok") break;
    taken++;
  }
  await end(place, stream);
  findings.push(...(await checkPage(place, root, recipient)));
  const saw = `${taken * PIECE.length} characters, then: ${answer.kind === "ok" ? "stopped by the test" : outcomeOf(answer)}`;
  return [...findings, found(claim, taken * PIECE.length >= 9_000, saw)];
}

/** What a reply that is streamed is made of, and how it is found again and put right. */
async function checkPage(
  place: Place,
  root: string | undefined,
  recipient: Recipient,
): Promise<readonly Finding[]> {
  const key = "bobbin-smoke-stream";
  const text = { type: "plain_text", text: "Nothing", emoji: false };
  const button = { type: "button", text, action_id: "bobbin_smoke", value: "none" };
  const chunks = [
    { type: "blocks", blocks: [{ type: "actions", block_id: key, elements: [button] }] },
    { type: "task_update", id: "status", title: "Testing…", status: "in_progress" },
    { type: "markdown_text", text: "Smoke test of Bobbin" },
  ];
  const { channel } = place;
  const to = { channel, thread_ts: root, ...recipientOf(recipient) };
  const stream = await place.call("chat.startStream", { ...to, chunks });
  const findings = [
    found("A stream begins with a button, a task and words", isTaken(stream), outcomeOf(stream)),
  ];
  const ts = tsOf(stream);
  if (ts === undefined || root === undefined) return findings;
  place.remember(ts);
  const shown = (await place.thread(root))?.find((message) => message["ts"] === ts);
  const keepsName = shown === undefined ? undefined : JSON.stringify(shown).includes(key);
  findings.push(found("A stream keeps the name of its first block", keepsName, String(keepsName)));
  const early = await place.call("chat.update", { channel, ts, text: "Too early" });
  const isTakenEarly = isTaken(early);
  const isRefused = isTakenEarly === undefined ? undefined : !isTakenEarly;
  findings.push(found("What is streamed cannot be edited", isRefused, outcomeOf(early)));
  await end(place, stream);
  const late = await place.call("chat.update", { channel, ts, text: "Smoke test of Bobbin" });
  return [...findings, found("What was streamed can be edited", isTaken(late), outcomeOf(late))];
}

/** Takes up to ten minutes. */
export async function checkSlowly(
  place: Place,
  recipient: Recipient | undefined,
): Promise<readonly Finding[]> {
  const root = tsOf(await place.post({ text: "Smoke test of Bobbin, goes away by itself: patience" }));
  return [await statusPace(place, root), await streamLife(place, root, recipient)];
}

async function statusPace(place: Place, root: string | undefined): Promise<Finding> {
  const claim = "The session status may be set 50 times a minute";
  const where = { channel_id: place.channel, thread_ts: root };
  for (let count = 0; count < MOST_STATUS_CALLS; count++) {
    const status = count % 2 === 0 ? "processing" : "active";
    const answer = await place.once("agents.sessions.setStatus", { ...where, status });
    if (answer.kind === "ok") continue;
    const isLimit = answer.kind === "rate_limited";
    return found(claim, isLimit ? count >= 50 : undefined, `${count} times, then: ${outcomeOf(answer)}`);
  }
  return found(claim, true, `${MOST_STATUS_CALLS} times without a refusal`);
}

async function streamLife(
  place: Place,
  root: string | undefined,
  recipient: Recipient | undefined,
): Promise<Finding> {
  const claim = "A stream that goes on lives longer than five minutes";
  const begun = performance.now();
  const stream = await start(place, { thread_ts: root, ...recipientOf(recipient) });
  const ts = tsOf(stream);
  if (ts === undefined) return found(claim, undefined, outcomeOf(stream));
  const seconds = (): number => Math.round((performance.now() - begun) / 1_000);
  while (performance.now() - begun < MOST_MS) {
    await sleep(EVERY_MS);
    const answer = await place.once("chat.appendStream", {
      channel: place.channel,
      ts,
      markdown_text: "more ",
    });
    if (answer.kind === "ok") continue;
    await end(place, stream);
    return found(claim, seconds() > 300, `${outcomeOf(answer)} after ${seconds()} s`);
  }
  await end(place, stream);
  return found(claim, true, `alive after ${seconds()} s`);
}

function recipientOf(recipient: Recipient | undefined): SlackData {
  return recipient === undefined
    ? {}
    : { recipient_user_id: recipient.user, recipient_team_id: recipient.team };
}

async function start(place: Place, args: SlackData): Promise<SlackAnswer> {
  const answer = await place.call("chat.startStream", {
    channel: place.channel,
    markdown_text: "Smoke test of Bobbin ",
    ...args,
  });
  const ts = tsOf(answer);
  if (ts !== undefined) place.remember(ts);
  return answer;
}

function append(place: Place, ts: string): Promise<SlackAnswer> {
  return place.call("chat.appendStream", { channel: place.channel, ts, markdown_text: PIECE });
}

async function end(place: Place, stream: SlackAnswer): Promise<void> {
  const ts = tsOf(stream);
  if (ts !== undefined) await place.call("chat.stopStream", { channel: place.channel, ts });
}
