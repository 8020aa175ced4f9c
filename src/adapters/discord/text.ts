/** What a person wrote, out of Discord's markup: mentions become names, emoji their names. The rest is markdown already. */

export interface Named {
  /** As others see the person; undefined while it is not known. */
  user(id: string): string | undefined;
  channel(id: string): string | undefined;
}

const USER = /<@!?(\d+)>/g;
const TOKEN =
  /<(?:@!?(?<user>\d+)|@&(?<role>\d+)|#(?<channel>\d+)|a?:(?<emoji>\w+):\d+|\/(?<command>[^:>]+):\d+)>/g;

export function readText(content: string, named: Named): string {
  return content.replaceAll(TOKEN, (...match) => {
    const groups = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const { user, role, channel, emoji, command } = groups;
    if (user !== undefined) return `@${named.user(user) ?? user}`;
    if (role !== undefined) return "@role";
    if (channel !== undefined) return `#${named.channel(channel) ?? channel}`;
    return emoji === undefined ? `/${command ?? ""}` : `:${emoji}:`;
  });
}

/** Ids of the people that the text mentions, in order, each once. */
export function mentionsIn(content: string): readonly string[] {
  return [...new Set([...content.matchAll(USER)].map(([, id]) => id ?? ""))];
}

/** Whether the text mentions this person, or the role that is the bot's own, which people often pick instead. */
export function mentions(content: string, user: string, role: string | undefined): boolean {
  return mentionsIn(content).includes(user) || (role !== undefined && content.includes(`<@&${role}>`));
}

/** The person whom the text begins by addressing. */
export function addresseeOf(content: string): string | undefined {
  return /^\s*<@!?(\d+)>/.exec(content)?.[1];
}

/** Without the mentions of the bot that it begins with, and without a comma or colon behind them. */
export function withoutAddress(content: string, user: string, role: string | undefined): string {
  const own = new RegExp(`^\\s*<@(?:!?${user}${role === undefined ? "" : `|&${role}`})>\\s*[,:]?\\s*`);
  let rest = content;
  while (own.test(rest)) rest = rest.replace(own, "");
  return rest;
}
