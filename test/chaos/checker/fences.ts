// Who wrote when: no fence went back, nobody wrote in a session that another had claimed, and so no two attempts interleaved.
import type { Broken, ChaosRecord, NotedWrite } from "./record.ts";

const FORWARD = "no fence went back";
const STALE = "no stale write was accepted";
const APART = "two attempts of one session never wrote interleaved";
const ENDED = "every attempt has an end";

/** What only the attempt may write that holds the session. */
const FENCED = new Set(["runs", "entries", "model_calls", "tool_results", "pages"]);
/** After so many crashes a reply is left as it stands, by whoever looks, without a claim. */
const GIVEN_UP_AFTER = 8;

export function brokenFences(record: ChaosRecord): Broken[] {
  const sessions = Map.groupBy(record.writes, ({ session }) => session);
  return [
    ...[...sessions].flatMap(([session, writes]) =>
      session === null
        ? []
        : [...wentBack(session, writes), ...stale(record, session, writes), ...interleaved(session, writes)],
    ),
    ...record.attempts
      .filter(({ ended }) => ended === null)
      .map(({ run, fence }) => ({ invariant: ENDED, what: `run ${run}, fence ${fence}` })),
  ];
}

function wentBack(session: string, writes: readonly NotedWrite[]): Broken[] {
  const fences = writes.filter(({ of }) => of === "sessions");
  return fences.flatMap(({ was, now }): Broken[] =>
    Number(now?.["fence"]) > Number(was?.["fence"])
      ? []
      : [
          {
            invariant: FORWARD,
            what: `${session}: from ${String(was?.["fence"])} to ${String(now?.["fence"])}`,
          },
        ],
  );
}

function stale({ attempts }: ChaosRecord, session: string, writes: readonly NotedWrite[]): Broken[] {
  return writes.flatMap((write): Broken[] => {
    if (!FENCED.has(write.of)) return [];
    const { of, writer, owner, fence, now, was } = write;
    const found = (why: string): Broken[] => [
      { invariant: STALE, what: `${session}: ${of} by ${writer}, ${why}` },
    ];
    const key = of === "pages" && was === null ? /-(\d+)-\d+$/.exec(String(now?.["key"]))?.[1] : undefined;
    if (key !== undefined && Number(key) !== fence)
      return found(`a page begun with fence ${key} while ${fence} held it`);
    if (owner === null || owner === writer) return [];
    const run = String(now?.["id"] ?? was?.["id"]);
    const crashes = attempts.filter((one) => one.run === run && one.ended === "crashed").length;
    if (of === "runs" && now?.["reply"] === "settled" && crashes >= GIVEN_UP_AFTER) return [];
    return found(`while ${owner} held it with fence ${fence}`);
  });
}

/** What was stored under one fence is one stretch of one writer. */
function interleaved(session: string, writes: readonly NotedWrite[]): Broken[] {
  const ended = new Set<string>();
  let current = "";
  return writes.flatMap(({ of, fence, writer }): Broken[] => {
    const stretch = `${fence} ${writer}`;
    if (of !== "entries" || stretch === current) return [];
    const isFirst = !ended.has(String(fence));
    ended.add(String(fence));
    current = stretch;
    return isFirst
      ? []
      : [{ invariant: APART, what: `${session}: ${writer} wrote between the rounds of fence ${fence}` }];
  });
}
