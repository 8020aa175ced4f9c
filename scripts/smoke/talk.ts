/** The person at the terminal, who is told what to do and asked what they see. */

import { createInterface } from "node:readline/promises";

export interface Talk {
  tell(line: string): void;
  /** `undefined`: the person does not know, or cannot tell. */
  ask(question: string): Promise<boolean | undefined>;
  /** How long something that the person was asked to do is waited for, ms. */
  readonly patienceMs: number;
}

/** @param mask takes secrets out of every line. */
export function createTalk(mask: (text: string) => string, patienceMs: number): Talk & { close(): void } {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return {
    tell: (line) => console.log(mask(`\n→ ${line}`)),
    async ask(question) {
      const said = (await lines.question(`\n? ${question} `)).trim().toLowerCase();
      return said.startsWith("y") ? true : said.startsWith("n") ? false : undefined;
    },
    patienceMs,
    close: () => lines.close(),
  };
}
