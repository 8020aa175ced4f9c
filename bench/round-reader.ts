/** One answer of a model with its tool calls, read by hand: what an agent needs of it, and no care for servers that differ. */

import { request, type Dispatcher } from "undici";

export interface BareCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface BareMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly BareCall[];
  readonly tool_call_id?: string;
}

export interface BareRound {
  readonly text: string;
  readonly calls: readonly BareCall[];
  /** What the next request says of it. */
  readonly message: BareMessage;
}

interface Delta {
  readonly content?: string;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments: string };
  }[];
}

interface Chunk {
  readonly choices: readonly { readonly delta: Delta }[];
}

const TOOLS = [
  {
    type: "function",
    function: {
      name: "time_in_zone",
      description: "Tells the current date, weekday and time in a time zone.",
      parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
    },
  },
];

export function createRoundReader(
  url: string,
  dispatcher: Dispatcher,
): (messages: readonly BareMessage[]) => Promise<BareRound> {
  return async (messages) => {
    const response = await request(`${url}/chat/completions`, {
      dispatcher,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "fake", messages, tools: TOOLS, stream: true }),
    });
    const decoder = new TextDecoder();
    let rest = "";
    let text = "";
    const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];
    for await (const bytes of response.body) {
      rest += decoder.decode(bytes as Uint8Array, { stream: true });
      let from = 0;
      for (let to = rest.indexOf("\n\n"); to !== -1; to = rest.indexOf("\n\n", from)) {
        const data = rest.slice(from + "data: ".length, to);
        from = to + 2;
        if (data === "[DONE]") continue;
        const delta = (JSON.parse(data) as Chunk).choices[0]?.delta;
        text += delta?.content ?? "";
        for (const piece of delta?.tool_calls ?? []) {
          const call = (calls[piece.index] ??= {
            id: piece.id ?? "",
            type: "function",
            function: { name: piece.function.name ?? "", arguments: "" },
          });
          call.function.arguments += piece.function.arguments;
        }
      }
      rest = rest.slice(from);
    }
    const said = { role: "assistant", content: text } as const;
    return { text, calls, message: calls.length === 0 ? said : { ...said, tool_calls: calls } };
  };
}
