/** A run's stored entries as its goal sees them: which calls it made, and what it said last. Pure. */

import type { Tool } from "../agent/tool.ts";
import type { Entry, EntryBody, ToolCall } from "../entry.ts";
import type { Hash, RunId } from "../ids.ts";
import { headOf } from "../text.ts";
import type { TurnCall } from "./turn.ts";

const SAID_UNITS = 500;

/**
 * @param entries of the session; those of other runs are left out.
 * @param last the round that is stored with the end.
 * @param toolOf by its name; undefined for one that only keeps the goal's books, and for one that is not known.
 */
export function turnFacts(
  run: RunId,
  entries: readonly Entry[],
  last: readonly EntryBody[],
  toolOf: (name: string) => Pick<Tool, "effect" | "isVolatile"> | undefined,
  hash: Hash,
): { readonly calls: readonly TurnCall[]; readonly said: string } {
  const asked = new Map<string, ToolCall>();
  const calls: TurnCall[] = [];
  let said = "";
  const bodies = [...entries.flatMap((entry) => (entry.run === run ? [entry.body] : [])), ...last];
  for (const body of bodies) {
    if (body.kind === "assistant") {
      for (const call of body.calls) asked.set(call.id, call);
      if (body.text !== "") said = body.text;
    }
    if (body.kind !== "tool") continue;
    const call = asked.get(body.call);
    const tool = call === undefined ? undefined : toolOf(call.name);
    if (call === undefined || tool === undefined) continue;
    calls.push({
      call: hash(`${call.name} ${call.arguments}`),
      result: hash(tool.isVolatile === true ? "" : body.content),
      isChange: body.ok && tool.effect !== "read",
    });
  }
  return { calls, said: headOf(said, SAID_UNITS) };
}
