// How long what is kept, as it is written in bobbin.config.ts.
import { expect, test } from "vitest";
import { checkConfig } from "../../src/adapters/settings/config.ts";
import { daysIn } from "../../src/core/admin/retention.ts";

const T1 = { platform: "slack", space: "T1" } as const;

test("everything is kept for ever unless days are named, by default or in single spaces", () => {
  const none = checkConfig({});
  const some = checkConfig({
    retention: {
      toolResults: 30,
      audit: undefined,
      spaces: { "slack:T1": { conversations: 90, toolResults: 7 } },
    },
  });
  if (none.kind !== "ok" || some.kind !== "ok") return expect.unreachable(JSON.stringify([none, some]));
  expect(daysIn(none.config.retention, T1)).toEqual({});
  expect(daysIn(some.config.retention, T1)).toEqual({ conversations: 90, toolResults: 7 });
  expect(daysIn(some.config.retention, { ...T1, space: "T2" })).toEqual({ toolResults: 30 });
});

test("what is wrong is told by its place, all at once", () => {
  const wrong = checkConfig({ retention: { audit: 0, spaces: { T1: {}, "web:local": { talk: 1 } } } });
  if (wrong.kind === "ok") return expect.unreachable();
  const told = wrong.problems.map(({ at, problem }) => `${at} ${problem}`).join("\n");
  for (const words of ["retention.audit must be above zero days", "retention.spaces.T1", "talk"])
    expect(told).toContain(words);
});
