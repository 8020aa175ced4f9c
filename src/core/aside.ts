/** Whether people say by its first word that a message in the bot's thread is not for the bot. */
export function isAside(text: string): boolean {
  return /^\s*\(aside\)/i.test(text);
}
