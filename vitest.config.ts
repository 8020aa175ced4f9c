import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";
import { compiledSources } from "./test/support/services/compiled-sources.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/services/global-setup.ts"],
    setupFiles: ["test/support/setup.ts"],
    env: { COMPILED_SOURCES: compiledSources },
    reporters: ["default", new ClosingLine()],
    // A process for each file: tests kill servers, set signal handlers and look for what was left running.
    pool: "forks",
    // The long ones wait for locks and leases of other processes most of the time.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 120_000,
    // Real browsers, servers and killed processes on a machine that others may load: there a failure is tried once more, and
    // the report names it. At home a test that fails now and then fails, and gets mended.
    retry: process.env["CI"] === undefined ? 0 : 1,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    allowOnly: false,
    passWithNoTests: false,
  },
});
