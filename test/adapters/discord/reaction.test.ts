// Reactions on Discord that a goal may wait for.
import type { GatewayMessageReactionAddDispatchData } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { createTakeReaction } from "../../../src/adapters/discord/reaction.ts";
import type { Author } from "../../../src/core/inbound.ts";
import type { Reaction } from "../../../src/core/run/wake-goal.ts";
import { silentLog } from "../../support/silent-log.ts";

const BOT = "9";
/** As Discord sends it. */
const reaction = {
  user_id: "7",
  channel_id: "30",
  message_id: "40",
  message_author_id: BOT,
  guild_id: "20",
  member: { user: { id: "7", username: "ana", global_name: "Ana" }, nick: null, roles: ["55"] },
  emoji: { id: null, name: "👍" },
  burst: false,
  type: 0,
} as unknown as GatewayMessageReactionAddDispatchData;

function taking(reacted?: () => Promise<boolean>) {
  const heard: (Omit<Reaction, "author"> & { readonly author: Author })[] = [];
  const take = createTakeReaction(
    {
      reacted: async (one) => {
        heard.push({ ...one, author: await one.author() });
        return (await reacted?.()) ?? true;
      },
      log: silentLog,
    },
    { user: BOT },
  );
  return { heard, take };
}

test("a reaction of a person to a message of the bot's is heard with who they are and their roles", async () => {
  const { heard, take } = taking();
  await take(reaction);
  expect(heard).toEqual([
    {
      near: { platform: "discord", space: "20", channel: "30" },
      message: "40",
      author: { id: "7", name: "Ana", kind: "member", roles: ["55"] },
      emoji: "👍",
    },
  ]);
});

test("one to somebody else's message, one of the bot's own and one of another bot's is not", async () => {
  const { heard, take } = taking();
  await take({ ...reaction, message_author_id: "8" });
  await take({ ...reaction, user_id: BOT });
  const bot = { user: { id: "7", username: "x", bot: true }, roles: [] };
  await take({ ...reaction, member: bot } as unknown as GatewayMessageReactionAddDispatchData);
  expect(heard).toEqual([]);
});

test("directly with the bot nobody is a member of anything, and a store that is away ends nothing", async () => {
  const { heard, take } = taking(() => Promise.reject(new Error("away")));
  const { member: _, guild_id: __, ...direct } = reaction;
  await take(direct);
  expect(heard[0]).toMatchObject({ near: { space: "dm" }, author: { id: "7", kind: "member", roles: [] } });
});
