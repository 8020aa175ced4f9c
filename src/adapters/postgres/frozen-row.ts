/** What a session's model is told beside the conversation, as a claim reads it. */

import type { Frozen } from "../../core/round.ts";

export interface FrozenRow {
  readonly promptHash: string | null;
  readonly promptText: string | null;
  readonly toolsHash: string | null;
  readonly toolsText: string | null;
}

/** SQL: the columns of a `FrozenRow`; null unless the session `was` froze them in this epoch. */
export const FROZEN = (epoch: string): string => `
  case when was.frozen_epoch = ${epoch} then was.prompt_hash end as "promptHash",
  case when was.frozen_epoch = ${epoch} then (select text from blobs where hash = was.prompt_hash) end as "promptText",
  case when was.frozen_epoch = ${epoch} then was.tools_hash end as "toolsHash",
  case when was.frozen_epoch = ${epoch} then (select text from blobs where hash = was.tools_hash) end as "toolsText"`;

export function toFrozen(row: FrozenRow): { readonly frozen?: Frozen } {
  const { promptHash, promptText, toolsHash, toolsText } = row;
  if (promptHash === null || promptText === null || toolsHash === null || toolsText === null) return {};
  return {
    frozen: { prompt: { hash: promptHash, text: promptText }, tools: { hash: toolsHash, text: toolsText } },
  };
}
