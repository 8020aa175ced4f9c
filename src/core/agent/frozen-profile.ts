/**
 * System prompt and tool list stay as they were when the session's epoch began, over deploys too: a provider's prompt
 * cache holds only while the bytes are the same. `reset` composes them anew.
 */

import type { Hash } from "../ids.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Blob, Frozen } from "../round.ts";
import type { LoopProfile } from "./loop-types.ts";
import { standardSpecs } from "./tool-specs.ts";
import type { Tool } from "./tool.ts";

export interface ProfileOf {
  (frozen: Frozen | undefined): { readonly profile: LoopProfile; readonly frozen: Frozen };
}

/** What a model is told, as it is stored. */
export function frozenOf({ system, tools }: Pick<LoopProfile, "system" | "tools">, hash: Hash): Frozen {
  const blob = (text: string): Blob => ({ hash: hash(text), text });
  return { prompt: blob(system), tools: blob(JSON.stringify(standardSpecs(tools))) };
}

/** @param current what a new session gets. */
export function createProfileOf(current: LoopProfile, hash: Hash): ProfileOf {
  const fresh = frozenOf(current, hash);
  return (frozen = fresh) => {
    if (frozen === fresh) return { profile: { ...current, frozen }, frozen };
    const specs = JSON.parse(frozen.tools.text) as ToolSpec[];
    const tools = specs.map((spec) => ({
      ...(current.tools.find(({ name }) => name === spec.name) ?? gone(spec)),
      ...spec,
    }));
    return { profile: { ...current, system: frozen.prompt.text, tools, frozen }, frozen };
  };
}

/** Stands for a tool that a deploy took away while a session still shows it to its model. */
function gone(spec: ToolSpec): Tool {
  return {
    ...spec,
    effect: "read",
    parse: (value) => value,
    run: () =>
      Promise.resolve({
        isError: true,
        content: `The tool ${spec.name} is no longer available. Go on without it.`,
      }),
  };
}
