// The strict local Discord as the place of a chaos run. Nothing that happens there is acknowledged: what is said has to be taken in
// sooner or later, whoever listens just then, and only what nobody could fetch afterwards may be missed.
import { setTimeout as pause } from "node:timers/promises";
import type { Fault } from "../support/discord/faults.ts";
import { goalSlash } from "../support/discord/goal-slash.ts";
import type { LocalDiscord } from "../support/discord/local-discord.ts";
import type { Person, Said } from "../support/discord/person.ts";
import type { SeenMessage } from "../support/discord/seen.ts";
import type { ShownMessage, ShownThread } from "./checker/record.ts";
import type { CallFault, ChaosPlace, DeliveryFault, Owed, Sent, Thread } from "./place.ts";
import type { Random } from "./random.ts";

interface DiscordThread extends Thread {
  /** The thread's, which has the id of its root, or the direct conversation's. */
  readonly channel: string;
  readonly isDirect: boolean;
  readonly starter: Person;
}

/** What several processes do that know nothing of each other, some of which were killed or stood still when somebody clicked. */
const NOT_JUDGED = /^(pace|edits|interaction):/;
const WRITES = [
  "POST /channels/:channel/messages",
  "PATCH /channels/:channel/messages/:message",
  "POST /channels/:channel/messages/:message/threads",
];
const PEOPLE = 8;
const CHANNELS = 12;
/** So long nobody has asked Discord for anything when all was fetched that was missed. */
const SILENT_MS = 1_000;

export function createDiscordPlace(discord: LocalDiscord, random: Random): ChaosPlace {
  const people = Array.from({ length: PEOPLE }, (_, at) => discord.person(`Member ${at + 1}`));
  const channels = Array.from({ length: CHANNELS }, (_, at) => discord.channel(`hall-${at + 1}`));
  const threads = new Map<string, DiscordThread>();
  const gone = new Set<string>();
  const authors = new Map<string, Person>();
  const said = new Map<string, Said>();
  const deleted = new Set<string>();
  const owed: Owed[] = [];
  const settled = Promise.withResolvers<void>();
  let isCalm = false;
  let strangers = 0;

  const known = (thread: Thread): DiscordThread => {
    const found = threads.get(thread.session);
    if (found === undefined) throw new Error(`no such thread: ${thread.session}`);
    return found;
  };
  const isThere = ({ channel, isDirect }: DiscordThread): boolean =>
    isDirect || discord.threadNamed(channel)?.isDeleted === false;
  const botsIn = ({ channel }: DiscordThread): readonly SeenMessage[] =>
    discord.shown(channel).filter(({ authorId }) => authorId === discord.botId);

  /** @param mayBeMissed nobody who was not there when it was said could know of it. */
  function sent(
    thread: DiscordThread,
    person: Person,
    message: Said,
    { isAddressed, mayBeMissed }: { readonly isAddressed: boolean; readonly mayBeMissed: boolean },
  ): Sent {
    const { session } = thread;
    const isHeard = botsIn(thread).length > 0;
    authors.set(message.id, person);
    said.set(message.id, message);
    if (!mayBeMissed && (isAddressed || isHeard)) owed.push({ session, message: message.id });
    const taken = settled.promise.then(() => !mayBeMissed && !deleted.has(message.id));
    return { message: message.id, isAddressed, isHeard, taken };
  }

  function say(thread: DiscordThread, words: string): Sent {
    const person = thread.isDirect ? thread.starter : random.pick(people);
    const isNamed = !thread.isDirect && random.chance(0.3);
    // Whoever is quicker than the bot opens the thread.
    const root = said.get(thread.root);
    if (!isThere(thread) && root !== undefined) person.openThread(root, "A talk of people");
    const message = person.say(thread.channel, isNamed ? `${discord.botMention} ${words}` : words);
    return sent(thread, person, message, {
      isAddressed: isNamed || thread.isDirect,
      // There is no list of direct conversations: one is known from when it was first heard.
      mayBeMissed: thread.isDirect && botsIn(thread).length === 0,
    });
  }

  const authorOf = (message: string): Person => {
    const author = authors.get(message);
    if (author === undefined) throw new Error(`nobody wrote ${message}`);
    return author;
  };
  const isAnswered = (asked: Promise<"answered" | "failed">): Promise<boolean> =>
    asked.then((how) => how === "answered");

  return {
    begin(words) {
      if (random.chance(0.2)) {
        // One conversation for each person, so that each begins with a stranger.
        const starter = discord.person(`Stranger ${++strangers}`);
        const message = starter.dm(words);
        const session = `discord:dm:${message.channel}`;
        const thread = { session, root: message.id, channel: message.channel, isDirect: true, starter };
        threads.set(session, thread);
        return {
          thread,
          sent: sent(thread, starter, message, { isAddressed: true, mayBeMissed: true }),
        };
      }
      const starter = random.pick(people);
      const message = starter.say(random.pick(channels), `${discord.botMention} ${words}`);
      const session = `discord:${discord.guild.id}:${message.id}`;
      const thread = { session, root: message.id, channel: message.id, isDirect: false, starter };
      threads.set(session, thread);
      return { thread, sent: sent(thread, starter, message, { isAddressed: true, mayBeMissed: false }) };
    },
    say: (thread, words) => say(known(thread), words),
    edit(of, id, words) {
      const message = said.get(id);
      if (message === undefined) throw new Error(`nobody wrote ${id}`);
      authorOf(id).edit(message, known(of).isDirect ? words : `${discord.botMention} ${words}`);
      // Not told again to who was not there.
      return Promise.resolve(false);
    },
    remove(of, id) {
      const thread = known(of);
      const message = said.get(id);
      if (message === undefined) throw new Error(`nobody wrote ${id}`);
      deleted.add(id);
      owed.splice(0, owed.length, ...owed.filter((one) => one.message !== id));
      authorOf(id).delete(message);
      if (id === thread.root) {
        gone.add(thread.session);
        if (!thread.isDirect && isThere(thread)) {
          discord.deleteThread(thread.channel);
          // With all that was said in it, whether or not anybody has fetched that.
          for (const { id: within, channel } of said.values())
            if (channel === thread.channel) deleted.add(within);
          owed.splice(0, owed.length, ...owed.filter(({ session }) => session !== thread.session));
        }
      }
      return Promise.resolve(false);
    },
    command(of, name, how) {
      const thread = known(of);
      // Words are words here: a command has a slash.
      if (how === "button") {
        if (name === "reset") return undefined;
        const label = name === "stop" ? "Stop" : "Retry";
        const message = botsIn(thread).findLast(({ buttons }) => buttons.some((one) => one.label === label));
        return message && isAnswered(thread.starter.click(message, label));
      }
      if (!isThere(thread)) return undefined;
      try {
        return isAnswered(thread.starter.command(thread.channel, name));
      } catch {
        // Nobody has registered it yet.
        return undefined;
      }
    },
    goal(of, order) {
      const thread = known(of);
      if (!isThere(thread)) return undefined;
      try {
        return isAnswered(thread.starter.command(thread.channel, ...goalSlash(order)));
      } catch {
        // Nobody has registered it yet.
        return undefined;
      }
    },
    // A whole channel has no goal.
    beginGoal: () => undefined,
    breakCall(kind, own) {
      const route = kind === "unreachable" ? "*" : own.pick(WRITES);
      discord.fault(route, faultOf(kind, own), { times: own.between(1, 2) });
    },
    breakDelivery(kind, own) {
      breakDelivery(discord, kind, own).catch(() => {});
    },
    calmDown() {
      isCalm = true;
      discord.clearFaults();
      discord.gateway.judge(undefined);
      discord.gateway.release();
      settled.resolve();
    },
    isDelivered: () =>
      isCalm &&
      discord.gateway.connected > 0 &&
      performance.now() - (discord.calls.at(-1)?.atMs ?? 0) > SILENT_MS,
    owed: () => owed,
    shown: () =>
      [...threads.values()].map((thread): ShownThread => ({
        session: thread.session,
        isGone: gone.has(thread.session),
        fromBot: botsIn(thread).map(shownOf),
      })),
    strays: () => discord.botOutsideOfThreads().map(({ text }) => text),
    complaints: () => discord.complaints.filter((complaint) => !NOT_JUDGED.test(complaint)),
  };
}

function faultOf(kind: CallFault, random: Random): Fault {
  switch (kind) {
    case "rate limited": {
      const scope = random.pick(["user", "shared", "global"] as const);
      return { kind, retryAfterS: random.between(1, 2), scope };
    }
    case "server error":
      // Before it is done, or after.
      return { kind: random.pick(["status", "status after"]), status: random.pick([500, 502, 503]) };
    case "lost response":
    case "unreachable":
      return { kind };
    case "late answer":
      return { kind: "late", until: pause(random.between(200, 2_500)) };
    default:
      return kind satisfies never;
  }
}

async function breakDelivery({ gateway }: LocalDiscord, kind: DeliveryFault, random: Random): Promise<void> {
  switch (kind) {
    case "lost":
      // A session that Discord ends: whatever comes until the next one is told to nobody.
      gateway.judge(() => "lose");
      await pause(random.between(50, 500));
      gateway.judge(undefined);
      if (random.chance(0.5)) gateway.cut(1000);
      else gateway.invalidate({ mayResume: false });
      return;
    case "unacknowledged":
      gateway.cut(random.pick(["terminate", 4000, 4009] as const));
      return;
    case "repeated":
      gateway.judge(() => "twice");
      await pause(random.between(100, 800));
      gateway.judge(undefined);
      return;
    case "held":
      gateway.hold();
      await pause(random.between(200, 1_200));
      gateway.release((held) => random.shuffled(held));
      return;
    default:
      kind satisfies never;
  }
}

function shownOf({ id, text, buttons, fileTexts }: SeenMessage): ShownMessage {
  const has = (label: string): boolean => buttons.some((one) => one.label === label);
  return {
    id,
    text: [text, ...fileTexts].join("\n"),
    buttons: [...(has("Stop") ? (["stop"] as const) : []), ...(has("Retry") ? (["retry"] as const) : [])],
    ...(fileTexts.length > 0 && { isFile: true as const }),
  };
}
