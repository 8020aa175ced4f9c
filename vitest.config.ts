import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";
import { PURE, SHARING, WHOLE } from "./test/support/kinds.ts";
import { LongestFiles } from "./test/support/longest-files.ts";
import { compiledSources } from "./test/support/services/compiled-sources.ts";

const every = {
  setupFiles: ["test/support/setup.ts"],
  env: { NODE_COMPILE_CACHE: compiledSources },
  // A process for each file: tests kill servers, set signal handlers and look for what was left running.
  pool: "forks" as const,
  // The long ones wait for locks and leases of other processes most of the time.
  maxWorkers: availableParallelism() + 3,
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

export default defineConfig({
  test: {
    globalSetup: ["test/support/services/global-setup.ts"],
    reporters: ["default", new LongestFiles(), new ClosingLine()],
    teardownTimeout: 30_000,
    allowOnly: false,
    passWithNoTests: false,
    // In the order of their names.
    projects: [
      {
        test: {
          ...every,
          name: "1 whole",
          include: WHOLE,
          // Real browsers, servers and killed processes on a machine that others may load: there a failure is tried once more, and
          // the report names it. At home a test that fails now and then fails, and gets mended. What is found by chance, as
          // properties are, would be hidden by another try.
          retry: process.env["CI"] === undefined ? 0 : 1,
        },
      },
      {
        test: {
          ...every,
          name: "2 parts",
          include: ["test/**/*.test.ts"],
          exclude: [...WHOLE, ...SHARING, ...PURE],
        },
      },
      { test: { ...every, name: "3 sharing", include: SHARING, isolate: false } },
      { test: { ...every, name: "4 pure", include: PURE, isolate: false } },
    ],
  },
});
