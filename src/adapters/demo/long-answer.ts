/** A long answer with everything that a surface has to show. */
export const LONG_ANSWER = `# A tour of what an answer can look like

This is the **demo model**. It says the same every time, so that you can see how answers are shown *here*.

## Text

Words may be **strong**, *stressed*, ~~struck out~~ or \`code\`. A [link](https://example.org/a_(b)) stands in a sentence, and
a line of thought may be quoted:

> A thread is one durable session. Close the browser, come back tomorrow, and it is still here.

## Lists

1. Say something in a thread.
2. Watch the answer grow.
   - Press **Stop** while it does.
   - Say more: it is taken in at the next step.
3. Restart the bot, and go on where you were.

- [x] a thing that is done
- [ ] a thing that is not

## A table

| what you write | what happens |
| --- | --- |
| what time is it in Tokyo? | a tool is called, and its answer is used |
| what was said earlier? | the messages of the thread are read back |
| count slowly | words come slowly, so that Stop can be tried |
| show me a long answer | this page |

## Code

\`\`\`ts
interface Thread {
  readonly space: string;
  readonly channel: string;
}

export function label(thread: Thread): string {
  return \`\${thread.space}/\${thread.channel}\`;
}
\`\`\`

---

That was all. To talk with a real model, start Bobbin again with \`OPENAI_API_KEY\` set.`;
