// Many who come back from a platform at once.
import { expect, test } from "vitest";
import type { SignInWay } from "../../../src/core/ports/sign-in-way.ts";
import { until } from "../../support/until.ts";
import { openAdminWorld } from "./admin-world.ts";

test("however many come back at once, the platform is asked about few of them at a time, and all are answered", async () => {
  const release = Promise.withResolvers<undefined>();
  const asked = { under: 0, most: 0 };
  const slow: SignInWay = {
    platform: "slack",
    name: "Slack",
    addressOf: ({ state }) => `https://slack.example/?state=${state}`,
    async whoHas() {
      asked.under += 1;
      asked.most = Math.max(asked.most, asked.under);
      await release.promise;
      asked.under -= 1;
      return { kind: "spent" };
    },
  };
  await using crowded = await openAdminWorld({ ways: [slow] });
  const one = async (): Promise<number> => {
    const browser = crowded.newBrowser();
    const gone = await browser.get("/admin/with/slack");
    const { search } = new URL(gone.headers.get("location") ?? "");
    return (await browser.get(`/admin/with/slack/back${search}&code=x`)).status;
  };
  const answers = Promise.all(Array.from({ length: 12 }, one));
  await until(() => asked.under >= 4, { what: "the first are asked about" });
  // Long enough for the others to have come too.
  for (let n = 0; n < 5; n++) expect((await crowded.newBrowser().get("/admin/")).status).toBe(401);
  release.resolve(undefined);
  expect(await answers).toEqual(Array.from({ length: 12 }, () => 400));
  expect(asked.most).toBe(4);
});
