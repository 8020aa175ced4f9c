/** A request as the bytes of a Chat Completions body. Pure: the same request is the same bytes, for ever. */

import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionContentPartText,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import type { ContentPart, ModelMessage, ModelRecord, ModelRequest } from "../../core/ports/model.ts";
import { cleanJsonText } from "../../core/text.ts";
import { replayOf, type Replay } from "./reasoning.ts";

/** Beyond OpenAI's own: what OpenRouter and the providers behind it read. */
interface CacheMark {
  readonly cache_control?: { readonly type: "ephemeral" };
}
interface Reasoning {
  readonly reasoning?: { readonly max_tokens: number };
}

/**
 * The whole body. Keys stand in a fixed order; cache marks stand only where the request asks for them and the model's record
 * says that its provider reads them. Text that a strict parser refuses (lone surrogates, NUL) is replaced.
 */
export function bodyOf(request: ModelRequest): string {
  const { model } = request;
  const params: ChatCompletionCreateParamsStreaming & Reasoning = {
    model: model.name,
    messages: messagesOf(request),
    ...(request.tools.length > 0 && { tools: request.tools.map(toolOf) }),
    stream: true,
    stream_options: { include_usage: true },
    [model.outputCapField ?? "max_tokens"]: request.outputTokens,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...thinkingOf(request),
  };
  return cleanJsonText(params);
}

function messagesOf(request: ModelRequest): ChatCompletionMessageParam[] {
  const readsMarks = request.model.caching === "breakpoints";
  const messages: ChatCompletionMessageParam[] = [];
  if (request.system !== "") {
    const marked = readsMarks && request.cacheSystem;
    messages.push({ role: "system", content: marked ? [markedText(request.system)] : request.system });
  }
  const { replays } = request.model;
  for (const message of request.messages) messages.push(messageOf(message, readsMarks, replays));
  return messages;
}

function messageOf(
  message: ModelMessage,
  readsMarks: boolean,
  replays: ModelRecord["replays"],
): ChatCompletionMessageParam {
  const marked = readsMarks && message.cacheHere === true;
  switch (message.role) {
    case "user":
      return { role: "user", content: userContent(message.content, marked) };
    case "assistant":
      return assistantOf(message, marked, replays);
    case "tool": {
      // Some servers refuse an empty result, and the refusal would come again with every later message.
      const content = message.content === "" ? "(no output)" : message.content;
      return {
        role: "tool",
        tool_call_id: message.call,
        content: marked ? [markedText(content)] : content,
      };
    }
    default:
      return unreachable(message);
  }
}

function userContent(parts: readonly ContentPart[], marked: boolean): string | ChatCompletionContentPart[] {
  // A plain string wherever it will do: older servers know nothing else.
  if (!marked && parts.every((part) => part.kind === "text"))
    return parts.map((part) => part.text).join("\n\n");
  return parts.map((part, at): ChatCompletionContentPart & CacheMark => {
    const mark: CacheMark = marked && at === parts.length - 1 ? { cache_control: { type: "ephemeral" } } : {};
    return part.kind === "text"
      ? { type: "text", text: part.text, ...mark }
      : { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` }, ...mark };
  });
}

function assistantOf(
  message: Extract<ModelMessage, { role: "assistant" }>,
  marked: boolean,
  replays: ModelRecord["replays"],
): ChatCompletionMessageParam {
  const {
    reasoning_details: details,
    reasoning_content: thought = "",
    extra_content,
  } = replayOf(message.reasoning);
  const extras = replays === "extra_content" ? (extra_content ?? []) : [];
  // Also where there was none: a message with calls that lacks the field is refused.
  const wantsThought = replays === "reasoning_content" && message.calls.length > 0;
  const assistant: ChatCompletionAssistantMessageParam & Replay = {
    role: "assistant",
    // An empty string beside calls is refused by some servers, null is what OpenAI itself sends.
    content: message.text === "" ? null : marked ? [markedText(message.text)] : message.text,
    ...(message.calls.length > 0 && {
      tool_calls: message.calls.map((call, at) => ({
        id: call.id,
        type: "function" as const,
        function: { name: call.name, arguments: call.arguments.trim() === "" ? "{}" : call.arguments },
        ...(extras[at] != null && { extra_content: extras[at] }),
      })),
    }),
    ...(details !== undefined && { reasoning_details: details }),
    ...(wantsThought && { reasoning_content: thought }),
  };
  return assistant;
}

function markedText(text: string): ChatCompletionContentPartText & CacheMark {
  return { type: "text", text, cache_control: { type: "ephemeral" } };
}

function toolOf(tool: ModelRequest["tools"][number]): ChatCompletionTool {
  return {
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: { ...tool.schema } },
  };
}

function thinkingOf({
  thinking,
  outputTokens,
}: ModelRequest): Pick<ChatCompletionCreateParamsStreaming, "reasoning_effort"> & Reasoning {
  switch (thinking?.kind) {
    case undefined:
      return {};
    case "effort":
      return { reasoning_effort: thinking.effort };
    case "budget": {
      // The budget comes out of the reply's cap, and providers refuse one that leaves nothing for the reply.
      const most = Math.floor(outputTokens * 0.8);
      return { reasoning: { max_tokens: Math.max(1, Math.min(thinking.tokens, most)) } };
    }
    default:
      return unreachable(thinking);
  }
}

function unreachable(value: never): never {
  throw new TypeError(`not in the union: ${JSON.stringify(value)}`);
}
