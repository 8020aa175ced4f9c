// People in a chaos run: they begin threads, go on in them while the bot works, several at a time, change their minds, stop it,
// begin anew. Everything that they do is written down.
import { setTimeout as pause } from "node:timers/promises";
import type { Act } from "./checker/record.ts";
import type { ChaosPlace, Sent, Thread } from "./place.ts";
import type { Random } from "./random.ts";
import { questionOf } from "./recipe.ts";

export interface People {
  /** Writes until the time is over or the signal aborts. */
  live(forMs: number, signal: AbortSignal): Promise<void>;
  /** What they did; whether it was taken in is known once everything was delivered. */
  acts(): Promise<readonly Act[]>;
  readonly questions: number;
}

export interface PeopleOptions {
  /** Questions a second, on the average. */
  readonly perSecond: number;
}

interface Talk {
  readonly thread: Thread;
  /** Messages in it that can be edited and deleted, newest last. */
  readonly messages: { readonly message: string; readonly tag: number }[];
  isGone: boolean;
}

/** People go on in what they see: the newest threads. */
const RECENT = 10;
const MOST_IN_ONE = 14;

const HABITS = {
  begin: 30,
  go_on: 34,
  burst: 10,
  edit: 6,
  delete: 4,
  stop: 8,
  reset: 2,
  retry: 5,
  leave: 0.7,
};

export function createPeople(place: ChaosPlace, random: Random, options: PeopleOptions): People {
  const talks: Talk[] = [];
  const done: Promise<Act>[] = [];
  let tags = 0;

  function note(sent: Promise<boolean>, act: (taken: boolean) => Act): void {
    done.push(sent.catch(() => false).then(act));
  }

  function asked(talk: Talk, tag: number, { message, isAddressed, isHeard, taken }: Sent): void {
    talk.messages.push({ message, tag });
    const { session } = talk.thread;
    const mayBeIgnored = !isAddressed && !isHeard;
    note(taken, (isTaken) => ({
      kind: "question",
      tag,
      session,
      message,
      taken: isTaken,
      mayBeIgnored,
    }));
  }

  function begin(): void {
    const tag = ++tags;
    const { thread, sent } = place.begin(questionOf(tag));
    const talk: Talk = { thread, messages: [], isGone: false };
    talks.push(talk);
    asked(talk, tag, sent);
  }

  function goOn(talk: Talk): void {
    const tag = ++tags;
    asked(talk, tag, place.say(talk.thread, questionOf(tag)));
  }

  function act(): void {
    const open = talks
      .slice(-RECENT)
      .filter(({ isGone, messages }) => !isGone && messages.length < MOST_IN_ONE);
    const habit = open.length === 0 ? "begin" : random.weighted(HABITS);
    if (habit === "begin") return begin();
    const talk = random.pick(open);
    const { thread, messages } = talk;
    const { session } = thread;
    switch (habit) {
      case "go_on":
        return goOn(talk);
      case "burst":
        for (let more = random.between(2, 4); more > 0; more--) goOn(talk);
        return;
      case "edit": {
        const { message, tag } = random.pick(messages.slice(-3));
        const edited = place.edit(thread, message, `${questionOf(tag)} please`);
        return note(edited, (taken) => ({ kind: "edit", session, message, taken }));
      }
      case "delete": {
        const last = messages.at(-1);
        if (last === undefined || last.message === thread.root) return;
        messages.pop();
        const removed = place.remove(thread, last.message);
        return note(removed, (taken) => ({ kind: "delete", session, message: last.message, taken }));
      }
      case "stop":
      case "reset":
      case "retry": {
        const how = random.weighted({ words: 2, button: 2, platform: 1 });
        const pressed = place.command(thread, habit, habit === "reset" ? "words" : how);
        if (pressed !== undefined) note(pressed, (taken) => ({ kind: habit, session, taken }));
        return;
      }
      case "leave": {
        talk.isGone = true;
        const removed = place.remove(thread, thread.root);
        return note(removed, (taken) => ({ kind: "delete", session, message: thread.root, taken }));
      }
      default:
        habit satisfies never;
    }
  }

  return {
    async live(forMs, signal) {
      const until = performance.now() + forMs;
      while (performance.now() < until && !signal.aborted) {
        act();
        // Most acts are questions; bursts make up for the others.
        await pause((-Math.log(1 - random.next()) * 1_000) / options.perSecond, undefined, { signal }).catch(
          () => {},
        );
      }
    },
    acts: () => Promise.all(done),
    get questions() {
      return tags;
    },
  };
}
