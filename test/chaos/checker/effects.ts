// What a tool does outside is done at most once, unless it changes nothing.
import { TOOLS, type ToolName } from "../recipe.ts";
import type { Broken, ChaosRecord } from "./record.ts";

const ONCE = "no side effect of a tool not marked read happened twice";

export function brokenEffects({ deeds }: ChaosRecord): Broken[] {
  const lasting = deeds.filter(({ tool }) => TOOLS[tool as ToolName] !== "read");
  return [...Map.groupBy(lasting, ({ order }) => order)].flatMap(([order, all]): Broken[] =>
    all.length === 1
      ? []
      : [
          {
            invariant: ONCE,
            what: `order ${order} was done ${all.length} times, by ${all.map(({ run, pid }) => `${run} in ${pid}`).join(", ")}`,
          },
        ],
  );
}
