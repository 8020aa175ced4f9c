/** Words of people in markdown of our own: nothing in them is read as marks or as a link, and they turn none of ours around. Pure. */

import { withinItself } from "./reply/steering-signs.ts";

/** Of one line. */
export function plain(text: string): string {
  return withinItself(text)
    .replaceAll(/[\\`*_{}[\]()<>#|~!&@]/g, (sign) => `\\${sign}`)
    .replaceAll("://", "\\://")
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}\\.`);
}

/** Several lines, set apart from our own. */
export function quotedLines(text: string): string {
  const lines = text.split(/\r\n|\n|\r/);
  return lines
    .map((line, at) => {
      const isBroken = at < lines.length - 1 && line.trim() !== "" && lines[at + 1]?.trim() !== "";
      return `> ${beginningOf(plain(line.trim()))}${isBroken ? "\\" : ""}`.trimEnd();
    })
    .join("\n");
}

/** What begins a line of words begins no list. */
export function beginningOf(line: string): string {
  return line.replace(/^([-+=]|\d+[.)])/, (sign) => `${sign.slice(0, -1)}\\${sign.slice(-1)}`);
}
