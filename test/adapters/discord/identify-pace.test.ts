// A bot that crashes and is started again and again must not use up its identifies: Discord would reset its token.
import { expect, test } from "vitest";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import { IdentifyPace } from "../../../src/adapters/discord/identify-pace.ts";
import { createReadingMarks } from "../../../src/adapters/postgres/reading-marks.ts";
import { createLocalDiscord } from "../../support/discord/local-discord.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../postgres/backends.ts";

const backend = postgresBackend();
const never = new AbortController().signal;
const entering = () => Promise.resolve();
const DAY_MS = 86_400_000;

/** How long the turn waits, by a clock that moves only as far as somebody waits. */
async function waitOf(clock: ManualClock, turn: Promise<boolean>, stepMs: number): Promise<number> {
  const begun = clock.ticks();
  let isOver = false;
  const over = turn.finally(() => (isOver = true));
  await until(
    async () => {
      if (!isOver && clock.waiting > 0) await clock.advance(stepMs);
      return isOver;
    },
    { what: "there is a turn", everyMs: 0 },
  );
  expect(await over).toBe(true);
  return clock.ticks() - begun;
}

test("pitfall 4: the longer a crash loop lasts the longer each start waits; a day of it is far from what Discord allows", async () => {
  await using discord = await createLocalDiscord();
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  const marks = createReadingMarks(backend.sql());
  const waits: number[] = [];
  for (let start = 0; start < 16; start++) {
    const clock = manualClock();
    const { restarts } = await marks.begin("discord");
    const pace = new IdentifyPace({ api, entering, clock, log: silentLog }, { restarts });
    waits.push(await waitOf(clock, pace.turn(1, never), 5_000));
  }
  api.close();
  expect(waits.slice(0, 4)).toEqual([0, 0, 0, 0]);
  for (const [at, wait] of waits.entries())
    if (at > 4) expect(wait).toBeGreaterThanOrEqual(waits[at - 1] ?? 0);
  const longest = waits.at(-1) ?? 0;
  expect(waits.length + DAY_MS / longest).toBeLessThan(500);
  // A loop that waits so long still counts as one.
  expect(longest).toBeLessThan(600_000);
});

test("a start right after another waits until Discord takes the next identify, and says that it enters then, also to a store that does not answer", async () => {
  await using discord = await createLocalDiscord();
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  const clock = manualClock();
  const told: number[] = [];
  const silentStore = (): Promise<void> => {
    told.push(clock.ticks());
    return new Promise(() => undefined);
  };
  const deps = { api, entering: silentStore, clock, log: silentLog };
  const pace = new IdentifyPace(deps, { restarts: 1, gapMs: 1_300 });
  const begun = clock.ticks();
  const waited = await waitOf(clock, pace.turn(1, never), 200);
  expect(told).toEqual([begun + 4_200]);
  expect(waited).toBe(5_200);
  api.close();
});

test("with few identifies left nobody enters, and it is told why", async () => {
  await using discord = await createLocalDiscord({ identifies: { remaining: 5 } });
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  let isTold = false;
  const entering = async (): Promise<void> => void (isTold = true);
  const pace = new IdentifyPace({ api, entering, clock: manualClock(), log: silentLog }, { restarts: 0 });
  const leaving = new AbortController();
  const turn = pace.turn(1, leaving.signal);
  await until(() => pace.why?.includes("only 5 times more"), { what: "it says why" });
  leaving.abort();
  expect(await turn).toBe(false);
  expect(isTold).toBe(false);
  api.close();
});
