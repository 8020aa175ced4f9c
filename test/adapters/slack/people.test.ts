import { expect, test } from "vitest";
import type { SlackApi, SlackAnswer } from "../../../src/adapters/slack/api.ts";
import { createSlackPeople } from "../../../src/adapters/slack/people.ts";
import { manualClock } from "../../support/manual-clock.ts";

function directory() {
  const clock = manualClock();
  const asked: string[] = [];
  const answers = new Map<string, SlackAnswer | Promise<SlackAnswer>>();
  const api: SlackApi = {
    async call(_, { user }) {
      asked.push(String(user));
      return answers.get(String(user)) ?? { kind: "refused", code: "user_not_found" };
    },
  };
  const named = (name: string): SlackAnswer => ({
    kind: "ok",
    data: { user: { profile: { display_name: name } } },
  });
  return { clock, asked, answers, named, people: createSlackPeople({ api, clock }, { most: 2 }) };
}

test("a name is asked for once, also by several at the same time, and believed for an hour", async () => {
  const { clock, asked, answers, named, people } = directory();
  answers.set("U1", named("Ana"));
  await Promise.all([people.learn(["U1"]), people.learn(["U1"])]);
  await people.learn(["U1"]);
  expect([people.nameOf("U1"), asked]).toEqual(["Ana", ["U1"]]);
  answers.set("U1", named("Ana Lima"));
  await clock.advance(3_600_000);
  await people.learn(["U1"]);
  expect(people.nameOf("U1")).toBe("Ana Lima");
});

test("a slow answer is not waited for longer than a message may wait, and counts when it comes", async () => {
  const { clock, answers, named, people } = directory();
  const late = Promise.withResolvers<SlackAnswer>();
  answers.set("U1", late.promise);
  const learning = people.learn(["U1"]);
  await clock.advance(700);
  await learning;
  expect(people.nameOf("U1")).toBe(undefined);
  late.resolve(named("Ana"));
  await clock.advance(0);
  expect(people.nameOf("U1")).toBe("Ana");
  expect(clock.waiting).toBe(0);
});

test("who cannot be looked up is not asked for at every message, and an old name stays", async () => {
  const { clock, asked, answers, named, people } = directory();
  await people.learn(["U1"]);
  await people.learn(["U1"]);
  expect(asked).toEqual(["U1"]);
  answers.set("U1", named("Ana"));
  await clock.advance(60_000);
  await people.learn(["U1"]);
  answers.set("U1", { kind: "rate_limited", afterMs: 1_000 });
  await clock.advance(3_600_000);
  await people.learn(["U1"]);
  expect(people.nameOf("U1")).toBe("Ana");
});

test("who asks for what only admins may is asked for anew after five minutes, and one who was an admin always is", async () => {
  const { clock, asked, answers, people } = directory();
  const said = (isAdmin: boolean): SlackAnswer => ({
    kind: "ok",
    data: { user: { team_id: "T1", is_admin: isAdmin, profile: { display_name: "Ada" } } },
  });
  answers.set("U1", said(true)).set("U2", said(false));
  await people.learn(["U1", "U2"], "U1");
  expect([people.factsOf("U1")?.admin, people.factsOf("U2")?.admin]).toEqual([
    { isAdmin: true, isOwner: false },
    { isAdmin: false, isOwner: false },
  ]);
  await clock.advance(300_000);
  expect(people.factsOf("U1")).not.toHaveProperty("admin");
  // Whoever was none is at most refused something.
  expect(people.factsOf("U2")?.admin).toEqual({ isAdmin: false, isOwner: false });
  answers.set("U1", said(false)).set("U2", said(true));
  await people.learn(["U1", "U2"]);
  expect(asked).toEqual(["U1", "U2", "U1"]);
  expect(people.factsOf("U1")?.admin?.isAdmin).toBe(false);
  await people.learn(["U2"], "U2");
  expect(people.factsOf("U2")?.admin?.isAdmin).toBe(true);
});

test("an admin who cannot be looked up any more is none, and still has a name", async () => {
  const { clock, answers, people } = directory();
  answers.set("U1", { kind: "ok", data: { user: { is_owner: true, profile: { display_name: "Ada" } } } });
  await people.learn(["U1"], "U1");
  expect(people.factsOf("U1")?.admin).toEqual({ isAdmin: true, isOwner: true });
  answers.set("U1", { kind: "unreachable", why: "gone" });
  await clock.advance(300_000);
  await people.learn(["U1"], "U1");
  expect(people.nameOf("U1")).toBe("Ada");
  expect(people.factsOf("U1")).not.toHaveProperty("admin");
});

test("no more people are kept than may be", async () => {
  const { answers, named, people } = directory();
  for (const user of ["U1", "U2", "U3"]) {
    answers.set(user, named(user.toLowerCase()));
    await people.learn([user]);
  }
  expect(["U1", "U2", "U3"].map(people.nameOf)).toEqual([undefined, "u2", "u3"]);
});
