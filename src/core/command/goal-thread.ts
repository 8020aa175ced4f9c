/**
 * A goal that is given in a channel gets a thread of its own. Whoever takes the command stores that it is owed first, and calls this as
 * often as it takes: the thread is found again by its key, and the goal is set once, by the command's own identity.
 */

import type { Author, Where } from "../inbound.ts";
import type { Hash, InboundId } from "../ids.ts";
import { headOf } from "../text.ts";
import { pause } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Opened, Openings } from "../ports/openings.ts";
import type { MayBegin, PageContent } from "../ports/surface.ts";
import { plain, quotedLines } from "../plain-text.ts";
import type { SessionId } from "../thread.ts";
import { goalAsked, lineOfGoal, type GoalValue } from "../goal/asked.ts";
import type { CommandRequest, Commands } from "./commands.ts";

export interface GoalThreadAsked {
  /** What stands behind `goal`; it has to set one. */
  readonly value: GoalValue;
  readonly author: Author;
  readonly id: InboundId;
  /** ms since 1970. */
  readonly at: number;
  /** Any address in the channel. */
  readonly beside: SessionId;
  /** Of the thread that opens. */
  readonly where?: Where;
}

export interface GoalThreads {
  /**
   * Never rejects. `later`: to be called again, as `isAgain`.
   * @returns what the one who asked is told.
   */
  open(
    asked: GoalThreadAsked,
    isAgain: boolean,
  ): Promise<{ readonly kind: "over"; readonly text: string } | { readonly kind: "later" }>;
}

/** How long one call goes on asking, ms: less than whoever else takes it over waits. */
const LONGEST_MS = 15_000;
const NAME_UNITS = 80;
const OBJECTIVE_UNITS = 300;

/** Whether this gives a goal, and asks nothing of one that is there. */
export function setsGoal(value: GoalValue): boolean {
  return goalAsked(value).kind === "set";
}

export function createGoalThreads(deps: {
  readonly openings: Pick<Openings, "open" | "leave" | "addressOf">;
  readonly commands: Pick<Commands, "run">;
  readonly clock: Clock;
  readonly hash: Hash;
}): GoalThreads {
  const { openings, commands, clock } = deps;

  async function opened(asked: GoalThreadAsked, isAgain: boolean): Promise<Opened> {
    const { value, author, id, at, beside, where } = asked;
    const until = clock.ticks() + LONGEST_MS;
    const mayBegin: MayBegin = () => clock.ticks() < until;
    const given = goalAsked(value);
    const objective = given.kind === "set" ? given.objective : lineOfGoal(value);
    const opening = {
      key: `goal-${deps.hash(id).slice(0, 16)}`,
      name: headOf(objective.replaceAll(/\s+/g, " ").trim(), NAME_UNITS),
      page: rootOf(author, objective),
      sinceMs: at,
      ...(where === undefined ? {} : { where }),
    };
    for (let again = isAgain; ;) {
      const answer = await openings.open(beside, { ...opening, isAgain: again }, mayBegin);
      if (answer.kind !== "later") return answer;
      if (clock.ticks() + answer.afterMs >= until) {
        openings.leave?.(beside, opening.key);
        return answer;
      }
      // What was never sent need not be looked for.
      again ||= answer.isTurn !== true;
      await pause(clock, answer.afterMs);
    }
  }

  return {
    async open(asked, isAgain) {
      const { value, author, id, at, where } = asked;
      const answer = await opened(asked, isAgain);
      if (answer.kind === "later") return answer;
      if (answer.kind === "never")
        return { kind: "over", text: `The goal could not be given a thread. ${answer.why}` };
      const { session } = answer;
      const request: CommandRequest = { session, author, id, at, ...(where === undefined ? {} : { where }) };
      const { text } = await commands.run({ name: "goal", value }, request);
      const address = await openings.addressOf(session).catch(() => undefined);
      return {
        kind: "over",
        text: address === undefined ? text : `${text}\n\n[Open the thread](${address})`,
      };
    },
  };
}

/** What opens the thread: who asked, and for what. The card below it tells how it goes. */
function rootOf({ name }: Author, objective: string): PageContent {
  const clipped = headOf(objective.trim(), OBJECTIVE_UNITS);
  const shown = clipped.length < objective.trim().length ? `${clipped}…` : clipped;
  return { markdown: `**${plain(name)}** gave me a goal:\n\n${quotedLines(shown)}`, buttons: [] };
}
