import { afterAll, beforeAll } from "vitest";
import { COMMANDS } from "../../src/core/command/table.ts";
import { goalSlash } from "../support/discord/goal-slash.ts";
import type { Person } from "../support/discord/person.ts";
import { until } from "../support/until.ts";
import { LONG, onlyFor, QUESTION, testCommands, type CommandDriver } from "./command-table.ts";
import { openDiscordWorld } from "./discord-world.ts";

/** Absent where everybody has a place of their own. */
interface Spot {
  readonly channel?: string;
  readonly member: Person;
}

/** A direct conversation is one for ever, so each new one is somebody else's. */
const MEMBERS = 8;

async function openDriver(): Promise<CommandDriver<Spot>> {
  const members: Person[] = [];
  const world = await openDiscordWorld({
    parts: "start",
    access(discord) {
      members.push(...Array.from({ length: MEMBERS }, (_, n) => discord.person(`Ana ${n}`)));
      return { commands: onlyFor(...members.map(({ id }) => `discord:*:${id}`)) };
    },
  });
  const { discord, llm } = world;
  const outsider = discord.person("Otto");
  let opened = 0;
  return {
    llm,
    async open(place, state) {
      const member = members[opened++ % MEMBERS]!;
      const channel = discord.channel(`channel-${opened}`);
      if (place === "channel") return { member, channel: channel.id };
      const words = state === "running" ? LONG : QUESTION;
      const said =
        place === "direct" ? member.dm(words) : member.say(channel, `${discord.botMention} ${words}`);
      const thread = place === "direct" ? said.channel : said.id;
      if (state === "idle") await world.settled(thread, 1);
      else await world.shows(thread, "word10 ");
      return { member, ...(place === "direct" ? {} : { channel: thread }) };
    },
    async give({ channel, member }, who, { name, argument }) {
      const person = who === "member" ? member : outsider;
      const where = channel ?? person.directChannel.id;
      const takes = COMMANDS[name].argument;
      const before = discord.whispers(where, person).length;
      const options = argument === undefined || takes.kind === "none" ? {} : { [takes.name]: argument };
      await (name === "goal"
        ? person.command(where, ...goalSlash(argument))
        : person.command(where, name, options));
      return until(() => discord.whispers(where, person)[before], { what: `/${name} is answered` });
    },
    expectPeace: world.expectPeace,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

let driver: CommandDriver<Spot>;
beforeAll(async () => void (driver = await openDriver()));
afterAll(() => driver[Symbol.asyncDispose]());

testCommands("Discord", { thread: "session", channel: "nothing", direct: "session" }, () => driver);
