// The program in docs/agent-core.md, run as it stands there: the library by its public name, without the bot.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createFakeLlm } from "../../support/fake-llm/server.ts";

const root = join(import.meta.dirname, "../../..");

test("the documented program streams an answer, calls its tool, and goes on with what was said", async () => {
  const page = readFileSync(join(root, "docs/agent-core.md"), "utf8");
  const program = /```ts\n(import \{[^`]*?from "bobbin\/agent";.*?)```/s.exec(page)?.[1] ?? "";
  const llm = await createFakeLlm();
  try {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module-typescript", "--eval", program],
      { cwd: root, env: { ...process.env, OPENAI_BASE_URL: llm.url, MODEL: "some-model" }, timeout: 30_000 },
    );
    expect(stdout).toMatch(/^The tools said: 5 letters\n\(stop\)\nstop \d+\n$/);
    expect(stderr).toBe("");
    const asked = llm.requests.map(({ body }) => body.messages.map(({ role }) => role).join(" "));
    expect(asked).toEqual([
      "system user",
      "system user assistant tool",
      "system user assistant tool assistant user",
    ]);
    expect(llm.complaints).toEqual([]);
  } finally {
    await llm.close();
  }
});
