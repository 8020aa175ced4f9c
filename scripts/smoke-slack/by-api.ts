/** What Slack tells without a person: each check posts a thread of its own and reads it back. */

import { randomUUID } from "node:crypto";
import type { SlackData } from "../../src/adapters/slack/api.ts";
import { formatPage, type SlackMessage } from "../../src/adapters/slack/format.ts";
import { metadataOf } from "../../src/adapters/slack/find-post.ts";
import { fieldsOf, listOf, textOf } from "../../src/adapters/slack/payload.ts";
import { SCOPES } from "../../src/adapters/slack/scopes.ts";
import { isTaken, outcomeOf, tsOf, type Place } from "./place.ts";
import { found, type Finding } from "../smoke/report.ts";

export type Check = (place: Place) => Promise<readonly Finding[]>;

export const API_CHECKS: readonly Check[] = [
  scopes,
  keysAndEdits,
  editSizes,
  sessionStatus,
  rootDeletedAlone,
  rootDeletedWithReplies,
  history,
];

async function scopes(place: Place): Promise<readonly Finding[]> {
  const claim = "Slack has granted all scopes of the manifest";
  const answer = await place.call("auth.test", {});
  const granted = answer.kind === "ok" ? listOf(fieldsOf(answer.data["response_metadata"])["scopes"]) : [];
  if (granted.length === 0) return [found(claim, undefined, `not told: ${outcomeOf(answer)}`)];
  const missing = Object.keys(SCOPES).filter((scope) => !granted.includes(scope));
  const more = granted.map(String).filter((scope) => !Object.hasOwn(SCOPES, scope));
  const saw = missing.length === 0 ? "all there" : `missing: ${missing.join(", ")}`;
  return [
    found(claim, missing.length === 0, more.length === 0 ? saw : `${saw}; besides: ${more.join(", ")}`),
  ];
}

/** A page as Bobbin posts it, and as it edits it. */
function pageOf(markdown: string, key?: string): Extract<SlackMessage, { kind: "message" }> {
  const page = formatPage(
    { markdown, footer: "Bobbin's smoke test", buttons: [] },
    key === undefined ? {} : { key },
  );
  if (page.kind !== "message") throw new Error("the page of the test has to be one");
  return page;
}

async function rootOf(place: Place, words: string): Promise<string | undefined> {
  return tsOf(await place.post({ text: `Smoke test of Bobbin, goes away by itself: ${words}` }));
}

async function keysAndEdits(place: Place): Promise<readonly Finding[]> {
  const claims = {
    metadata: "A post's metadata can be read back where it is asked for",
    plain: "Metadata is given only where it is asked for",
    block: "The id of a post's first block is read back",
    kept: "An edit without metadata keeps the metadata of the post",
    edited: "An edit with blocks shows no mark of having been edited",
    args: "An edit takes parse and link_names without a warning",
  };
  const root = await rootOf(place, "keys and edits");
  const key = `smoke:${randomUUID()}`;
  const { text, blocks } = pageOf("**A page** with `code`.", key);
  const posted = await place.post({ thread_ts: root, text, blocks, metadata: metadataOf(key) });
  const ts = tsOf(posted);
  if (root === undefined || ts === undefined) {
    return Object.values(claims).map((claim) => found(claim, undefined, outcomeOf(posted)));
  }
  const look = async (args: SlackData): Promise<SlackData | undefined> =>
    (await place.thread(root, args))?.find((message) => message["ts"] === ts);
  const hasKey = (message: SlackData | undefined): boolean | undefined =>
    message === undefined
      ? undefined
      : fieldsOf(fieldsOf(message["metadata"])["event_payload"])["key"] === key;
  const before = await look({ include_all_metadata: true });
  const plain = await look({});
  const hasBlock =
    before && listOf(before["blocks"]).some((block) => textOf(fieldsOf(block)["block_id"]) === key);
  const edited = await place.call("chat.update", {
    channel: place.channel,
    ts,
    link_names: false,
    parse: "none",
    ...withoutPlain(pageOf("**The same page**, edited.")),
  });
  const after = await look({ include_all_metadata: true });
  const saw = outcomeOf(edited);
  const isDone = edited.kind === "ok";
  return [
    found(claims.metadata, hasKey(before), seen(hasKey(before))),
    found(claims.plain, hasKey(before) === true ? not(hasKey(plain)) : undefined, seen(hasKey(plain))),
    found(claims.block, hasBlock, seen(hasBlock)),
    found(
      claims.kept,
      isDone && hasKey(before) === true ? hasKey(after) : undefined,
      isDone ? seen(hasKey(after)) : saw,
    ),
    found(
      claims.edited,
      isDone && after ? after["edited"] === undefined : undefined,
      isDone ? markOf(after) : saw,
    ),
    found(claims.args, isDone ? saw === "taken" : undefined, saw),
  ];
}

function withoutPlain({ text, blocks }: Extract<SlackMessage, { kind: "message" }>): SlackData {
  return { text, blocks };
}

function not(isThere: boolean | undefined): boolean | undefined {
  return isThere === undefined ? undefined : !isThere;
}

function seen(isThere: boolean | undefined): string {
  return isThere === undefined ? "the message was not given" : isThere ? "there" : "not there";
}

function markOf(message: SlackData | undefined): string {
  if (message === undefined) return "the message was not given";
  return message["edited"] === undefined ? "no mark" : "marked as edited";
}

async function editSizes(place: Place): Promise<readonly Finding[]> {
  const root = await rootOf(place, "sizes");
  const posted = await place.post({ thread_ts: root, text: "a page" });
  const ts = tsOf(posted);
  const long = (length: number): string => "word ".repeat(Math.ceil(length / 5)).slice(0, length - 1) + ".";
  const rich = (length: number): SlackData => ({
    text: "a page",
    blocks: [
      {
        type: "rich_text",
        elements: [{ type: "rich_text_section", elements: [{ type: "text", text: long(length) }] }],
      },
    ],
  });
  const tries = [
    { claim: "An edit takes 4,000 characters of text", args: { text: long(4_000) }, isRoom: true },
    { claim: "An edit refuses 4,001 characters of text", args: { text: long(4_001) }, isRoom: false },
    {
      claim: "An edit takes blocks with 4,000 characters of rich text",
      args: { ...rich(4_000), text: long(4_000) },
      isRoom: true,
    },
    { claim: "An edit takes blocks with 12,000 characters of rich text", args: rich(12_000), isRoom: true },
  ];
  const findings: Finding[] = [];
  for (const { claim, args, isRoom } of tries) {
    if (ts === undefined) findings.push(found(claim, undefined, outcomeOf(posted)));
    else {
      const answer = await place.call("chat.update", { channel: place.channel, ts, ...args });
      const isDone = isTaken(answer);
      findings.push(found(claim, isDone === undefined ? undefined : isDone === isRoom, outcomeOf(answer)));
    }
  }
  return findings;
}

async function sessionStatus(place: Place): Promise<readonly Finding[]> {
  const root = await rootOf(place, "the sign of work");
  const where = { channel_id: place.channel, thread_ts: root };
  const findings: Finding[] = [];
  for (const status of ["processing", "suspended", "active"]) {
    const answer = await place.call("agents.sessions.setStatus", { ...where, status });
    findings.push(found(`A thread takes the session status ${status}`, isTaken(answer), outcomeOf(answer)));
  }
  const older = await place.call("assistant.threads.setStatus", { ...where, status: "is working…" });
  await place.call("assistant.threads.setStatus", { ...where, status: "" });
  return [...findings, found("A thread takes the older status", isTaken(older), outcomeOf(older))];
}

async function rootDeletedAlone(place: Place): Promise<readonly Finding[]> {
  const root = await rootOf(place, "a root that goes, without replies");
  return [
    await afterDeletion(
      place,
      root,
      "A post below a deleted root without replies is refused, or lands in the channel",
    ),
  ];
}

async function rootDeletedWithReplies(place: Place): Promise<readonly Finding[]> {
  const root = await rootOf(place, "a root that goes, with replies");
  await place.post({ thread_ts: root, text: "a reply that stays" });
  return [
    await afterDeletion(
      place,
      root,
      "A post below a deleted root with replies is refused, or lands in the channel",
    ),
  ];
}

/** Bobbin takes back what lands in the channel, and goes on where a post still lands in the thread. */
async function afterDeletion(place: Place, root: string | undefined, claim: string): Promise<Finding> {
  if (root === undefined) return found(claim, undefined, "nothing could be posted");
  const removed = await place.remove(root);
  if (removed.kind !== "ok") return found(claim, undefined, `the root stays: ${outcomeOf(removed)}`);
  const answer = await place.post({ thread_ts: root, text: "a reply below a deleted root" });
  const isBelow = answer.kind === "ok" && textOf(fieldsOf(answer.data["message"])["thread_ts"]) !== undefined;
  const first = (await place.thread(root))?.find((message) => message["ts"] === root);
  const rest =
    first === undefined ? "no root is given" : `the root is ${textOf(first["subtype"]) ?? "there"}`;
  const where = isBelow ? "taken, in the thread" : "taken, in the channel";
  return found(claim, !isBelow, `${answer.kind === "ok" ? where : outcomeOf(answer)}; ${rest}`);
}

async function history(place: Place): Promise<readonly Finding[]> {
  const claim = "Slack gives this app more than 15 messages at once, and twice in a row";
  const ask = (): ReturnType<Place["call"]> =>
    place.once("conversations.history", { channel: place.channel, limit: 100 });
  const first = await ask();
  if (first.kind !== "ok") return [found(claim, undefined, outcomeOf(first))];
  const count = listOf(first.data["messages"]).length;
  const hasMore = first.data["has_more"] === true;
  const second = await ask();
  const saw = `${count} messages${hasMore ? " and more to come" : ""}; then: ${outcomeOf(second)}`;
  if (count > 15) return [found(claim, second.kind === "ok", saw)];
  return [found(claim, hasMore ? false : undefined, saw)];
}
