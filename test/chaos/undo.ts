// Rules of the product taken out, one at a time, at the edge of its database: what the suite has to notice.
import type { Sql, SqlValue, Statement } from "../../src/adapters/postgres/sql.ts";
import type { Undo } from "./orders.ts";

type Query = <R extends object>(statement: Statement, values?: readonly SqlValue[]) => Promise<readonly R[]>;

/** How late a message is stored that was acknowledged before. */
const STORED_AFTER_MS = 500;

const wrappers: Readonly<Record<Undo, (query: Query) => Query>> = {
  fence: (query) => (statement, values) => query(withoutFence(statement), values),
  look: (query) => (statement, values) =>
    statement.name === "has-work" ? fixed({ work: false }) : query(statement, values),
  ack: (query) => (statement, values) => {
    if (statement.name !== "inbox-put") return query(statement, values);
    setTimeout(() => void query(statement, values).catch(() => {}), STORED_AFTER_MS);
    return fixed({ seq: 1, before: null, known: true, target: true, running: false });
  },
  plan: (query) => (statement, values) =>
    query(statement, isStep(statement, "end") && values !== undefined ? withoutPlan(values) : values),
  begin: (query) => async (statement, values) => {
    const rows = await query(statement, values);
    if (isStep(statement, "open-goal") && rows.length > 0) await planAgain(query, values ?? []);
    return rows as never;
  },
  pause:
    (query) =>
    (statement, values = []) => {
      const kind = values[goalPartIn(values) + PART.kind];
      const isUndone = statement.name === "goal-change" && (kind === "pause" || kind === "clear");
      return isUndone ? fixed({ id: "" }) : query(statement, values);
    },
  count:
    (query) =>
    (statement, values = []) =>
      query(
        statement,
        withBody(values, (body) => ({
          ...body,
          windows: { ...body.windows, tokens: { ...body.windows.tokens, used: 0 } },
        })),
      ),
};

type Body = Record<string, unknown> & { readonly windows: Windows; readonly revision: number };
type Windows = Readonly<
  Record<"tokens" | "turns" | "activeMs", { readonly used: number; readonly limit: number }>
>;

/** Behind the id of a goal and its version in the values of a statement that writes it. */
const PART = { status: 2, wakeAt: 4, body: 5, kind: 6 } as const;

/** @returns where the part of the goal begins; -1 where the statement has none. */
function goalPartIn(values: readonly SqlValue[]): number {
  return (
    values.findIndex((value) => typeof value === "string" && value.startsWith('{"v":1,"id":')) - PART.body
  );
}

/** The goal's body as it is to be written, changed. */
function withBody(
  values: readonly SqlValue[],
  change: (body: Body) => object,
  more: Partial<Record<keyof typeof PART, SqlValue>> = {},
): readonly SqlValue[] {
  const first = goalPartIn(values);
  if (first < 0) return values;
  const body = JSON.parse(String(values[first + PART.body])) as Body;
  const changed = { ...more, body: JSON.stringify(change(body)) };
  return values.map((value, at) => {
    const name = (Object.keys(PART) as (keyof typeof PART)[]).find((one) => first + PART[one] === at);
    return name !== undefined && name in changed ? (changed[name] ?? null) : value;
  });
}

function withoutPlan(values: readonly SqlValue[]): readonly SqlValue[] {
  const first = goalPartIn(values);
  if (first < 0 || values[first + PART.status] !== "active") return values;
  return withBody(values, (body) => ({ ...body, next: undefined }), { wakeAt: null });
}

const PLAN_AGAIN = {
  name: "chaos-plan-again",
  text: "update goals set version = version + 1, wake_at = now_ms(), body = $2::jsonb where id = $1",
};

async function planAgain(query: Query, values: readonly SqlValue[]): Promise<void> {
  const first = goalPartIn(values);
  const again = withBody(values, (body) => {
    const { windows, revision, generation } = body as Body & { readonly generation: number };
    const used = windows.turns.used - 1;
    const next = { revision, generation, n: used + 1, dueAt: 0 };
    return { ...body, next, windows: { ...windows, turns: { ...windows.turns, used } } };
  });
  await query(PLAN_AGAIN, [values[first] ?? null, again[first + PART.body] ?? null]);
}

/** @param undone in this order from the outside. */
export function withUndone(sql: Sql, undone: readonly Undo[]): Sql {
  let query: Query = (statement, values) => sql.query(statement, values);
  for (const undo of undone) query = wrappers[undo](query);
  return { ...sql, query };
}

/** The sweeper finds nothing. */
export function withoutSweeps(sql: Sql): Sql {
  return {
    ...sql,
    query: async (statement, values) => (statement.name === "due" ? [] : sql.query(statement, values)),
  };
}

function isStep({ name = "" }: Statement, step: string): boolean {
  return name.startsWith(`${step}-`);
}

/** A late word about one's own end is not fenced, and so is left as it is. */
function withoutFence(statement: Statement): Statement {
  if (statement.name === "leave") return statement;
  return {
    ...statement,
    text: statement.text
      .replaceAll(/(?:s\.)?fence = \$2::bigint/g, "$2::bigint is not null")
      .replaceAll(/select was\.fence,/g, "select $2::bigint as fence,"),
  };
}

function fixed<R extends object>(row: object): Promise<readonly R[]> {
  return Promise.resolve([row as R]);
}
