/** What a session's model is told beside the conversation, as a claim reads it. */

import type { Frozen } from "../../core/round.ts";

export interface FrozenRow {
  readonly promptHash: string | null;
  readonly promptText: string | null;
  readonly toolsHash: string | null;
  readonly toolsText: string | null;
}

/** SQL: whether the session `was` still has what it froze in this epoch. */
export const holdsFrozen = (epoch: string): string => `was.frozen_epoch = ${epoch}`;

/**
 * SQL: the columns of a `FrozenRow`; null unless the session `was` froze them in this epoch, and nobody asked for new ones since.
 * @param call the row of the run's newest model call, or of nulls: what the run was told it is told to its end.
 */
export const FROZEN = (epoch: string, call?: string): string => {
  const holds = holdsFrozen(epoch);
  const columns = ["prompt", "tools"].flatMap((name) => {
    const frozen = `case when ${holds} then was.${name}_hash end`;
    const hash = call === undefined ? frozen : `coalesce(${call}.${name}_hash, ${frozen})`;
    return [`${hash} as "${name}Hash"`, `(select text from blobs where hash = ${hash}) as "${name}Text"`];
  });
  return columns.join(",\n  ");
};

export function toFrozen(row: FrozenRow): { readonly frozen?: Frozen } {
  const { promptHash, promptText, toolsHash, toolsText } = row;
  if (promptHash === null || promptText === null || toolsHash === null || toolsText === null) return {};
  return {
    frozen: { prompt: { hash: promptHash, text: promptText }, tools: { hash: toolsHash, text: toolsText } },
  };
}
