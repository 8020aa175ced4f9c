// Every history, and every request that the model received, is one that the strictest provider takes.
import { complaintsAbout } from "../../support/fake-llm/strict-provider.ts";
import type { Broken, ChaosRecord, EntryRow } from "./record.ts";

const VALID = "every history is valid for a strict provider";
const REQUESTS = "every request is valid for a strict provider";

export function brokenHistories({ entries, requests }: ChaosRecord): Broken[] {
  const epochs = Map.groupBy(entries, ({ session, epoch }) => `${session} epoch ${epoch}`);
  return [
    ...[...epochs].flatMap(([name, own]) =>
      problemsOf(own.toSorted((a, b) => a.seq - b.seq)).map((what) => ({
        invariant: VALID,
        what: `${name}: ${what}`,
      })),
    ),
    ...requests.flatMap((body, at) =>
      complaintsAbout(Buffer.from(body)).map((what) => ({
        invariant: REQUESTS,
        what: `request ${at + 1}: ${what}`,
      })),
    ),
  ];
}

/** Each call has one result, right behind its reply and in its order; no reply follows a reply of the same run without one. */
function problemsOf(entries: readonly EntryRow[]): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  let before: EntryRow | undefined;
  for (const entry of entries) {
    const { seq, kind, body, run } = entry;
    if (before?.seq === seq) problems.push(`two entries with seq ${seq}`);
    if (kind === "tool") {
      if (body.call !== open[0])
        problems.push(`entry ${seq}: a result of ${body.call} where ${open[0] ?? "none"} was due`);
      open = open.slice(1);
    } else if (open.length > 0) {
      problems.push(`entry ${seq}: calls without a result: ${open.join(", ")}`);
      open = [];
    }
    if (kind === "assistant") {
      open = (body.calls ?? []).map(({ id }) => id);
      if ((body.text ?? "").trim() === "" && open.length === 0) problems.push(`entry ${seq}: an empty reply`);
      if (before?.kind === "assistant" && before.run === run)
        problems.push(`entry ${seq}: two replies in a row`);
    }
    before = entry;
  }
  if (open.length > 0) problems.push(`at the end calls without a result: ${open.join(", ")}`);
  return problems;
}
