// The button of a proposed goal comes back whole from each surface, and asks for the same thing.
import { InteractionType, type APIInteraction } from "discord-api-types/v10";
import { expect, test } from "vitest";
import * as discord from "../../src/adapters/discord/format.ts";
import { askedBy } from "../../src/adapters/discord/interaction.ts";
import * as slack from "../../src/adapters/slack/format.ts";
import { parseInteraction } from "../../src/adapters/slack/interaction.ts";
import { actionBody } from "../../src/adapters/web/parse.ts";
import { clickOf } from "../../src/core/command/button.ts";
import type { PageContent } from "../../src/core/ports/surface.ts";

const value = "0123456789abcdef01234567";
const page: PageContent = {
  markdown: "**Proposed goal:** tidy the wiki",
  buttons: [{ action: "start", label: "Start this goal", value, style: "primary" }],
};
const COMMAND = { name: "goal" };

test("on Slack", () => {
  const message = slack.formatPage(page);
  if (message.kind !== "message") return expect.unreachable();
  const [button] = message.blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  const clicked = parseInteraction(
    {
      type: "block_actions",
      api_app_id: "A1",
      user: { id: "U2" },
      team: { id: "T1" },
      container: { channel_id: "C1", thread_ts: "1.5", message_ts: "1.6" },
      trigger_id: "t1",
      actions: [{ ...button, action_ts: "2.5" }],
    },
    { space: "T1", user: "U0", bot: "B0", name: "Bobbin" },
    () => "Ben",
    1_000,
  );
  expect(clicked).toMatchObject({
    kind: "command",
    asked: { command: COMMAND, session: "slack:T1:C1:1.5" },
    about: { proposal: value },
  });
});

test("on Discord, with the channel that the thread hangs in", () => {
  const message = discord.formatPage(page, "mark");
  if (message.kind !== "message") return expect.unreachable();
  const interaction = {
    type: InteractionType.MessageComponent,
    id: "1200000000000000001",
    guild_id: "G1",
    channel: { id: "T9", type: 11, parent_id: "C1" },
    member: { user: { id: "U2", username: "ben" }, roles: [], permissions: "0" },
    data: { component_type: 2, custom_id: message.components[0]?.components[0]?.custom_id },
  };
  const asked = askedBy(interaction as unknown as APIInteraction, { app: "A1", user: "U0", name: "Bobbin" }, {
    get: async () => undefined,
    nameOf: () => undefined,
  } as unknown as Parameters<typeof askedBy>[2]);
  expect(asked).toMatchObject({
    kind: "command",
    command: COMMAND,
    request: { session: "discord:G1:T9", where: { parent: "C1" }, proposal: value },
  });
});

test("on the web", () => {
  const body = actionBody.parse({
    id: "a".repeat(12),
    thread: "web:local:general:aaaabbbbcccc",
    action: "start",
    value,
  });
  expect(clickOf(body.action, body.value)).toEqual({ command: COMMAND, about: { proposal: value } });
});

test("one that carries nothing of ours asks for nothing", () => {
  for (const wrong of [undefined, "", "a.1", "x".repeat(60), "../../etc"])
    expect(clickOf("start", wrong)).toBeUndefined();
});
