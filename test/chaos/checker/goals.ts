// Goals: none of their turns is lost and none is doubled, none begins behind what took it back, and none costs more than it may.
import { TOKENS_PER_CALL } from "../goal-recipe.ts";
import type { Act, Broken, ChaosRecord, GoalBody, GoalEventRow, GoalRow, ShownThread } from "./record.ts";

const ONE = "a thread has at most one open goal";
const ONCE = "each turn of a goal is begun once, as one run";
const LOST = "no turn of a goal is lost";
const BEHIND = "no turn of a goal begins after pause, clear, stop or reset";
const CARD = "each goal has one card, which shows where it stands";
const SPENT = "a goal costs what it may, and a last word";

/** What a last turn may ask the model. */
const CALLS_BEYOND = 3;

export function brokenGoals(record: ChaosRecord): Broken[] {
  const events = Map.groupBy(record.goalEvents, ({ goal }) => goal);
  return [
    ...brokenOne(record),
    ...brokenOnce(record, events),
    ...brokenLost(record),
    ...record.goals.flatMap((goal) => [
      ...brokenBehind(goal, events.get(goal.id) ?? []),
      ...brokenSpent(record, goal),
    ]),
    ...brokenAsked(record),
    ...record.threads.filter(({ isGone }) => !isGone).flatMap((thread) => brokenCards(record, thread)),
  ];
}

function brokenOne({ goals }: ChaosRecord): Broken[] {
  const open = Map.groupBy(
    goals.filter(({ closed }) => closed === null),
    ({ session }) => session,
  );
  return [...open].flatMap(([session, all]): Broken[] =>
    all.length > 1 ? [{ invariant: ONE, what: `${session} has ${all.map(({ id }) => id).join(", ")}` }] : [],
  );
}

/** A last turn whose run was given up may be begun once more. */
const turnOf = ({ generation, status, windows, lastTurns = 1 }: GoalBody): string =>
  `${generation}/${status === "budget_limited" ? `last ${lastTurns}` : windows.turns.used}`;

function brokenOnce(
  { goals, runs }: ChaosRecord,
  events: ReadonlyMap<string, readonly GoalEventRow[]>,
): Broken[] {
  const broken: Broken[] = [];
  const begun = new Map<string, number>();
  for (const { id, session } of goals) {
    const begins = (events.get(id) ?? []).filter(({ kind }) => kind === "begin");
    begun.set(session, (begun.get(session) ?? 0) + begins.length);
    for (const [turn, all] of Map.groupBy(begins, ({ body }) => turnOf(body)))
      if (all.length > 1)
        broken.push({ invariant: ONCE, what: `turn ${turn} of ${id} was begun ${all.length} times` });
  }
  const own = Map.groupBy(
    runs.filter(({ cause }) => cause === "continuation"),
    ({ session }) => session,
  );
  for (const session of new Set([...begun.keys(), ...own.keys()])) {
    const [turns, its] = [begun.get(session) ?? 0, own.get(session)?.length ?? 0];
    if (turns !== its)
      broken.push({
        invariant: ONCE,
        what: `${session}: ${turns} turns were begun, and there are ${its} runs of them`,
      });
  }
  return broken;
}

/** All is quiet: whoever was to go on has done so, or has a reason. */
function brokenLost({ goals, runs }: ChaosRecord): Broken[] {
  return goals.flatMap(({ id, session, body }): Broken[] => {
    const { status, next, closed } = body;
    if (closed !== undefined) return [];
    if (next !== undefined)
      return [{ invariant: LOST, what: `${id} in ${session}: a turn is planned and does not begin` }];
    if (status !== "active") return [];
    // Of a run that was given up nobody tells the goal: it goes on minutes later.
    const newest = runs.findLast((run) => run.session === session);
    if (newest?.error_code === "attempts_used_up") return [];
    return [{ invariant: LOST, what: `${id} in ${session} is active, and nothing of it is planned` }];
  });
}

const TAKEN_BACK = new Set(["paused", "blocked", "complete"]);

/** As the goal's own audit has it. */
function brokenBehind({ id }: GoalRow, events: readonly GoalEventRow[]): Broken[] {
  return events.flatMap(({ kind, n }, at): Broken[] => {
    const before = events[at - 1];
    if (kind !== "begin" || before === undefined) return [];
    const { status, closed } = before.body;
    if (closed === undefined && !TAKEN_BACK.has(status)) return [];
    return [
      { invariant: BEHIND, what: `event ${n} of ${id} begins a turn of a goal that was ${closed ?? status}` },
    ];
  });
}

const STOPS = new Set(["stop", "reset", "pause", "clear"]);
type Ordered = Extract<Act, { readonly saidAt: number }>;
const orderOf = (act: Ordered): string => (act.kind === "goal" ? act.order : act.kind);

/** As its people have it: what they took back and were told so, begins only if somebody asked for it again. */
function brokenAsked({ acts, runs }: ChaosRecord): Broken[] {
  const all = acts.filter((act): act is Ordered => "saidAt" in act);
  return all.flatMap((act): Broken[] => {
    if (!act.taken || !STOPS.has(orderOf(act)) || (act.kind !== "goal" && act.isOfAnswer)) return [];
    const { session, saidAt, takenAt } = act;
    const asked = all.filter(
      (other) =>
        other.session === session &&
        !STOPS.has(orderOf(other)) &&
        other.kind === "goal" &&
        other.takenAt >= saidAt,
    );
    const wrong = runs.find(
      (run) =>
        run.session === session &&
        run.cause === "continuation" &&
        run.started_at > takenAt &&
        !asked.some((other) => other.saidAt <= run.started_at),
    );
    if (wrong === undefined) return [];
    return [
      {
        invariant: BEHIND,
        what: `run ${wrong.id} began ${wrong.started_at - takenAt} ms after ${orderOf(act)} in ${session}`,
      },
    ];
  });
}

/** Words of the first line of a card. A second card would be a message that belongs to no run. */
const STANDINGS: Readonly<Record<string, string>> = {
  active: "working",
  waiting: "waits",
  paused: "paused",
  blocked: "blocked",
  budget_limited: "used up",
  usage_limited: "held up",
  complete: "reached",
  cleared: "ended",
  replaced: "took its place",
  reset: "began anew",
  left: "the bot left",
};

function brokenCards({ goals }: ChaosRecord, { session, fromBot }: ShownThread): Broken[] {
  return goals.flatMap((goal): Broken[] => {
    if (goal.session !== session) return [];
    // It had ended before anybody saw it.
    if (goal.closed !== null && goal.card_message === null) return [];
    const card = fromBot.find(({ id }) => id === goal.card_message);
    const standing = STANDINGS[goal.closed ?? goal.status] ?? "?";
    if (card?.text.includes(standing) === true) return [];
    const shows = card === undefined ? "is not there" : `says "${card.text.slice(0, 60)}"`;
    return [
      { invariant: CARD, what: `the card of ${goal.id} in ${session}, which is ${standing}, ${shows}` },
    ];
  });
}

/** Answers to people are never cut short, so they only count. */
function brokenSpent({ runs, modelCalls }: ChaosRecord, { id, session, body }: GoalRow): Broken[] {
  const own = new Set(
    runs.flatMap((run) => (run.session === session && run.cause === "continuation" ? [run.id] : [])),
  );
  const { createdAt, updatedAt, windows } = body;
  const calls = modelCalls.filter(
    (call) =>
      call.outcome === "done" &&
      own.has(call.run) &&
      call.started_at >= createdAt &&
      call.started_at <= updatedAt,
  ).length;
  const most = Math.ceil(windows.tokens.limit / TOKENS_PER_CALL) + CALLS_BEYOND;
  if (calls <= most) return [];
  return [
    {
      invariant: SPENT,
      what: `${id} asked the model ${calls} times in turns of its own, and may ${most} times`,
    },
  ];
}
