/**
 * System prompt and tool list stay as they were when the session's epoch began, over deploys too: a provider's prompt
 * cache holds only while the bytes are the same. `reset`, `reload` and another
 * model compose them anew.
 */

import type { Hash } from "../ids.ts";
import { modelFor, usableModels } from "../command/models.ts";
import type { ModelRecord, ToolSpec } from "../ports/model.ts";
import type { Blob, Frozen } from "../round.ts";
import type { ChosenModel } from "../session-settings.ts";
import type { LoopProfile } from "./loop-types.ts";
import { standardSpecs } from "./tool-specs.ts";
import type { Tool } from "./tool.ts";

export interface ProfileOf {
  /**
   * @param chosen the session's model, where people chose one.
   * @param begunWith what the run has asked so far: it goes on with that while there is such a model.
   * @param goal the session has a goal: the tools for it join the others, from now on.
   */
  (
    frozen: Frozen | undefined,
    chosen?: ChosenModel,
    begunWith?: ChosenModel,
    goal?: "goal",
  ): {
    readonly profile: LoopProfile;
    readonly frozen: Frozen;
    /** For people: the model that was chosen is gone, and which one answers in its place. */
    readonly notice?: string;
  };
}

/** What a model is told, as it is stored. */
export function frozenOf(
  { system, tools }: Pick<LoopProfile, "system"> & { readonly tools: readonly ToolSpec[] },
  hash: Hash,
): Frozen {
  const blob = (text: string): Blob => ({ hash: hash(text), text });
  return { prompt: blob(system), tools: blob(JSON.stringify(standardSpecs(tools))) };
}

/**
 * @param current what a new session gets.
 * @param more.listed other models that a session may use.
 * @param more.goalTools what one with a goal has besides: no other session pays for them.
 */
export function createProfileOf(
  current: LoopProfile,
  hash: Hash,
  more: { readonly listed?: readonly ModelRecord[]; readonly goalTools?: readonly Tool[] } = {},
): ProfileOf {
  const { listed = [], goalTools = [] } = more;
  const fresh = frozenOf(current, hash);
  const models = { usual: current.model, listed };
  const known = [...current.tools, ...goalTools];
  return (given = fresh, chosen = {}, begunWith, goal) => {
    const wanted = modelFor(models, chosen) ?? current.model;
    const model = usableModels(models).find(({ name }) => name === begunWith?.model) ?? wanted;
    const { effort } = begunWith ?? chosen;
    const isGone = chosen.model !== undefined && wanted.name !== chosen.model;
    const notice = isGone
      ? { notice: `The model ${chosen.model} is not listed any more, so ${model.name} answered.` }
      : {};
    const frozen = goal === undefined ? given : withTools(given, goalTools, hash);
    const base: LoopProfile = {
      ...current,
      model,
      ...(effort === undefined ? {} : { thinking: { kind: "effort", effort } }),
      frozen,
    };
    if (frozen === fresh) return { profile: base, frozen, ...notice };
    const specs = JSON.parse(frozen.tools.text) as ToolSpec[];
    const tools = specs.map((spec) => ({
      ...(known.find(({ name }) => name === spec.name) ?? gone(spec)),
      ...spec,
    }));
    return { profile: { ...base, system: frozen.prompt.text, tools }, frozen, ...notice };
  };
}

/** The same object where nothing is missing. */
function withTools(frozen: Frozen, tools: readonly Tool[], hash: Hash): Frozen {
  const specs = JSON.parse(frozen.tools.text) as ToolSpec[];
  const missing = tools.filter(({ name }) => !specs.some((spec) => spec.name === name));
  if (missing.length === 0) return frozen;
  return frozenOf({ system: frozen.prompt.text, tools: [...specs, ...missing] }, hash);
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
