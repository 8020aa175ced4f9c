// Every message that was acknowledged has exactly one fate, and one that its people can understand.
import type { Act, Broken, ChaosRecord, InboxRow } from "./record.ts";

const FATED = "every inbound that was acknowledged has exactly one fate";
const ONCE = "every message stands in the history once";

export function brokenFates(record: ChaosRecord): Broken[] {
  const broken: Broken[] = [];
  const found = (what: string): void => void broken.push({ invariant: FATED, what });
  const rows = Map.groupBy(
    record.inbox.filter(({ kind }) => kind === "message"),
    (row) => `${row.session} ${row.message}`,
  );
  for (const act of record.acts) {
    if (act.kind !== "question") continue;
    const own = rows.get(`${act.session} ${act.message}`) ?? [];
    const name = `question ${act.tag}`;
    if (own.length === 0 && act.taken && !act.mayBeIgnored)
      found(`${name} was acknowledged and is not stored`);
    if (own.length > 1) found(`${name} is stored ${own.length} times`);
  }
  for (const row of record.inbox) {
    if (row.kind !== "message" && row.kind !== "command") continue;
    if (row.state !== "done" || row.fate === null) found(`${row.kind} ${row.id} is ${row.state} to the end`);
    else if (row.fate === "cancelled" && !mayBeCancelled(row, record.acts))
      found(`${row.id} was cancelled (${row.reason}), and nobody asked for that`);
    else if (row.kind === "message" && (row.fate === "refused" || row.fate === "expired"))
      found(`${row.id} is ${row.fate} for no reason`);
  }
  broken.push(...changedFates(record), ...notOnce(record));
  return broken;
}

function mayBeCancelled(row: InboxRow, acts: readonly Act[]): boolean {
  return acts.some(
    (act) =>
      act.session === row.session && (act.kind === "stop" || act.kind === "reset" || act.kind === "delete"),
  );
}

/** A fate is for ever, but that a retry may turn one that was not answered. */
function changedFates({ writes, runs }: ChaosRecord): Broken[] {
  const causes = new Map(runs.map(({ id, cause }) => [id, cause]));
  return writes.flatMap(({ of, was, now }): Broken[] => {
    if (of !== "inbox" || was === null || was["fate"] === null) return [];
    if (now !== null && now["fate"] === was["fate"] && now["state"] === was["state"]) return [];
    const isRetry =
      now !== null && now["state"] === "admitted" && causes.get(now["run"] as string) === "retry";
    if (isRetry && was["fate"] !== "answered") return [];
    const became = now === null ? "nothing" : `${nameOf(now["state"])} ${nameOf(now["fate"])}`;
    return [
      { invariant: FATED, what: `${nameOf(was["id"])} was ${nameOf(was["fate"])} and became ${became}` },
    ];
  });
}

function notOnce({ inbox, entries }: ChaosRecord): Broken[] {
  const times = new Map<string, number>();
  for (const { inbound } of entries) if (inbound !== null) times.set(inbound, (times.get(inbound) ?? 0) + 1);
  return inbox.flatMap((row): Broken[] => {
    if (row.kind !== "message") return [];
    const count = times.get(row.id) ?? 0;
    const isRight = row.fate === "cancelled" ? count <= 1 : count === 1;
    return isRight ? [] : [{ invariant: ONCE, what: `${row.id} (${row.fate}) stands there ${count} times` }];
  });
}

const nameOf = (value: unknown): string => (typeof value === "string" ? value : "nothing");
