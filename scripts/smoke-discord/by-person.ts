/** What only a person can do or see: one thing at a time, with what Discord sends of it. */

import type { DiscordIdentity } from "../../src/adapters/discord/identify.ts";
import { found, type Finding } from "../smoke/report.ts";
import type { Talk } from "../smoke/talk.ts";
import type { Dispatch, SmokeGateway } from "./gateway.ts";
import { fieldsOf, idOf, listOf, outcomeOf, type Fields, type Place } from "./place.ts";

export interface Mention {
  readonly channel: string;
  readonly message: string;
}

const isFrom = (data: Fields): boolean => fieldsOf(data["author"])["bot"] !== true;
const textOf = (data: Fields): string => (typeof data["content"] === "string" ? data["content"] : "");

/** The mention with which the walk begins: where it was written, and what came of it. */
export async function awaitMention(
  talk: Talk,
  gateway: SmokeGateway,
  bot: DiscordIdentity,
): Promise<{ readonly mention: Mention | undefined; readonly findings: readonly Finding[] }> {
  talk.tell(`In a text channel for tests write: @${bot.name} smoke`);
  const isCall = ({ type, data }: Dispatch): boolean =>
    type === "MESSAGE_CREATE" &&
    data["guild_id"] !== undefined &&
    textOf(data).includes(`<@`) &&
    isFrom(data);
  const first = await gateway.next(isCall, talk.patienceMs);
  const guilds = gateway.heard.filter(({ type }) => type === "GUILD_CREATE");
  const shows = guilds.every(({ data }) => Array.isArray(data["threads"]) && Array.isArray(data["channels"]));
  const findings = [
    found(
      "Each server comes with its channels and active threads",
      guilds.length === 0 ? undefined : shows,
      `${guilds.length} servers`,
    ),
  ];
  const claim = "A mention is heard with its words, and says who wrote it";
  if (first === undefined)
    return { mention: undefined, findings: [...findings, found(claim, undefined, "nothing came")] };
  const { data } = first;
  const role = /<@&\d+>/.test(textOf(data));
  return {
    mention: { channel: String(data["channel_id"]), message: String(data["id"]) },
    findings: [
      ...findings,
      found(
        claim,
        Array.isArray(fieldsOf(data["member"])["roles"]),
        role ? "as the bot's role" : "as the bot itself",
      ),
    ],
  };
}

/** Everything else. */
export async function walk(
  talk: Talk,
  place: Place,
  world: { readonly gateway: SmokeGateway; readonly bot: DiscordIdentity },
): Promise<readonly Finding[]> {
  const { gateway, bot } = world;
  const findings: Finding[] = [];
  const root = idOf(await place.post({ content: "Smoke test of Bobbin: please open the thread below." }));
  const started = root === undefined ? undefined : await place.startThread(root, "Smoke test of Bobbin");
  if (root === undefined || started?.kind !== "ok")
    return [found("The bot can start a thread", false, "it cannot")];

  const heard = async (
    instruction: string,
    claim: string,
    fits: (dispatch: Dispatch) => boolean,
    look: (data: Fields) => readonly [isTrue: boolean | undefined, saw: string],
  ): Promise<Dispatch | undefined> => {
    talk.tell(instruction);
    const dispatch = await gateway.next(fits, talk.patienceMs);
    const [isTrue, saw] =
      dispatch === undefined ? ([undefined, "nothing came"] as const) : look(dispatch.data);
    findings.push(found(claim, isTrue, saw));
    return dispatch;
  };
  const asked = async (claim: string, question: string): Promise<void> => {
    const said = await talk.ask(question);
    findings.push(found(claim, said, said === undefined ? "not told" : said ? "yes" : "no"));
  };
  const saidIn =
    (channel: string) =>
    ({ type, data }: Dispatch): boolean =>
      type === "MESSAGE_CREATE" && data["channel_id"] === channel && isFrom(data);

  await heard(
    "In the thread write something, without mentioning anybody.",
    "Words in a thread are heard without a mention",
    saidIn(root),
    (data) => [textOf(data) !== "", textOf(data) === "" ? "the words are missing" : "with its words"],
  );
  const linked = await heard(
    "In the thread write a link to a page, such as https://example.org, and wait for its preview.",
    "The preview of a link comes as an update without a time of editing",
    ({ type, data }) =>
      type === "MESSAGE_UPDATE" &&
      data["channel_id"] === root &&
      listOf(data["embeds"]).length > 0 &&
      isFrom(data),
    (data) => [data["edited_timestamp"] == null, data["edited_timestamp"] == null ? "without" : "with one"],
  );
  await heard(
    `Now edit ${linked === undefined ? "one of your messages" : "that message"} in the thread.`,
    "An edit comes with a time of editing",
    ({ type, data }) =>
      type === "MESSAGE_UPDATE" && data["channel_id"] === root && data["edited_timestamp"] != null,
    (data) => [textOf(data) !== "", "with one"],
  );
  const row = {
    type: 1,
    components: [{ type: 2, style: 2, label: "Press me", custom_id: "bobbin:retry:smoke" }],
  };
  await place.post(
    { content: "Plain text that calls nobody: @everyone and @here.", components: [row] },
    root,
  );
  await asked(
    "What the bot writes calls nobody",
    "In the thread: does “@everyone” stand there, and did nobody get a notification for it? (y/n)",
  );
  await heard(
    "Press the button in the thread (Discord will say that it failed, which is right here).",
    "A click tells the thread, and what the person may do",
    ({ type, data }) => type === "INTERACTION_CREATE" && data["type"] === 3,
    (data) => {
      const channel = fieldsOf(data["channel"])["id"];
      const may = fieldsOf(data["member"])["permissions"];
      return [
        channel === root && typeof may === "string",
        channel === root ? "its thread" : "another channel",
      ];
    },
  );
  await heard(
    "In the thread type /help, if Bobbin's commands are registered (else just wait; it will fail, too).",
    "A slash command works in a thread, and tells it",
    ({ type, data }) => type === "INTERACTION_CREATE" && data["type"] === 2,
    (data) => {
      const { id, parent_id: parent } = fieldsOf(data["channel"]);
      return [id === root && parent === place.channel, id === root ? "its thread" : "another channel"];
    },
  );
  await heard(
    `Write “smoke” to ${bot.name} directly.`,
    "A direct message belongs to no server",
    ({ type, data }) => type === "MESSAGE_CREATE" && data["guild_id"] === undefined && isFrom(data),
    () => [true, "without a server"],
  );
  await heard(
    "If there is a forum: publish a post in it that mentions the bot (else just wait).",
    "A forum's post begins with a message of the thread's own id",
    ({ type, data }) => type === "MESSAGE_CREATE" && data["id"] === data["channel_id"] && isFrom(data),
    () => [true, "the same id"],
  );
  await heard(
    "Close the thread (Edit Thread or ⋯, Close Thread), and then write in it once more.",
    "Words in an archived thread are heard, and open it",
    saidIn(root),
    () => [true, "heard"],
  );
  await heard(
    "Lock the thread (⋯, Lock Thread), if you may (else just wait).",
    "A thread that is locked is told as such",
    ({ type, data }) =>
      type === "THREAD_UPDATE" && data["id"] === root && fieldsOf(data["thread_metadata"])["locked"] === true,
    () => [true, "locked"],
  );
  const locked = await place.post({ content: "Nobody should read this." }, root);
  const isLocked = findings.at(-1)?.state === "holds";
  const isRefused = locked.kind === "refused" && locked.code === 160_005;
  findings.push(
    found(
      "In a locked thread the bot cannot write without Manage Threads",
      isLocked ? isRefused : undefined,
      outcomeOf(locked),
    ),
  );
  return findings;
}
