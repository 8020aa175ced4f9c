// Many who come back from a platform at once, and one who comes back time and again.
import { expect, test } from "vitest";
import { createAttempts } from "../../../src/core/admin/attempts.ts";
import type { Author } from "../../../src/core/inbound.ts";
import type { SignInWay } from "../../../src/core/ports/sign-in-way.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";
import { openAdminWorld, person, type AdminWorld } from "./admin-world.ts";

const ana = person("T1", "UANA", "Ana");
const ANA = "slack:T1:UANA";
/** As the platform knows her: somebody without a role. */
const member: Author = { id: ana.person, name: ana.name, kind: "member", roles: [] };

const saying = (whoHas: SignInWay["whoHas"]): SignInWay => ({
  platform: "slack",
  name: "Slack",
  addressOf: ({ state }) => `https://slack.example/?state=${state}`,
  whoHas,
});

const sayingAna = saying(() =>
  Promise.resolve({
    kind: "proved",
    person: ana.person,
    name: ana.name,
    spaces: [{ space: "T1", name: "Team One" }],
  }),
);

async function comeBack(world: AdminWorld): Promise<number> {
  const browser = world.newBrowser();
  const gone = await browser.get("/admin/with/slack");
  const { search } = new URL(gone.headers.get("location") ?? "");
  return (await browser.get(`/admin/with/slack/back${search}&code=x`)).status;
}

/** Those who are asked about at once, and those who wait for that. */
const TAKEN = 4 + 100;

/** One more than can be there. That one is sent away at once, which tells that all others are there. */
async function comeTogether(world: AdminWorld): Promise<{ readonly answers: Promise<readonly number[]> }> {
  const statuses: number[] = [];
  const all = Array.from({ length: TAKEN + 1 }, async () => void statuses.push(await comeBack(world)));
  const answers = Promise.all(all).then(() => statuses);
  await until(() => statuses.length > 0, { what: "one is too many" });
  return { answers };
}

const tooMany = (others: number): readonly number[] => [503, ...Array.from({ length: TAKEN }, () => others)];

test("however many come back at once, the platform is asked about few of them at a time, and all that wait are answered", async () => {
  const release = Promise.withResolvers<undefined>();
  const asked = { under: 0, most: 0 };
  const slow = saying(async () => {
    asked.under += 1;
    asked.most = Math.max(asked.most, asked.under);
    await release.promise;
    asked.under -= 1;
    return { kind: "spent" };
  });
  await using world = await openAdminWorld({ ways: [slow] });
  const { answers } = await comeTogether(world);
  release.resolve(undefined);
  expect(await answers).toEqual(tooMany(400));
  expect(asked.most).toBe(4);
});

test("nor is it asked about more of them what they are there", async () => {
  const said = Promise.withResolvers<Author>();
  await using world = await openAdminWorld({ ways: [sayingAna] });
  world.people.set(ANA, said.promise);
  const { answers } = await comeTogether(world);
  said.resolve(member);
  expect(await answers).toEqual(tooMany(403));
});

test("who is known and has no role has come in vain: after so many times it is not written down any more, until a role is there", async () => {
  const attempts = createAttempts(manualClock(), { most: 2 });
  await using world = await openAdminWorld({ ways: [sayingAna], attempts });
  world.people.set(ANA, member);
  const times = [await comeBack(world), await comeBack(world), await comeBack(world)];
  expect(times).toEqual([403, 403, 429]);
  const written = await world.audited(ana);
  expect(written.map(({ kind }) => kind)).toEqual(["sign_in_refused", "sign_in_refused"]);
  await world.clock.advance(61_000);
  world.makeAdmin(ana);
  expect(await comeBack(world)).toBe(303);
});
