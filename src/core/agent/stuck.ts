/** Whether the model does the same thing over and over. Read from the entries alone, so a resumed run knows it too. */

import type { AssistantEntry, ContextEntry, ToolEntry } from "../entry.ts";

/** The same batch of calls with the same results this often in a row is stuck. */
const STUCK_AFTER = 5;

/** @param entries end with a complete round. Rounds count back to the last user entry or to another run. */
export function isStuck(entries: readonly ContextEntry[], times: number = STUCK_AFTER): boolean {
  const run = entries.at(-1)?.run;
  let results: ToolEntry[] = [];
  let batch: string | undefined;
  let same = 0;
  for (let index = entries.length - 1; index >= 0 && same < times; index--) {
    const entry = entries[index];
    if (entry === undefined || entry.run !== run || entry.body.kind === "user") break;
    if (entry.body.kind === "tool") results.unshift(entry.body);
    if (entry.body.kind !== "assistant") continue;
    const signature = signatureOf(entry.body, results);
    if (entry.body.calls.length === 0 || signature !== (batch ??= signature)) break;
    same += 1;
    results = [];
  }
  return same >= times;
}

/** Without ids: they differ each time. */
function signatureOf(reply: AssistantEntry, results: readonly ToolEntry[]): string {
  return JSON.stringify([
    reply.calls.map((call) => [call.name, call.arguments]),
    results.map((result) => [result.ok, result.content]),
  ]);
}
