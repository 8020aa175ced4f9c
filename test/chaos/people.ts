// People in a chaos run: they begin threads, go on in them while the bot works, several at a time, change their minds, stop it,
// begin anew. Everything that they do is written down.
import { setTimeout as pause } from "node:timers/promises";
import type { Act, GoalOrder } from "./checker/record.ts";
import { objectiveOf } from "./goal-recipe.ts";
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
  /** Of the goals that they give; they give none where it is absent. */
  readonly goals?: { readonly seed: number };
}

interface Talk {
  readonly thread: Thread;
  /** Messages in it that can be edited and deleted, newest last. */
  readonly messages: { readonly message: string; readonly tag: number }[];
  isGone: boolean;
  /** Numbers of the goals that it was given, the newest last. */
  readonly goals: number[];
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

const GOALS = { set: 12, resume: 5, edit: 3, pause: 6, clear: 3, replace: 2, budget: 5 } as const;

/** How often somebody who could say something deals with a goal instead. */
const GOAL_CHANCE = 0.3;

export function createPeople(place: ChaosPlace, random: Random, options: PeopleOptions): People {
  const talks: Talk[] = [];
  const done: Promise<Act>[] = [];
  let tags = 0;
  let goals = 0;

  function note(
    sent: Promise<boolean>,
    act: (taken: boolean, times: { readonly saidAt: number; readonly takenAt: number }) => Act,
  ): void {
    const saidAt = Date.now();
    done.push(sent.catch(() => false).then((taken) => act(taken, { saidAt, takenAt: Date.now() })));
  }

  /** What is done about goals now; false where there is nothing to do. */
  function dealWithGoals(open: readonly Talk[], seed: number): boolean {
    const order = random.weighted(GOALS);
    const withGoal = open.filter((talk) => talk.goals.length > 0);
    const without = open.filter((talk) => talk.goals.length === 0);
    if (order === "set" || withGoal.length === 0) {
      const tag = ++goals;
      const begun = random.chance(0.5) ? place.beginGoal(objectiveOf(seed, tag)) : undefined;
      if (begun !== undefined) {
        const talk = { thread: begun.thread, messages: [], isGone: false, goals: [tag] };
        talks.push(talk);
        noteGoal(talk, "set", begun.taken);
        return true;
      }
      if (without.length === 0) return false;
      const talk = random.pick(without);
      talk.goals.push(tag);
      noteGoal(talk, "set", place.goal(talk.thread, objectiveOf(seed, tag)));
      return true;
    }
    // Most goals are reached within seconds: what is done about one is done about a new one.
    const talk = random.pick(withGoal.slice(-3));
    const { thread } = talk;
    switch (order) {
      case "replace": {
        const tag = ++goals;
        talk.goals.push(tag);
        noteGoal(talk, order, place.goal(thread, `replace ${objectiveOf(seed, tag)}`));
        return true;
      }
      case "edit":
        noteGoal(talk, order, place.goal(thread, `edit work on goal-${talk.goals.at(-1) ?? 0}, please`));
        return true;
      case "budget":
        noteGoal(talk, order, place.goal(thread, random.pick(["budget +5 turns", "budget +20k"])));
        return true;
      case "pause":
      case "resume":
      case "clear":
        noteGoal(talk, order, place.goal(thread, order));
        // Told twice by who did not see that it helped.
        if (order === "resume" && random.chance(0.3)) noteGoal(talk, order, place.goal(thread, order));
        return true;
      default:
        return order satisfies never;
    }
  }

  function noteGoal(
    { thread: { session } }: Talk,
    order: GoalOrder,
    sent: Promise<boolean> | undefined,
  ): void {
    if (sent !== undefined) note(sent, (taken, times) => ({ kind: "goal", session, order, taken, ...times }));
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
    const talk: Talk = { thread, messages: [], isGone: false, goals: [] };
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
    if (options.goals !== undefined && open.length > 0 && random.chance(GOAL_CHANCE)) {
      if (dealWithGoals(open, options.goals.seed)) return;
    }
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
        if (messages.length === 0) return;
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
        // A button is about its answer, which may have ended before it was pressed.
        const about = how === "button" && habit === "stop" ? { isOfAnswer: true as const } : {};
        if (pressed !== undefined)
          note(pressed, (taken, times) => ({ kind: habit, session, taken, ...about, ...times }));
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
