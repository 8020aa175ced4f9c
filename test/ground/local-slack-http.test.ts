// The local Slack's signed requests, held against the real HTTP receiver.
import { expect, test } from "vitest";
import { boltOnHttp } from "../support/slack/bolt.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";

test("Slack takes a request URL that answers its challenge", async () => {
  await using slack = await createLocalSlack();
  await using bolt = await boltOnHttp(slack);
  expect(await slack.http.verify(bolt.url)).toBe(true);
  expect(await slack.http.verify(`${slack.origin}/nothing-here`)).toBe(false);
});

test("events, commands and clicks come as signed requests, and their answers are shown", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const heard: string[] = [];
  await using _ = await boltOnHttp(slack, {
    listen: (app) => {
      app.event("app_mention", async ({ event, client }) => {
        heard.push(event.text);
        await client.chat.postMessage({
          channel: event.channel,
          thread_ts: event.ts,
          text: "Sure?",
          blocks: [
            {
              type: "actions",
              elements: [
                {
                  type: "button",
                  action_id: "yes",
                  value: "v1",
                  text: { type: "plain_text", text: "Yes" },
                },
              ],
            },
          ],
          unfurl_links: false,
          unfurl_media: false,
        });
      });
      app.command("/bobbin", async ({ command, ack }) => {
        await ack({ text: `you said ${command.text}` });
      });
      app.action("yes", async ({ ack, body, respond }) => {
        await ack();
        heard.push(`${body.user.id} pressed`);
        await respond({ text: "Done.", replace_original: true });
      });
    },
  });
  const said = ada.say(channel, `${slack.botMention} hello`);
  const [, question] = await until(
    () => (slack.thread(channel, said).length === 2 ? slack.thread(channel, said) : undefined),
    { what: "the question" },
  );
  if (!question) throw new Error("there is no question");
  expect(question.controls).toMatchObject([{ type: "button", actionId: "yes", text: "Yes", value: "v1" }]);
  expect(await ada.click(question, "yes")).toMatchObject({ kind: "acknowledged" });
  await until(() => slack.thread(channel, said)[1]?.text === "Done.", { what: "the question to be settled" });
  expect(heard).toEqual([`${slack.botMention} hello`, `${ada.id} pressed`]);
  expect(slack.thread(channel, said)[1]?.controls).toEqual([]);
  await expect(ada.click(question, "yes")).rejects.toThrow("nothing with the action id");

  expect(await ada.slash("/bobbin", "help", channel)).toMatchObject({ kind: "acknowledged" });
  expect(slack.channelTop(channel, { as: ada }).at(-1)?.text).toBe("you said help");
  expect(await ada.slash("/bobbin", "help", channel, said.root)).toMatchObject({ kind: "refused" });
  expect(await ada.slash("/other", "", channel)).toMatchObject({ kind: "refused" });
  expect(slack.complaints).toEqual([]);
});

test("an event that meets an error comes again, with the number and the reason in its headers", async () => {
  await using slack = await createLocalSlack();
  const retries: (readonly [number | undefined, string | undefined])[] = [];
  await using _ = await boltOnHttp(slack, {
    listen: (app) => {
      app.use(async ({ context, next }) => {
        retries.push([context.retryNum, context.retryReason]);
        await next();
      });
    },
  });
  slack.delivery.spoil("lost");
  const said = slack.person("ada").say(slack.channel("general"), "hello");
  expect(await said.delivered).toMatchObject([{ kind: "acknowledged", attempts: 2 }]);
  expect(retries).toEqual([[1, "http_error"]]);
});

test("requests that are signed wrongly, long ago, not at all or too large can be made, and are refused", async () => {
  await using slack = await createLocalSlack();
  const heard: string[] = [];
  await using bolt = await boltOnHttp(slack, {
    listen: (app) => app.message(async ({ event }) => void heard.push(event.ts)),
  });
  slack.delivery.hold();
  slack.person("ada").say(slack.channel("general"), "hello");
  const bodies: string[] = [];
  slack.delivery.release((held) => {
    bodies.push(...held.map((payload) => JSON.stringify(payload.body)));
    return [];
  });
  const [body = ""] = bodies;
  const statusOf = async (request: object): Promise<number> =>
    (await slack.http.post(bolt.url, { body, ...request })).status;
  expect(await statusOf({ secret: "wrong" })).toBe(401);
  expect(await statusOf({ ageS: 400 })).toBe(401);
  expect(await statusOf({ signature: undefined })).toBe(401);
  expect(await statusOf({ signature: "v0=0" })).toBe(401);
  expect(heard).toEqual([]);
  expect(await statusOf({})).toBe(200);
  expect(heard).toHaveLength(1);
  const large = { body: JSON.stringify({ type: "event_callback", filling: "a".repeat(5_000_000) }) };
  expect([400, 401, 413]).toContain(await statusOf(large));
});

test("events can all be brought twice, and one acknowledgement of the two is one", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const heard: string[] = [];
  await using _ = await boltOnHttp(slack, {
    listen: (app) => {
      app.event("app_mention", ({ event }) => Promise.resolve(void heard.push(event.ts)));
    },
  });
  const once = ada.say(channel, `${slack.botMention} once`);
  await once.delivered;
  slack.delivery.double();
  slack.delivery.spoil("lost");
  const twice = ada.say(channel, `${slack.botMention} twice`);
  expect(await twice.delivered).toMatchObject([{ kind: "acknowledged" }, { kind: "acknowledged" }]);
  await until(() => slack.delivery.log.every(({ outcome }) => outcome !== undefined), {
    what: "all is delivered",
  });
  expect(heard.toSorted()).toEqual([once.ts, twice.ts, twice.ts]);
});
