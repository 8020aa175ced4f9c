// What somebody puts into Discord's fields who would write this line behind `goal` elsewhere.
import { goalAsked } from "../../../src/core/goal/asked.ts";

/** The name of the command with its part, and its options. */
export function goalSlash(
  line: string | undefined,
): readonly [name: string, options: Readonly<Record<string, string | number>>] {
  const asked = goalAsked(line);
  switch (asked.kind) {
    case "set":
    case "edit":
    case "replace": {
      const { kind, objective, doneWhen, limits } = asked;
      const lines = doneWhen === undefined ? {} : { "done-when": doneWhen.join("; ") || "none" };
      return [`goal ${kind}`, { objective, ...lines, ...(kind === "edit" ? {} : limits) }];
    }
    case "raise":
      return ["goal budget", asked.more];
    case "unclear":
      throw new Error(asked.why);
    case "status":
    case "pause":
    case "resume":
    case "clear":
      return [`goal ${asked.kind}`, {}];
    default:
      return asked satisfies never;
  }
}
