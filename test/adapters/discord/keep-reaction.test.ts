// What people give to messages on Discord, and what is taken back, as it is handed to the store.
import { GatewayDispatchEvents as Events } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { createKeepReaction, type ReactionPacket } from "../../../src/adapters/discord/keep-reaction.ts";
import type { ReactedMessage, Reaction } from "../../../src/core/ports/reactions.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";

const place = { channel_id: "30", message_id: "40", guild_id: "20" };
const thumb = { id: null, name: "👍" };
const member = { user: { id: "7", username: "ana", global_name: "Ana" }, nick: "Annie", roles: [] };

/** As Discord sends it. */
const packet = (t: Events, d: object): ReactionPacket =>
  ({ op: 0, s: 1, t, d: { ...place, ...d } }) as unknown as ReactionPacket;
const given = (d: object = {}) =>
  packet(Events.MessageReactionAdd, { user_id: "7", member, emoji: thumb, message_author_id: "8", ...d });
const taken = (d: object = {}) => packet(Events.MessageReactionRemove, { user_id: "7", emoji: thumb, ...d });

function keeping(put: () => Promise<void> = () => Promise.resolve()) {
  const told: (Reaction | (ReactedMessage & { readonly cleared: string; readonly at: number }))[] = [];
  const clock = manualClock();
  const keep = createKeepReaction(
    {
      reactions: {
        isKept: () => Promise.resolve(true),
        async put(reaction) {
          await put();
          told.push(reaction);
        },
        async clear(message, at, emoji = "all") {
          told.push({ ...message, cleared: emoji, at });
        },
      },
      clock,
      log: silentLog,
    },
    { app: "5", user: "9" },
  );
  return { told, keep, clock };
}

test("who it was, under the name that they have in the server, what they gave, and when it came", async () => {
  const { told, keep, clock } = keeping();
  await keep(given());
  await keep(taken());
  const message = {
    near: { platform: "discord", space: "20", channel: "30" },
    message: "40",
    inbound: "discord/5/20/30/message/40",
    emoji: "👍",
    shown: "👍",
  };
  const at = clock.now();
  expect(told).toEqual([
    { ...message, kind: "given", person: { id: "7", name: "Annie" }, at },
    // Of one moment, and yet behind it.
    { ...message, kind: "taken", person: { id: "7" }, at: at + 1 },
  ]);
});

test("an emoji of the server's own is its id, whatever it is called by now, and one without a name shows that", async () => {
  const { told, keep } = keeping();
  await keep(given({ emoji: { id: "77", name: "party" } }));
  await keep(taken({ emoji: { id: "77", name: null } }));
  expect(told).toMatchObject([
    { emoji: "77", shown: ":party:" },
    { emoji: "77", shown: ":77:" },
  ]);
});

test("directly with the bot nobody is named", async () => {
  const { told, keep } = keeping();
  await keep(given({ guild_id: undefined, member: undefined }));
  expect(told).toMatchObject([
    { near: { space: "dm" }, inbound: "discord/5/dm/30/message/40", person: { id: "7" } },
  ]);
});

test("nothing of the bot's own or of another bot", async () => {
  const { told, keep } = keeping();
  await keep(given({ user_id: "9" }));
  await keep(taken({ user_id: "9" }));
  await keep(given({ member: { ...member, user: { ...member.user, bot: true } } }));
  expect(told).toEqual([]);
});

test("what is done to one message is stored in the order in which it was told, a store that is slow or away keeps nothing else back", async () => {
  const first = Promise.withResolvers<void>();
  let puts = 0;
  const { told, keep } = keeping(() => (++puts === 1 ? first.promise : Promise.resolve()));
  const slow = [
    keep(given()),
    keep(packet(Events.MessageReactionRemoveEmoji, { emoji: thumb })),
    keep(packet(Events.MessageReactionRemoveAll, {})),
  ];
  await keep(given({ message_id: "41" }));
  expect(told).toMatchObject([{ message: "41" }]);
  first.reject(new Error("away"));
  await Promise.all(slow);
  expect(told.slice(1)).toMatchObject([{ cleared: "👍" }, { cleared: "all" }]);
});
