/**
 * What one person alone is told after a command. It is stored before the command is acknowledged and told after that, so that a
 * crash in between loses nothing, and of two copies of one event, wherever they arrive, one is answered.
 */

import type { GoalThreads } from "../../core/command/goal-thread.ts";
import type { InboundId } from "../../core/ids.ts";
import type { Answers, OwedAnswer } from "../../core/ports/answers.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { Untold } from "../../core/run/untold.ts";
import { readChoosing } from "./choices.ts";
import { fieldsOf, textOf } from "./payload.ts";
import type { AnswerPlace, Tell } from "./tell.ts";

export interface PrivateAnswersDeps {
  readonly answers: Answers;
  tellIn(space: string): Tell;
  readonly goalThreads: GoalThreads;
  readonly clock: Clock;
  readonly log: Log;
}

export interface PrivateAnswersOptions {
  /** From one look for answers that were left untold to the next, ms. Default 15,000. */
  readonly everyMs?: number;
  /** How long whoever set out to tell one may take, ms. Default 40,000: longer than its requests may. */
  readonly idleMs?: number;
}

/** Slack takes no answer to a click that is older, and nobody waits for one. */
const KEPT_MS = 30 * 60_000;

export class PrivateAnswers {
  readonly #answers: Answers;
  readonly #untold: Untold;

  constructor(deps: PrivateAnswersDeps, options: PrivateAnswersOptions = {}) {
    const { answers, tellIn, goalThreads, clock, log } = deps;
    this.#answers = answers;
    this.#untold = new Untold(
      {
        answers,
        async tell({ space, place, text }, isAgain) {
          const where = placeOf(place);
          if (where === undefined) return "over";
          if (where.goal === undefined) return tellIn(space)(where, text);
          const opened = await goalThreads.open(where.goal, isAgain);
          return opened.kind === "later" ? "later" : tellIn(space)(where, opened.text);
        },
        clock,
        log,
      },
      { platform: "slack", keptMs: KEPT_MS, ...options },
    );
  }

  /**
   * Rejects when it cannot be stored: then the command must not be acknowledged. `space`: the install that tells it.
   * @returns what tells it, to be called after the acknowledgement, and never rejects; nothing for a copy, or where the same was owed within `againAfterMs`.
   */
  async owe(
    space: string,
    command: InboundId,
    place: AnswerPlace,
    text: string,
    againAfterMs?: number,
  ): Promise<(() => Promise<void>) | undefined> {
    const answer: OwedAnswer = {
      command,
      platform: "slack",
      space,
      place: JSON.stringify(place),
      text,
    };
    return (await this.#answers.owe(answer, againAfterMs)) ? () => this.#untold.tell(answer) : undefined;
  }

  /** Tells what was left untold, now and from time to time. */
  start(): void {
    this.#untold.start();
  }

  /** Resolves when nothing is told any more. */
  stop(): Promise<void> {
    return this.#untold.stop();
  }
}

/** Stored by ourselves, perhaps by another version. */
function placeOf(text: string): AnswerPlace | undefined {
  const place = fieldsOf(JSON.parse(text));
  const { channel, user, thread } = fieldsOf(place["at"]);
  const answerTo = textOf(place["answerTo"]);
  const root = textOf(thread);
  const choosing = readChoosing(place["choosing"]);
  const goal = place["goal"] as AnswerPlace["goal"];
  const [where, who] = [textOf(channel), textOf(user)];
  if (where === undefined || who === undefined) return undefined;
  return {
    at: { channel: where, user: who, ...(root === undefined ? {} : { thread: root }) },
    ...(answerTo === undefined ? {} : { answerTo }),
    ...(place["isReplaced"] === true ? { isReplaced: true } : {}),
    ...(choosing === undefined ? {} : { choosing }),
    ...(goal === undefined ? {} : { goal }),
  };
}
