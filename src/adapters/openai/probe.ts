/** Sends one tiny request to the model, for `doctor`. It costs a few tokens, and proves the address, the key and the name. */

export interface ModelAddress {
  /** Without it, OpenAI's own server. */
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly model: string;
  /** The name of the wire's field for the output cap; `max_tokens` unless said. */
  readonly outputCapField?: "max_tokens" | "max_completion_tokens";
}

/** Room for a reasoning model to think of the word. */
const PROBE_TOKENS = 256;

export type ModelProbe =
  | { readonly kind: "answers"; readonly afterMs: number }
  /** It may work again without a change, as after a rate limit. */
  | { readonly kind: "later"; readonly why: string }
  /** `why` is one sentence without the key. */
  | { readonly kind: "refused"; readonly why: string };

const openai = "https://api.openai.com/v1";

/** Never throws. */
export async function probeModel(
  { baseUrl, apiKey, model, outputCapField = "max_tokens" }: ModelAddress,
  { timeoutMs = 20_000 } = {},
): Promise<ModelProbe> {
  const started = performance.now();
  try {
    const response = await fetch(`${(baseUrl ?? openai).replace(/\/+$/, "")}/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      // With the cap, as every later request: a model that takes it by another name refuses here and not in a thread.
      body: JSON.stringify({
        model,
        messages: [{ role: "user", content: "Answer with the word ok." }],
        [outputCapField]: PROBE_TOKENS,
      }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await response.text();
    if (response.ok && isCompletion(body))
      return { kind: "answers", afterMs: Math.round(performance.now() - started) };
    return judge(response.status, model);
  } catch (error) {
    return { kind: "refused", why: sentenceFor(error) };
  }
}

function isCompletion(body: string): boolean {
  try {
    const answer: unknown = JSON.parse(body);
    return (
      typeof answer === "object" && answer !== null && "choices" in answer && Array.isArray(answer.choices)
    );
  } catch {
    return false;
  }
}

function judge(status: number, model: string): ModelProbe {
  if (status === 401 || status === 403) return { kind: "refused", why: `It refuses the key (${status}).` };
  if (status === 404)
    return { kind: "refused", why: `It does not know the model ${model}, or the base URL is wrong (404).` };
  if (status === 429) return { kind: "later", why: "The limit or the credit of the key is used up (429)." };
  if (status >= 500) return { kind: "later", why: `It has a fault of its own (${status}).` };
  if (status >= 400) return { kind: "refused", why: `It refuses the request (${status}).` };
  return {
    kind: "refused",
    why: "It answers, but not in the form of Chat Completions: look at the base URL.",
  };
}

function sentenceFor(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "It does not answer in time.";
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ECONNREFUSED") return "Nothing listens at that address.";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "The host name is not known.";
  return `The connection failed${code ? ` (${code})` : ""}.`;
}
