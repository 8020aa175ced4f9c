// For worlds in which nobody branches a thread.
import type { CommandDeps } from "../../src/core/command/commands.ts";

export const noBranching: CommandDeps["branching"] = {
  ask: () => Promise.reject(new Error("nobody was to branch a thread here")),
};
