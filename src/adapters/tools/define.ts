/** A tool from one description of its arguments: what the model is told and what is checked can not differ. */

import { z } from "zod";
import { defineTool, type Effect, type Tool, type ToolContext } from "../../core/agent/tool.ts";
import type { ToolSpec } from "../../core/ports/model.ts";

export interface ToolDefinition<Shape extends z.ZodObject> {
  /** Letters, digits, `_` and `-`, at most 64: what every provider takes. */
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly arguments: Shape;
  /** As `Tool.mayRepeat`. */
  readonly mayRepeat?: true;
  /** As of `Tool`. */
  doing?(count: number): string;
  /** As `Tool.isVolatile`. */
  readonly isVolatile?: true;
  /** ms, where it differs from the session's limit. */
  readonly timeoutMs?: number;
  run(given: z.output<Shape>, context: ToolContext): Promise<unknown>;
}

/** @throws TypeError when the name is not allowed or the arguments can not be told as one plain JSON Schema object. */
export function toolOf<Shape extends z.ZodObject>(definition: ToolDefinition<Shape>): Tool {
  const { name, arguments: shape, mayRepeat, isVolatile, doing, timeoutMs, run } = definition;
  return defineTool<z.output<Shape>>({
    ...specOf(definition),
    effect: definition.effect,
    ...(mayRepeat !== undefined && { mayRepeat }),
    ...(doing !== undefined && { doing }),
    ...(isVolatile !== undefined && { isVolatile }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    parse(value) {
      const parsed = shape.safeParse(value);
      if (parsed.success) return parsed.data;
      // Read by the model, which then asks again with what is missing.
      throw new TypeError(`these arguments do not fit ${name}:\n${z.prettifyError(parsed.error)}`);
    },
    run: (given, context) => run(given, context),
  });
}

/** What a model is told of it, also where no tool stands behind it and only the form of an answer is wanted. */
export function specOf({
  name,
  description,
  arguments: shape,
}: {
  readonly name: string;
  readonly description: string;
  readonly arguments: z.ZodObject;
}): ToolSpec {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new TypeError(`not a tool name: ${JSON.stringify(name)}`);
  return { name, description, schema: schemaOf(name, shape) };
}

function schemaOf(name: string, shape: z.ZodObject): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: "input",
    target: "draft-7",
    reused: "inline",
  });
  // Servers refuse a whole request for one schema with references, or with a union where an object is expected.
  if (schema.type !== "object" || JSON.stringify(schema).includes('"$ref"')) {
    throw new TypeError(`the arguments of ${name} are no plain object`);
  }
  return schema;
}
