// At the end of a run of many files: which took longest, and how much time all took together, for whoever keeps the run short.
import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

const SHOWN = 10;

export class LongestFiles implements Reporter {
  #root = "";

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const files = modules.map((module) => {
      const { duration, collectDuration, setupDuration, prepareDuration } = module.diagnostic();
      const ms = duration + collectDuration + setupDuration + prepareDuration;
      return { file: relative(this.#root, module.moduleId), seconds: ms / 1000 };
    });
    const longest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
    const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
    const lines = longest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`);
    process.stdout.write(
      `The longest of ${files.length} files, which took ${all.toFixed(0)} s together:\n${lines.join("")}`,
    );
  }
}
