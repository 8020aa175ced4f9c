/** The references for reading a model's stream: by hand, and as the SDK does it. Neither does anything with what it reads. */

import OpenAI from "openai";
import { Agent, request } from "undici";

/** Reads one answer to its end. @returns how many deltas with text it had. */
export type ReadStream = (url: string, messages: readonly BenchMessage[]) => Promise<number>;

export interface BenchMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

/** The least that can be done: bytes from undici, split at blank lines, parsed. Takes only what our model server writes. */
export function createHandReader(): ReadStream {
  const agent = new Agent();
  return async (url, messages) => {
    const response = await request(`${url}/chat/completions`, {
      dispatcher: agent,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "fake", messages, stream: true }),
    });
    const decoder = new TextDecoder();
    let rest = "";
    let text = "";
    let deltas = 0;
    for await (const bytes of response.body) {
      rest += decoder.decode(bytes as Uint8Array, { stream: true });
      let from = 0;
      for (let to = rest.indexOf("\n\n"); to !== -1; to = rest.indexOf("\n\n", from)) {
        const data = rest.slice(from + "data: ".length, to);
        from = to + 2;
        if (data === "[DONE]") continue;
        const content = (JSON.parse(data) as Chunk).choices[0]?.delta.content;
        if (content === undefined || content === "") continue;
        text += content;
        deltas++;
      }
      rest = rest.slice(from);
    }
    return text === "" ? 0 : deltas;
  };
}

/** `for await` over the SDK's stream, with its own fetch. */
export function createSdkReader(): ReadStream {
  const clients = new Map<string, OpenAI>();
  return async (url, messages) => {
    const client = clients.get(url) ?? new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 });
    clients.set(url, client);
    const stream = await client.chat.completions.create({
      model: "fake",
      messages: messages.map(({ role, content }) => ({ role, content })),
      stream: true,
    });
    let text = "";
    let deltas = 0;
    for await (const chunk of stream) {
      const content = chunk.choices[0]?.delta.content;
      if (content == null || content === "") continue;
      text += content;
      deltas++;
    }
    return text === "" ? 0 : deltas;
  };
}
