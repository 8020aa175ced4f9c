// The admin pages with the sign-in of the local Slack and the local Discord, over the real protocols.
import { backUrlOf } from "../../../src/adapters/admin/pages/paths.ts";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import { createDiscordSignIn } from "../../../src/adapters/discord/sign-in.ts";
import { createInstalls } from "../../../src/adapters/postgres/installs.ts";
import { createSeal } from "../../../src/adapters/seal.ts";
import { createSlackSignIn } from "../../../src/adapters/slack/sign-in.ts";
import type { Attempts } from "../../../src/core/admin/attempts.ts";
import type { SignInWay } from "../../../src/core/ports/sign-in-way.ts";
import { createLocalDiscord, type LocalDiscord } from "../../support/discord/local-discord.ts";
import { silentLog } from "../../support/silent-log.ts";
import { createLocalSlack, type LocalSlack, type LocalTeam } from "../../support/slack/local-slack.ts";
import { openAdminWorld, type AdminWorld } from "./admin-world.ts";

export interface WaysWorld {
  readonly world: AdminWorld;
  readonly slack: LocalSlack;
  readonly discord: LocalDiscord;
  /** The workspace T1; the organisation E9 has the app too. */
  readonly one: LocalTeam;
  readonly ways: readonly SignInWay[];
}

export async function openWaysWorld(stack: AsyncDisposableStack, attempts: Attempts): Promise<WaysWorld> {
  const ways: SignInWay[] = [];
  const world = stack.use(await openAdminWorld({ ways, attempts }));
  const { clock } = world;
  const nowMs = (): number => clock.now();
  const slack = stack.use(await createLocalSlack({ nowMs }));
  const discord = stack.use(await createLocalDiscord({ nowMs }));
  const one = slack.team("T1");
  const installs = createInstalls({ sql: world.sql, seal: createSeal(["a".repeat(64)]) });
  const bot = { user: "UBOT", id: "BBOT", name: "bobbin" };
  const facts = { platform: "slack", bot, scopes: [], installedBy: "U0" } as const;
  await installs.save({ ...facts, space: "T1", name: "Team One" }, "xoxb-one");
  await installs.save({ ...facts, space: "E9", name: "The whole house" }, "xoxb-house");
  const [toSlack, toDiscord] = [backUrlOf(world.url, "slack"), backUrlOf(world.url, "discord")];
  slack.oauth.redirectUrls.add(toSlack);
  discord.oauth.redirectUrls.add(toDiscord);
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  stack.defer(() => api.close());
  ways.push(
    createSlackSignIn(
      { installs, clock },
      {
        clientId: slack.app.clientId,
        clientSecret: slack.app.clientSecret,
        backUrl: toSlack,
        apiUrl: slack.slackApiUrl,
      },
    ),
    createDiscordSignIn(
      { api },
      {
        clientId: discord.applicationId,
        clientSecret: discord.oauth.clientSecret,
        backUrl: toDiscord,
        apiUrl: discord.apiUrl,
      },
    ),
  );
  return { world, slack, discord, one, ways };
}
