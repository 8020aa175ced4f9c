/** What the bot has to be allowed in a server, and why: the invitation asks for the same, and `doctor` compares it with what was given. */

import { PermissionFlagsBits as Bits } from "discord-api-types/v10";

/** Each permission as Discord's pages call it, with its bit and what is missing without it, as it reads after "Bobbin". */
export const PERMISSIONS: Readonly<Record<string, { readonly bit: bigint; readonly harm: string }>> = {
  "View Channels": { bit: Bits.ViewChannel, harm: "hears nothing" },
  "Send Messages": { bit: Bits.SendMessages, harm: "cannot say what is wrong" },
  "Create Public Threads": { bit: Bits.CreatePublicThreads, harm: "cannot answer in a channel" },
  "Send Messages in Threads": { bit: Bits.SendMessagesInThreads, harm: "cannot answer" },
  "Read Message History": { bit: Bits.ReadMessageHistory, harm: "misses what was said while it was away" },
  "Embed Links": { bit: Bits.EmbedLinks, harm: "cannot show links well" },
  "Attach Files": { bit: Bits.AttachFiles, harm: "cannot attach files" },
  "Add Reactions": { bit: Bits.AddReactions, harm: "cannot react" },
};

const ALL = Object.values(PERMISSIONS).reduce((bits, { bit }) => bits | bit, 0n);

/** Where an admin of a server lets the bot in. */
export function invitationOf(app: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${app}&scope=bot%20applications.commands&permissions=${ALL}`;
}

/** Names of the permissions that are missing. */
export function missingIn(granted: string): readonly string[] {
  const bits = BigInt(granted);
  if ((bits & Bits.Administrator) !== 0n) return [];
  return Object.entries(PERMISSIONS).flatMap(([name, { bit }]) => ((bits & bit) === 0n ? [name] : []));
}
