/** What Discord tells without a person: each check posts something of its own and reads it back. */

import { randomUUID } from "node:crypto";
import { unregistered } from "../../src/adapters/discord/commands.ts";
import type { DiscordIdentity } from "../../src/adapters/discord/identify.ts";
import { found, type Finding } from "../smoke/report.ts";
import { fieldsOf, dataOf, idOf, isRefusedWith, listOf, outcomeOf, type Place } from "./place.ts";

export type Check = (place: Place) => Promise<readonly Finding[]>;

export const API_CHECKS: readonly Check[] = [nonces, lengths, buttons, thread, archived, deletedThread];

const UNKNOWN_MESSAGE = 10_008;
const UNKNOWN_CHANNEL = 10_003;
const THREAD_IS_THERE = 160_004;
const ARCHIVED = 50_083;
const WRONG_FORM = 50_035;

const words = (what: string): string => `Smoke test of Bobbin, goes away by itself: ${what}`;
const isTaken = (answer: Parameters<typeof outcomeOf>[0]): boolean | undefined =>
  answer.kind === "ok" ? true : answer.kind === "refused" ? false : undefined;

async function nonces(place: Place): Promise<readonly Finding[]> {
  const nonce = randomUUID().replaceAll("-", "").slice(0, 24);
  const body = { content: words("nonces"), nonce, enforce_nonce: true };
  const first = await place.post(body);
  const again = await place.post(body);
  const id = idOf(first);
  if (id === undefined) return [found("The bot can post in the channel", false, outcomeOf(first))];
  const history = await place.call("GET", `/channels/${place.channel}/messages`, { query: { limit: "20" } });
  const read = listOf(dataOf(history)).find((message) => message["id"] === id);
  await place.call("DELETE", `/channels/${place.channel}/messages/${id}`);
  const deleted = await place.post(body);
  return [
    found(
      "A post with a nonce that was used is the message that is there",
      idOf(again) === undefined ? undefined : idOf(again) === id,
      idOf(again) === id ? "the same message" : outcomeOf(again),
    ),
    found(
      "A nonce is not read back with the history",
      read === undefined ? undefined : read["nonce"] === undefined,
      read === undefined ? "the message was not given" : read["nonce"] === undefined ? "not there" : "there",
    ),
    found(
      "A post with the nonce of a message that was deleted is an unknown message",
      isRefusedWith(deleted, UNKNOWN_MESSAGE),
      outcomeOf(deleted),
    ),
  ];
}

async function lengths(place: Place): Promise<readonly Finding[]> {
  const begin = words("lengths. ");
  const long = (length: number): string =>
    begin + "word ".repeat(500).slice(0, length - begin.length - 1) + ".";
  const whole = await place.post({ content: long(2_000) });
  const more = await place.post({ content: long(2_001) });
  // Each is one sign and two units of JavaScript's.
  const signs = begin + "🧵".repeat(2_000 - begin.length - 500);
  const wide = await place.post({ content: signs });
  return [
    found("A message takes 2,000 characters", isTaken(whole), outcomeOf(whole)),
    found("A message refuses 2,001 characters", isRefusedWith(more, WRONG_FORM), outcomeOf(more)),
    found(
      "A sign outside of the first 65,536 counts as two, as Bobbin counts it",
      isTaken(wide) === undefined ? undefined : isRefusedWith(wide, WRONG_FORM),
      `${signs.length} units in fewer than 2,000 signs: ${outcomeOf(wide)}`,
    ),
  ];
}

async function buttons(place: Place): Promise<readonly Finding[]> {
  const mark = `bobbin:retry:smoke:${randomUUID().slice(0, 8)}`;
  const row = { type: 1, components: [{ type: 2, style: 2, label: "Nothing happens", custom_id: mark }] };
  const posted = await place.post({ content: words("buttons"), components: [row], flags: 4 });
  const history = await place.call("GET", `/channels/${place.channel}/messages`, { query: { limit: "20" } });
  const read = listOf(dataOf(history)).find((message) => message["id"] === idOf(posted));
  const ids = listOf(read?.["components"]).flatMap((one) =>
    listOf(one["components"]).map((button) => button["custom_id"]),
  );
  const edited = await place.call("PATCH", `/channels/${place.channel}/messages/${idOf(posted) ?? "0"}`, {
    body: { content: words("buttons, gone"), components: [], allowed_mentions: { parse: [] } },
  });
  const { components, flags } = fieldsOf(dataOf(edited));
  return [
    found(
      "The id of a button is read back with the history",
      read === undefined ? undefined : ids.includes(mark),
      read === undefined ? outcomeOf(posted) : ids.includes(mark) ? "there" : "not there",
    ),
    found(
      "An edit with an empty list takes the buttons away",
      edited.kind === "ok" ? listOf(components).length === 0 : isTaken(edited),
      outcomeOf(edited),
    ),
    found(
      "An edit keeps previews suppressed",
      edited.kind === "ok" ? (Number(flags) & 4) !== 0 : undefined,
      edited.kind === "ok" ? `flags ${Number(flags)}` : outcomeOf(edited),
    ),
  ];
}

async function rootOf(place: Place, what: string): Promise<string> {
  return idOf(await place.post({ content: words(what) })) ?? "0";
}

async function thread(place: Place): Promise<readonly Finding[]> {
  const root = await rootOf(place, "a thread");
  const early = await place.post({ content: words("too early") }, root);
  const started = await place.startThread(root, "Smoke test of Bobbin");
  const again = await place.startThread(root, "Smoke test of Bobbin");
  const posted = await place.post({ content: words("in the thread") }, root);
  const history = await place.call("GET", `/channels/${root}/messages`, { query: { limit: "20" } });
  const starter = listOf(dataOf(history)).find((message) => message["type"] === 21);
  const later = await place.call("GET", `/channels/${root}/messages`, {
    query: { after: root, limit: "100" },
  });
  const order = listOf(dataOf(later)).map(({ id }) => BigInt(String(id)));
  return [
    found(
      "A post where no thread is yet is an unknown channel",
      isRefusedWith(early, UNKNOWN_CHANNEL),
      outcomeOf(early),
    ),
    found(
      "A thread has the id of the message that it was started from",
      started.kind === "ok" ? idOf(started) === root : isTaken(started),
      started.kind === "ok" ? (idOf(started) === root ? "the same" : "another") : outcomeOf(started),
    ),
    found("A second start says that it is there", isRefusedWith(again, THREAD_IS_THERE), outcomeOf(again)),
    found("The bot can post in a thread", isTaken(posted), outcomeOf(posted)),
    found(
      "The thread shows the message that it was started from as one that refers to it",
      history.kind === "ok" ? fieldsOf(starter?.["referenced_message"])["id"] === root : undefined,
      starter === undefined ? "no such message" : "it does",
    ),
    found(
      "What came after a message is given with the newest first",
      order.length < 2 ? undefined : order.every((id, at) => at === 0 || id < (order[at - 1] ?? 0n)),
      `${order.length} messages`,
    ),
  ];
}

async function archived(place: Place): Promise<readonly Finding[]> {
  const root = await rootOf(place, "a thread that is archived");
  await place.startThread(root, "Smoke test of Bobbin");
  const posted = await place.post({ content: words("a page") }, root);
  const page: `/${string}` = `/channels/${root}/messages/${idOf(posted) ?? "0"}`;
  const archive = (): ReturnType<Place["call"]> =>
    place.call("PATCH", `/channels/${root}`, { body: { archived: true } });
  const closed = await archive();
  if (closed.kind !== "ok")
    return [found("The bot may archive its own thread", isTaken(closed), outcomeOf(closed))];
  const edit = { body: { content: words("a page, edited"), allowed_mentions: { parse: [] } } };
  const refused = await place.call("PATCH", page, edit);
  const opened = await place.call("PATCH", `/channels/${root}`, { body: { archived: false } });
  const edited = await place.call("PATCH", page, edit);
  await archive();
  const post = await place.post({ content: words("one more") }, root);
  const channel = await place.call("GET", `/channels/${root}`);
  const { archived: isClosed } = fieldsOf(fieldsOf(dataOf(channel))["thread_metadata"]);
  return [
    found(
      "An edit in an archived thread is refused as such",
      isRefusedWith(refused, ARCHIVED),
      outcomeOf(refused),
    ),
    found(
      "The bot may open its own thread again, and edit then",
      isTaken(opened) && isTaken(edited),
      `${outcomeOf(opened)}, ${outcomeOf(edited)}`,
    ),
    found(
      "A post opens an archived thread by itself",
      post.kind === "ok" && channel.kind === "ok" ? isClosed === false : isTaken(post),
      post.kind === "ok" ? (isClosed === false ? "open" : "still archived") : outcomeOf(post),
    ),
  ];
}

/** Whether a reply whose thread was deleted would open another one. */
async function deletedThread(place: Place): Promise<readonly Finding[]> {
  const root = await rootOf(place, "a thread that is deleted");
  await place.startThread(root, "Smoke test of Bobbin");
  const deleted = await place.call("DELETE", `/channels/${root}`);
  const claim = "Below a message whose thread was deleted no other one can be started";
  // Only who may manage threads can delete one.
  if (deleted.kind !== "ok")
    return [found(claim, undefined, `it could not be deleted: ${outcomeOf(deleted)}`)];
  const again = await place.startThread(root, "Smoke test of Bobbin");
  return [found(claim, isTaken(again) === undefined ? undefined : again.kind !== "ok", outcomeOf(again))];
}

/** What of the application can be seen, without a change of it. */
export async function commandsFinding(place: Place, bot: DiscordIdentity): Promise<Finding> {
  const answer = await place.call("GET", `/applications/${bot.app}/commands`);
  const claim = "The commands read as they were registered, so that no start registers them again";
  const list = listOf(dataOf(answer));
  if (answer.kind !== "ok") return found(claim, undefined, outcomeOf(answer));
  if (list.length === 0) return found(claim, undefined, "none yet: start Bobbin once");
  const other = unregistered(list, bot.installs);
  return found(
    claim,
    other.length === 0,
    other.length === 0 ? `${list.length} commands` : `not ${other.join(", ")}`,
  );
}
