/** The command `goal`, and what other commands say of a thread's goal. */

import type { Access } from "../access/access.ts";
import { describeGoal, spentOnGoal, standingOfGoal } from "../goal/describe.ts";
import { goalAsked, lineOfGoal, type GoalAsked, type GoalValue } from "../goal/asked.ts";
import type { Written } from "../goal/done-when.ts";
import type { Goal } from "../goal/goal.ts";
import { GOALS_OFF, refusalOfLimits, type GoalPolicies } from "../goal/policy.ts";
import { reduceGoal } from "../goal/reduce.ts";
import { isCurrent, LEFT_STANDING, type GoalRef } from "../goal/ref.ts";
import type { Asker, GoalEvent } from "../goal/event.ts";
import type { Limits } from "../goal/limits.ts";
import type { Author, Where } from "../inbound.ts";
import type { InboundId, NewId } from "../ids.ts";
import type { GoalProposals } from "../ports/goal-proposals.ts";
import type { Goals } from "../ports/goals.ts";
import { threadOf, type SessionId } from "../thread.ts";
import type { AdmitGoal } from "./goal-admission.ts";

/** Who asks, and where. `id`: the same for every delivery of it. */
interface GoalRequest {
  readonly session: SessionId;
  readonly author: Author;
  readonly where?: Where;
  readonly id: string;
  readonly at: number;
  readonly mayBegin?: true;
  /** The goal whose button was clicked. */
  readonly goal?: GoalRef;
  /** The proposed goal whose button was clicked. */
  readonly proposal?: string;
}

export interface GoalCommands {
  /** @param value what stands behind the command. */
  run(value: GoalValue | undefined, request: GoalRequest): Promise<string>;
  /** The bot is to be quiet in the thread: pauses the goal, if it goes on by itself, and answers what is said of that. */
  quiet(request: GoalRequest): Promise<string | undefined>;
  /** The thread's open goal. */
  open(session: SessionId): Promise<Goal | undefined>;
  /** Something else than a command of its own has changed it: its card says so soon. */
  changed(session: SessionId): void;
}

export interface GoalCommandDeps {
  readonly access: Pick<Access, "isAdmin">;
  readonly goals: Pick<Goals, "read" | "apply" | "isDone">;
  readonly policies: GoalPolicies;
  /** Lets in, and counts, what makes work. */
  readonly admit: AdmitGoal;
  readonly proposals: Pick<GoalProposals, "find">;
  /** Rings for the goal's next turn where that is due now. Never rejects. */
  readonly ring: (session: SessionId, goal: Goal) => void;
  /** Brings the goal's card up to date. Never rejects. */
  readonly show: (session: SessionId) => void;
  readonly newId: NewId;
}

export function createGoalCommands(deps: GoalCommandDeps): GoalCommands {
  const { access, goals, proposals, policies, ring, show, newId } = deps;

  async function open(session: SessionId): Promise<Goal | undefined> {
    const goal = await goals.read(session);
    return goal?.closed === undefined ? goal : undefined;
  }

  function askerOf({ author, session, where }: GoalRequest): Asker {
    const thread = threadOf(session);
    const place = where?.parent === undefined ? thread : { ...thread, channel: where.parent };
    return { id: author.id, name: author.name, isAdmin: access.isAdmin(author, place) };
  }

  function setBy(
    request: GoalRequest,
    mode: "new" | "replace",
    written: Written,
    limits: Limits,
  ): Extract<GoalEvent, { kind: "set" }> {
    const { author, where } = request;
    return {
      kind: "set",
      mode,
      by: askerOf(request),
      id: newId(),
      owner: { id: author.id, name: author.name },
      ...written,
      limits,
      ...(where === undefined ? {} : { where }),
    };
  }

  /** What was proposed, as a goal of whoever starts it. */
  async function started(id: string, request: GoalRequest): Promise<GoalEvent | string> {
    const found = await proposals.find(request.session, id);
    if (found.kind === "open") return setBy(request, "new", writtenIn(found.proposal), found.proposal.limits);
    return (await goals.isDone(startKey(request.session, id))) ? STARTED : PROPOSAL_VOID;
  }

  async function eventFor(asked: GoalAsked, request: GoalRequest): Promise<GoalEvent | string> {
    const { session, where } = request;
    const by = askerOf(request);
    const ref = request.goal === undefined ? {} : { ref: request.goal };
    const policy = policies.at(session, where);
    const set = (mode: "new" | "replace", written: Written, limits: Partial<Limits>): GoalEvent =>
      setBy(request, mode, written, { ...policy.limits, ...limits });
    switch (asked.kind) {
      case "set":
        return set("new", writtenIn(asked), asked.limits);
      case "replace":
      case "edit": {
        const written = writtenIn(asked);
        // Nothing is there that could be changed: then the line is a goal that begins with this word.
        if (asked.whole !== undefined && (await open(session)) === undefined)
          return set("new", { ...written, objective: asked.whole }, asked.limits);
        if (asked.kind === "replace") return set("replace", written, asked.limits);
        return Object.keys(asked.limits).length > 0 ? NO_LIMITS : { kind: "edit", by, ...written, ...ref };
      }
      case "pause":
      case "resume":
      case "clear":
        return { kind: asked.kind, by, ...ref };
      case "raise":
        return { kind: "raise", by, more: asked.more, most: policy.most, ...ref };
      case "status":
        return describeGoal(await goals.read(session), request.at);
      case "unclear":
        return asked.why;
      default:
        return asked satisfies never;
    }
  }

  /** A delivery that comes again finds what the first one made of it, and is told so. */
  async function mayClick(ref: GoalRef, { session, id }: GoalRequest): Promise<boolean> {
    return isCurrent(ref, await open(session)) || (await goals.isDone(id));
  }

  /** Why it may not be done there, or not now. */
  async function refusalOf(
    event: GoalEvent,
    value: GoalValue | undefined,
    request: GoalRequest,
  ): Promise<string | undefined> {
    if (event.kind !== "set" && event.kind !== "resume" && event.kind !== "raise") return undefined;
    const { session, author, where, id, at } = request;
    const policy = policies.at(session, where);
    if (!policy.allow) return GOALS_OFF;
    const tooMuch = event.kind === "set" ? refusalOfLimits(event.limits, policy) : undefined;
    if (tooMuch !== undefined) return tooMuch;
    // What would be refused anyway does not count.
    const step = reduceGoal(await open(session), event, at);
    if (step.kind === "refused") return undefined;
    return deps.admit({
      v: 1,
      kind: "command",
      command: { name: "goal", value: lineOfGoal(value ?? "") },
      id: id as InboundId,
      session,
      author,
      at,
      addressed: event.kind === "set",
      ...(where === undefined ? {} : { where }),
    });
  }

  return {
    open,
    changed: show,
    async quiet(request) {
      if ((await open(request.session)) === undefined) return undefined;
      const event = { kind: "pause", by: askerOf(request) } as const;
      const applied = await goals.apply(request.session, event, request.id);
      return applied.kind === "refused" ? undefined : standingOfGoal(applied.goal, applied.goal.updatedAt);
    },
    async run(value, request) {
      if (request.goal !== undefined && !(await mayClick(request.goal, request))) return LEFT_STANDING;
      const { proposal } = request;
      const event =
        proposal === undefined ? await eventFor(goalAsked(value), request) : await started(proposal, request);
      if (typeof event === "string") return event;
      if (event.kind === "set" && !mayOpen(request)) return NO_THREAD;
      const why = await refusalOf(event, value, request);
      if (why !== undefined) return why;
      // Whoever comes second has not started it, however close behind.
      const key = proposal === undefined ? request.id : startKey(request.session, proposal);
      const applied = await goals.apply(request.session, event, key);
      if (applied.kind === "refused") return applied.why;
      if (proposal !== undefined && applied.isRepeat === true) return STARTED;
      const { goal, replaced } = applied;
      ring(request.session, goal);
      if (goal.closed !== undefined) return `The goal has ended. Spent: ${spentOnGoal(goal)}.`;
      const before =
        replaced === undefined ? "" : `The goal before ended. Spent: ${spentOnGoal(replaced)}.\n\n`;
      const said =
        event.kind === "set"
          ? "This thread has a goal now, and works on it by itself."
          : standingOfGoal(goal, goal.updatedAt);
      return `${before}${said}`;
    },
  };
}

const writtenIn = ({ objective, doneWhen }: Written): Written => ({
  objective,
  ...(doneWhen === undefined ? {} : { doneWhen }),
});

const startKey = (session: SessionId, proposal: string): string => `start_goal/${session}/${proposal}`;

const NO_LIMITS =
  "An edit changes what is to be reached, not what the goal may use: leave `--tokens`, `--turns` and `--minutes` out, and raise them with `goal budget`. Nothing was changed.";
const STARTED = "That goal was started already. `goal status` tells where it stands.";
const PROPOSAL_VOID =
  "That proposal is not open any more: the thread was reset, or has had another goal since. Nothing was changed.";
const NO_THREAD =
  "A goal needs a thread. Mention the bot here with what it is about, and give it the goal in the thread that opens.";

/** Whether a session may begin here: not where it would be a whole channel, in which the bot then answered to all that is said. */
function mayOpen({ session, where, mayBegin }: GoalRequest): boolean {
  return mayBegin === true || where?.parent !== undefined || threadOf(session).root !== undefined;
}
