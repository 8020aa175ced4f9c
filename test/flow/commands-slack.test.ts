import { afterAll, beforeAll } from "vitest";
import { COMMANDS } from "../../src/core/command/table.ts";
import type { Person } from "../support/slack/person.ts";
import type { SeenMessage } from "../support/slack/seen.ts";
import { until } from "../support/until.ts";
import {
  LONG,
  onlyFor,
  QUESTION,
  testCommands,
  type CommandDriver,
  type Given,
  type Place,
} from "./command-table.ts";
import { openSlackWorld, type SlackWorld, type ThreadOf } from "./slack-world.ts";

interface Spot extends ThreadOf {
  readonly place: Place;
}

async function openDriver(): Promise<CommandDriver<Spot>> {
  let people: { readonly member: Person; readonly outsider: Person } | undefined;
  const world: SlackWorld = await openSlackWorld({
    over: "socket",
    parts: "start",
    access(slack) {
      people = { member: slack.person("Ana"), outsider: slack.person("Ben") };
      return { commands: onlyFor(`slack:${slack.teamId}:${people.member.id}`) };
    },
  });
  if (people === undefined) throw new Error("nobody is there");
  const { member, outsider } = people;
  const { slack } = world;
  let channels = 0;

  const whispers = (where: SeenMessage[], { id }: Person): readonly SeenMessage[] =>
    where.filter(({ ephemeralTo }) => ephemeralTo === id);

  /** What the person is told there that they were not told before. */
  async function toldAfter(look: () => SeenMessage[], who: Person, act: () => unknown): Promise<SeenMessage> {
    const before = whispers(look(), who).length;
    await act();
    return until(() => whispers(look(), who)[before], { what: `${who.name} is answered` });
  }

  /** There is no thread at the top of a channel: a menu asks which one is meant. */
  async function underSlash(spot: Spot, who: Person, line: string): Promise<string> {
    const look = (): SeenMessage[] => slack.channelTop(spot.channel, { as: who });
    const told = await toldAfter(look, who, () => who.slash("/bobbin", line, spot.channel));
    const [menu] = told.controls;
    if (menu?.actionId.startsWith("bobbin_pick_") !== true) return told.text;
    await who.click(told, menu.actionId, spot.root);
    // The answer takes the menu's place.
    const after = await until(
      () => {
        const now = look().find(({ ts }) => ts === told.ts);
        return now?.controls.some(({ actionId }) => actionId === menu.actionId) === false ? now : undefined;
      },
      { what: "the menu is answered" },
    );
    return after.text;
  }

  async function inThread(spot: Spot, who: Person, given: Given): Promise<string> {
    const look = (): SeenMessage[] => slack.thread(spot.channel, spot.root, { as: who });
    const words = `${slack.botMention} ${hasText(given) ? "/" : ""}${lineOf(given)}`;
    const say = () => who.say(spot.channel, words, { thread: spot.root }).delivered;
    return (await toldAfter(look, who, say)).text;
  }

  /** To the bot alone the word alone is enough, unless it is one that people say anyway. */
  async function directly(spot: Spot, who: Person, given: Given): Promise<string> {
    const isOwn = who === member;
    const look = (): SeenMessage[] =>
      isOwn
        ? slack.thread(spot.channel, spot.root, { as: who })
        : slack.channelTop(who.directChannel, { as: who });
    const calls = hasText(given) ? "/" : "";
    const needsName = hasText(given) || COMMANDS[given.name].isAlsoSaid === true;
    const words = `${needsName ? `${slack.botMention} ` : ""}${calls}${lineOf(given)}`;
    // Nobody writes in somebody else's conversation with the bot.
    const say = () => who.dm(words, isOwn ? { thread: spot.root } : {}).delivered;
    return (await toldAfter(look, who, say)).text;
  }

  return {
    llm: world.llm,
    async open(place, state) {
      const said = state === "running" ? LONG : QUESTION;
      channels++;
      const root =
        place === "direct"
          ? member.dm(said)
          : member.say(slack.channel(`channel-${channels}`), `${slack.botMention} ${said}`);
      if (state === "idle") await world.settled(root, 1);
      else await world.shows(root, "word10 ");
      return { channel: root.channel, root: root.root, place };
    },
    async give(spot, by, given) {
      const who = by === "member" ? member : outsider;
      switch (spot.place) {
        case "thread":
          return inThread(spot, who, given);
        case "channel":
          return underSlash(spot, who, lineOf(given));
        case "direct":
          return directly(spot, who, given);
        default:
          return spot.place satisfies never;
      }
    },
    expectPeace: () => world.expectPeace(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function lineOf({ name, argument }: Given): string {
  return argument === undefined ? name : `${name} ${argument}`;
}

/** Free text behind a word would be said to the bot. */
function hasText({ name, argument }: Given): boolean {
  return argument !== undefined && COMMANDS[name].argument.kind === "text";
}

let driver: CommandDriver<Spot>;
beforeAll(async () => void (driver = await openDriver()));
afterAll(() => driver[Symbol.asyncDispose]());

testCommands("slack", { thread: "session", channel: "session", direct: "session" }, () => driver);
