/** What only a person can do or see: one thing at a time, with what Slack sends of it. */

import type { SlackBot } from "../../src/adapters/slack/identity.ts";
import { formatPage } from "../../src/adapters/slack/format.ts";
import { fieldsOf, listOf, textOf, type Payload } from "../../src/adapters/slack/payload.ts";
import { outcomeOf, tsOf, type Place } from "./place.ts";
import { found, type Finding } from "../smoke/report.ts";
import type { Talk } from "../smoke/talk.ts";
import { eventIn, type Delivery, type SmokeSocket } from "./socket.ts";
import type { Recipient } from "./streams.ts";

export interface Mention extends Recipient {
  readonly channel: string;
}

/** The mention with which the walk begins: where it was written, and what came of it. */
export async function awaitMention(
  talk: Talk,
  socket: SmokeSocket,
  bot: SlackBot,
): Promise<{ readonly mention: Mention | undefined; readonly findings: readonly Finding[] }> {
  talk.tell(`In a channel for tests, in which @${bot.name} is a member, write: @${bot.name} smoke`);
  const isCopy = (delivery: Delivery, type: string): boolean =>
    (textOf(eventIn(delivery, type)?.["text"]) ?? "").includes(`<@${bot.user}`);
  const both = ["app_mention", "message"] as const;
  const first = await socket.next((one) => both.some((type) => isCopy(one, type)), talk.patienceMs);
  const claim = "A mention comes as two events, app_mention and message";
  if (first === undefined) return { mention: undefined, findings: [found(claim, undefined, "nothing came")] };
  const firstType = both.find((type) => isCopy(first, type)) ?? "message";
  const otherType = firstType === "message" ? "app_mention" : "message";
  const other =
    socket.deliveries.find((one) => isCopy(one, otherType)) ??
    (await socket.next((one) => isCopy(one, otherType), 5_000));
  const event = fieldsOf(first.payload["event"]);
  const install = textOf(fieldsOf(listOf(first.payload["authorizations"])[0])["team_id"]);
  const user = textOf(event["user"]) ?? "";
  const team = textOf(event["user_team"]) ?? textOf(event["team"]) ?? bot.space;
  const saw = other === undefined ? `only ${firstType}` : `both, ${firstType} first`;
  return {
    mention: { channel: textOf(event["channel"]) ?? "", user, team },
    findings: [
      found(claim, other !== undefined, saw),
      found(
        "The first authorization names the install",
        install === bot.space,
        install === bot.space ? "it does" : "another team",
      ),
    ],
  };
}

/** Everything else; `socket` is absent without an app token, and then only what a person sees is asked. */
export async function walk(
  talk: Talk,
  place: Place,
  world: {
    readonly socket: SmokeSocket | undefined;
    readonly bot: SlackBot;
    readonly user: string | undefined;
  },
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const { socket, bot, user } = world;
  const root = tsOf(await place.post({ text: "Smoke test of Bobbin: please open this thread." }));
  if (root === undefined) return [found("The bot can post in the channel", false, "it cannot")];
  const heard = async (
    instruction: string,
    claim: string,
    fits: (delivery: Delivery) => boolean,
    look: (payload: Payload) => readonly [isTrue: boolean | undefined, saw: string],
  ): Promise<void> => {
    if (socket === undefined) return;
    talk.tell(instruction);
    const delivery = await socket.next(fits, talk.patienceMs);
    const [isTrue, saw] =
      delivery === undefined ? ([undefined, "nothing came"] as const) : look(delivery.payload);
    findings.push(found(claim, isTrue, saw));
  };
  const asked = async (claim: string, question: string): Promise<void> => {
    const said = await talk.ask(question);
    findings.push(found(claim, said, said === undefined ? "not told" : said ? "yes" : "no"));
  };

  const page = formatPage({
    markdown: "Plain text, no call: <!here> and **bold**.",
    buttons: [{ action: "retry", label: "Press me", value: "smoke" }],
  });
  if (page.kind === "message") await place.post({ thread_ts: root, text: page.text, blocks: page.blocks });
  await asked(
    "Rich text shows <!here> as it stands, and calls nobody",
    "In the thread: does it show “<!here>” as plain text, and did nobody get a notification for it? (y/n)",
  );
  await heard(
    "Press the button in the thread.",
    "A click tells the thread and the install",
    ({ type, payload }) => type === "interactive" && payload["type"] === "block_actions",
    (payload) => clickOf(payload, bot),
  );
  await heard(
    "If somebody from another company is in this channel, let them press it too (else just wait).",
    "A click by a guest from another company tells the install as its team",
    ({ type, payload }) => type === "interactive" && payload["type"] === "block_actions",
    (payload) => clickOf(payload, bot),
  );
  await heard(
    "On the message with the button: ⋮, More message shortcuts, “Stop Bobbin here”.",
    "A message shortcut tells the thread",
    ({ type, payload }) => type === "interactive" && payload["type"] === "message_action",
    (payload) => {
      const thread = textOf(fieldsOf(payload["message"])["thread_ts"]);
      return [thread === root, thread === root ? "it does" : "without its thread"];
    },
  );
  await heard(
    "In the channel itself type: /bobbin help",
    "The slash command comes to this app",
    ({ type }) => type === "slash_commands",
    (payload) => [payload["command"] === "/bobbin", textOf(payload["command"]) ?? ""],
  );
  await asked(
    "Slash commands are refused in threads",
    "Type /bobbin help inside the thread: does Slack refuse it? (y/n)",
  );

  const working = await place.call("agents.sessions.setStatus", {
    channel_id: place.channel,
    thread_ts: root,
    status: "processing",
  });
  await asked(
    "A person sees in the thread that the bot works",
    `The bot now says that it works (${outcomeOf(working)}): is there a sign of it in the thread? (y/n)`,
  );
  await heard(
    "If there is a Stop beside it, press it (else just wait).",
    "Slack's own Stop is told to the app",
    (delivery) => eventIn(delivery, "agent_session_stopped") !== undefined,
    (payload) => {
      const thread = textOf(fieldsOf(payload["event"])["thread_ts"]);
      return [thread === root, thread === root ? "with its thread" : "without its thread"];
    },
  );
  await place.call("agents.sessions.setStatus", {
    channel_id: place.channel,
    thread_ts: root,
    status: "active",
  });
  await asked("The sign of work goes when the bot says so", "Is the sign gone now? (y/n)");

  if (user !== undefined) {
    const args = { channel: place.channel, user, thread_ts: root, text: "Only you can see this." };
    const whisper = await place.call("chat.postEphemeral", args);
    await asked(
      "A whisper is shown in the thread",
      `Is there a line in the thread that only you can see (${outcomeOf(whisper)})? (y/n)`,
    );
  }
  await heard(
    "Write “smoke” to the bot directly (Apps, Bobbin, Messages).",
    "A direct message comes as a root of its own",
    (delivery) =>
      eventIn(delivery, "message")?.["channel_type"] === "im" &&
      eventIn(delivery, "message")?.["bot_id"] === undefined,
    (payload) => {
      const thread = textOf(fieldsOf(payload["event"])["thread_ts"]);
      return [thread === undefined, thread === undefined ? "without a thread" : "in a thread"];
    },
  );
  await asked(
    "The suggested prompt is shown",
    "Does Slack offer “What can you do?” there, before you write? (y/n)",
  );
  return findings;
}

function clickOf(payload: Payload, bot: SlackBot): readonly [boolean, string] {
  const thread =
    textOf(fieldsOf(payload["container"])["thread_ts"]) ?? textOf(fieldsOf(payload["message"])["thread_ts"]);
  const team = textOf(fieldsOf(payload["team"])["id"]);
  const own = textOf(fieldsOf(payload["user"])["team_id"]);
  const saw = [
    thread === undefined ? "no thread" : "its thread",
    team === bot.space ? "team is the install" : team === undefined ? "no team" : "team is another",
    own === undefined
      ? "the person has no team"
      : own === bot.space
        ? "the person's team is the install"
        : "the person's team is another",
  ];
  return [thread !== undefined && team === bot.space, saw.join(", ")];
}
