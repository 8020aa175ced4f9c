// The audit log says what was asked, and of what came to nothing that it did.
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const SESSION = "slack:T1:C1:171.5";
const PATH = `/admin/threads/${encodeURIComponent(SESSION)}`;
const BOSS = person("T1", "UBOSS", "Bea");

let world: AdminWorld;
let boss: Browser;
beforeAll(async () => {
  world = await openAdminWorld();
  await storeThread(world.sql, { session: SESSION, said: ["a question", "an answer"] });
  world.makeAdmin(BOSS);
  boss = await world.signedIn(BOSS);
  const held = { kind: "thread", subject: SESSION, reason: "case 9" };
  expect((await boss.send("/admin/holds", held)).status).toBe(303);
});
afterAll(() => world[Symbol.asyncDispose]());

const sure = { reason: "ticket 12", sure: "yes" };
test.each<[string, string, Readonly<Record<string, string>>, number, readonly [string, RegExp]]>([
  ["an erasure of what is held", `${PATH}/erase`, sure, 409, ["erase", /^erasure \w+: held by hold \w+$/]],
  [
    "an erasure of nothing",
    "/admin/erasures/person",
    { ...sure, person: "UNONE" },
    404,
    ["erase", /^erasure \w+: nothing of it is stored$/],
  ],
  [
    "a second hold",
    "/admin/holds",
    { kind: "thread", subject: SESSION, reason: "again" },
    400,
    ["hold", /^hold: thread slack:T1:C1:171\.5 is held already$/],
  ],
  [
    "the end of a hold that never was",
    "/admin/holds/none/lift",
    {},
    404,
    ["lift", /^lift: no hold none stands$/],
  ],
  [
    "a flag that is not there",
    `${PATH}/remarks/none/resolve`,
    {},
    404,
    ["flag", /^resolve: no open flag none$/],
  ],
  ["a browser that is not there", "/admin/browsers/none", {}, 404, ["revoke", /^no such browser: none$/]],
])("%s is asked for, and told as refused", async (_, path, fields, status, [kind, about]) => {
  expect((await boss.send(path, fields)).status).toBe(status);
  const [newest, before] = await world.audited(BOSS);
  expect([newest?.kind, before?.kind]).toEqual(["refused", kind]);
  expect(newest?.about).toMatch(about);
});

test.each(["/entries/1/99", "/results/none/1/none", "/calls/none"])(
  "a look at %s, which is not there, is told as refused",
  async (rest) => {
    expect((await boss.get(`${PATH}${rest}`)).status).toBe(404);
    expect((await world.audited(BOSS))[0]).toMatchObject({ kind: "refused", session: SESSION });
  },
);

test("the page of the log says of none of them that it was done", async () => {
  const { text } = await boss.get("/admin/audit");
  for (const said of [
    "asked to erase",
    "asked for a legal hold",
    "asked to lift a legal hold",
    "was refused",
  ])
    expect(text).toContain(said);
  expect(text).not.toMatch(/<td>(?:erased|lifted a legal hold|put a browser out)<\/td>/);
});

test("a hold on a person says where nobody of that id has written, and what is no id of the platform is refused", async () => {
  const hold = async (subject: string): Promise<number> =>
    (await boss.send("/admin/holds", { kind: "person", subject, reason: "case 10" })).status;
  for (const subject of ["u012ab3cd", "Ana", "U1 U2"])
    expect([subject, await hold(subject)]).toEqual([subject, 400]);
  const nobody = "Nobody of that id has written here yet.";
  const page = async (): Promise<number> => (await boss.get("/admin/erasures")).text.split(nobody).length - 1;
  expect(await hold("U1")).toBe(303);
  expect(await page()).toBe(0);
  expect(await hold("U1000NONE")).toBe(303);
  expect(await page()).toBe(1);
});
