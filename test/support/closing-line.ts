// The last line of a test run: `N passed, N failed`, for people and for whatever reads the end of a log.
import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node";

/** Counts a file that could not be loaded, and an error outside of any test, as a failure. A skipped test fails the run. */
export class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed++;
        else if (state === "failed") failed++;
        else skipped++;
      }
    }
    // With a name pattern on the command line vitest calls everything else skipped.
    const isWhole = this.#vitest?.config.testNamePattern === undefined;
    if (skipped > 0 && isWhole) process.stdout.write(`${skipped} skipped: a test runs or goes.\n`);
    if (failed > 0 || passed === 0 || (skipped > 0 && isWhole)) process.exitCode = 1;
    const line = `${passed} passed, ${failed + (isWhole ? skipped : 0)} failed\n`;
    // The default reporter prints the failures after this call; this line comes after everything.
    process.once("exit", () => process.stdout.write(line));
  }
}
