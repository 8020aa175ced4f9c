// The strict local Slack as the place of a chaos run.
import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "../support/slack/delivery.ts";
import type { LocalSlack } from "../support/slack/local-slack.ts";
import type { Channel } from "../support/slack/message.ts";
import type { Person, Said } from "../support/slack/person.ts";
import type { SeenMessage } from "../support/slack/seen.ts";
import type { ShownMessage, ShownThread } from "./checker/record.ts";
import type { CallFault, ChaosPlace, DeliveryFault, Sent, Thread } from "./place.ts";
import type { Random } from "./random.ts";

interface SlackThread extends Thread {
  readonly channel: Channel;
  readonly isDirect: boolean;
  readonly starter: Person;
}

/** Haste is a matter of several processes, some of which were killed with all they knew: it is Slack's 429 that slows them down. */
const NOT_JUDGED = /^(pace|overlap):/;
const WRITES = [
  "chat.postMessage",
  "chat.update",
  "chat.startStream",
  "chat.appendStream",
  "chat.stopStream",
];
const PEOPLE = 8;
const CHANNELS = 12;

export function createSlackPlace(slack: LocalSlack, random: Random): ChaosPlace {
  const people = Array.from({ length: PEOPLE }, (_, at) => slack.person(`Person ${at + 1}`));
  const channels = Array.from({ length: CHANNELS }, (_, at) => slack.channel(`room-${at + 1}`));
  const threads = new Map<string, SlackThread>();
  const gone = new Set<string>();
  /** Sessions of which something for the bot was acknowledged. */
  const heard = new Set<string>();
  const authors = new Map<string, Person>();
  let isCalm = false;

  const known = (thread: Thread): SlackThread => {
    const found = threads.get(thread.session);
    if (found === undefined) throw new Error(`no such thread: ${thread.session}`);
    return found;
  };
  const wasTaken = async (delivered: Promise<readonly Outcome[]>): Promise<boolean> =>
    (await delivered).some(({ kind }) => kind === "acknowledged");
  function sent({ session }: SlackThread, { ts, delivered }: Said, isAddressed: boolean): Sent {
    const isHeard = heard.has(session);
    const taken = wasTaken(delivered).then((isTaken) => {
      if (isTaken && isAddressed) heard.add(session);
      return isTaken;
    });
    return { message: ts, isAddressed, isHeard, taken };
  }
  const copies = () => (random.chance(0.5) ? ({ order: "mention first" } as const) : {});

  function say(thread: SlackThread, words: string): Sent {
    const person = thread.isDirect ? thread.starter : random.pick(people);
    const isNamed = !thread.isDirect && random.chance(0.3);
    const mention = isNamed ? `${slack.botMention} ` : "";
    const said = person.say(thread.channel, `${mention}${words}`, { thread, ...copies() });
    authors.set(said.ts, person);
    return sent(thread, said, isNamed || thread.isDirect);
  }

  const botsIn = (thread: SlackThread): readonly SeenMessage[] =>
    slack
      .thread(thread.channel, thread.root)
      .filter(({ userId, ephemeralTo }) => userId === slack.app.botUserId && ephemeralTo === undefined);

  /** The newest message with this button. */
  function press(thread: SlackThread, name: "stop" | "retry"): Promise<boolean> | undefined {
    const actionId = `bobbin_${name}`;
    const message = botsIn(thread).findLast(({ controls }) =>
      controls.some((one) => one.actionId === actionId),
    );
    if (message === undefined) return undefined;
    return thread.starter.click(message, actionId).then(({ kind }) => kind === "acknowledged");
  }

  return {
    begin(words) {
      const starter = random.pick(people);
      // Those are streamed.
      const isDirect = random.chance(0.35);
      const channel = isDirect ? starter.directChannel : random.pick(channels);
      const mention = isDirect ? "" : `${slack.botMention} `;
      const said = starter.say(channel, `${mention}${words}`, copies());
      const session = `slack:${slack.teamId}:${channel.id}:${said.ts}`;
      const thread: SlackThread = { session, root: said.ts, channel, isDirect, starter };
      threads.set(session, thread);
      authors.set(said.ts, starter);
      return { thread, sent: sent(thread, said, true) };
    },
    say: (thread, words) => say(known(thread), words),
    edit(thread, ts, words) {
      const { channel, isDirect } = known(thread);
      const mention = isDirect ? "" : `${slack.botMention} `;
      const author = authors.get(ts);
      if (author === undefined) throw new Error(`nobody wrote ${ts}`);
      return wasTaken(author.edit({ channel: channel.id, ts }, `${mention}${words}`).delivered);
    },
    remove(thread, ts) {
      const { channel, session, root } = known(thread);
      if (ts === root) gone.add(session);
      const author = authors.get(ts);
      if (author === undefined) throw new Error(`nobody wrote ${ts}`);
      return wasTaken(author.delete({ channel: channel.id, ts }).delivered);
    },
    command(of, name, how) {
      const thread = known(of);
      if (how === "words") {
        const line = `${thread.isDirect ? "" : `${slack.botMention} `}${name}`;
        return wasTaken(thread.starter.say(thread.channel, line, { thread }).delivered);
      }
      if (how === "button") return name === "reset" ? undefined : press(thread, name);
      if (name !== "stop") return undefined;
      try {
        return wasTaken(thread.starter.stop({ channel: thread.channel.id, root: thread.root }).delivered);
      } catch {
        return undefined;
      }
    },
    goal(of, order) {
      const thread = known(of);
      const line = `${thread.isDirect ? "" : `${slack.botMention} `}goal ${order}`;
      return wasTaken(thread.starter.say(thread.channel, line, { thread }).delivered);
    },
    beginGoal(objective) {
      const starter = random.pick(people);
      const channel = random.pick(channels);
      const said = starter.say(channel, `${slack.botMention} goal ${objective}`, copies());
      const session = `slack:${slack.teamId}:${channel.id}:${said.ts}`;
      const thread: SlackThread = { session, root: said.ts, channel, isDirect: false, starter };
      threads.set(session, thread);
      authors.set(said.ts, starter);
      return { thread, taken: sent(thread, said, true).taken };
    },
    breakCall(kind, own) {
      const method = kind === "unreachable" ? "*" : own.pick(WRITES);
      slack.fault(method, faultOf(kind, own), { times: own.between(1, 2) });
    },
    breakDelivery(kind, own) {
      breakDelivery(slack, kind, own).catch(() => {});
    },
    calmDown() {
      isCalm = true;
      slack.clearFaults();
      slack.delivery.release();
      slack.delivery.retryNow();
    },
    isDelivered: () => isCalm && slack.delivery.log.every(({ outcome }) => outcome !== undefined),
    // What is acknowledged is stored.
    owed: () => [],
    shown: () =>
      [...threads.values()].map((thread): ShownThread => ({
        session: thread.session,
        isGone: gone.has(thread.session),
        fromBot: botsIn(thread).map((message) => shownOf(message, slack)),
      })),
    strays: () => slack.botOutsideOfThreads().map(({ text }) => text),
    complaints: () => slack.complaints.filter((complaint) => !NOT_JUDGED.test(complaint)),
  };
}

function faultOf(kind: CallFault, random: Random): Parameters<LocalSlack["fault"]>[1] {
  switch (kind) {
    case "rate limited":
      return { kind, retryAfterS: random.between(1, 2) };
    case "server error":
      return { kind: "status", status: random.pick([500, 502, 503]) };
    case "lost response":
    case "unreachable":
      return { kind };
    case "late answer":
      return { kind, until: pause(random.between(200, 2_500)) };
    default:
      return kind satisfies never;
  }
}

async function breakDelivery(slack: LocalSlack, kind: DeliveryFault, random: Random): Promise<void> {
  const { delivery } = slack;
  switch (kind) {
    case "lost":
    case "unacknowledged":
      delivery.spoil(kind, { times: random.between(1, 2) });
      return;
    case "repeated": {
      const events = delivery.log.slice(-60).filter(({ payload }) => payload.kind === "event");
      if (events.length > 0) await delivery.repeat(random.pick(events).payload);
      return;
    }
    case "held":
      delivery.hold();
      await pause(random.between(200, 1_200));
      // Out of order, and some of them twice.
      delivery.release((held) => {
        const shuffled = random.shuffled(held);
        return [...shuffled, ...shuffled.slice(0, Math.ceil(shuffled.length / 3))];
      });
      return;
    default:
      kind satisfies never;
  }
}

/** A message that is a file has the file's id, and says what stands in it. */
function shownOf({ ts, text, controls, files }: SeenMessage, slack: LocalSlack): ShownMessage {
  const [file] = files.map(({ id }) => String(id));
  const has = (name: string): boolean => controls.some(({ actionId }) => actionId === `bobbin_${name}`);
  const buttons = (["stop", "retry"] as const).filter(has);
  return file === undefined
    ? { id: ts, text, buttons }
    : { id: file, text: `${text}\n${slack.textOf(file) ?? ""}`, buttons, isFile: true };
}
