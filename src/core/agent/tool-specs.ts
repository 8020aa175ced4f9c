/** What the model is told of the tools. */

import type { ToolSpec } from "../ports/model.ts";

/** Name, description and schema alone, always in this order: their JSON text is hashed and compared. */
export function standardSpecs(tools: readonly ToolSpec[]): ToolSpec[] {
  return tools.map(({ name, description, schema }) => ({ name, description, schema }));
}
