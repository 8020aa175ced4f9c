/** The address of a message or thread on Discord. Pure. */

const LINK = /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/(?:\d+|@me)\/(\d+)(?:\/(\d+))?\/?$/;

/** As admins look for a thread: the channel is one, or the message has one below it, which has its id. */
export function readDiscordAddress(address: string): readonly (readonly string[])[] {
  const [, channel, message] = LINK.exec(address) ?? [];
  return [channel, message].flatMap((id) => (id === undefined ? [] : [[`:${id}`]]));
}
