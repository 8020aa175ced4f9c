/** How the client behaves. Every option but the key has a default. */

export interface OpenAiOptions {
  /** Blank for a server that wants none. */
  readonly apiKey: string;
  /** Default: OpenAI's own, `https://api.openai.com/v1`. */
  readonly baseUrl?: string;
  /** Until the connection stands, ms. Default 10,000. */
  readonly connectMs?: number;
  /** Without a byte once the answer has begun, ms. Default 60,000. */
  readonly idleMs?: number;
  /** Until the first byte of the answer's body, and without real data although keep-alive comments come, ms. Default 150,000. */
  readonly dataIdleMs?: number;
  /** Tries of one request, the first included. Default 3. */
  readonly maxAttempts?: number;
  /** The wait before the second try, ms; doubled for each further one, half of it at random. Default 500. */
  readonly backoffMs?: number;
  /** The longest wait between two tries, ms. A provider that asks for a longer one is not asked again. Default 20,000. */
  readonly maxBackoffMs?: number;
}

export type CheckedOptions = Required<OpenAiOptions>;

const DEFAULTS = {
  baseUrl: "https://api.openai.com/v1",
  connectMs: 10_000,
  idleMs: 60_000,
  dataIdleMs: 150_000,
  maxAttempts: 3,
  backoffMs: 500,
  maxBackoffMs: 20_000,
} as const;

/** A copy with all defaults. @throws RangeError naming the option that is no positive number, or the base URL. */
export function checkedOptions(options: OpenAiOptions): CheckedOptions {
  const checked: CheckedOptions = { ...DEFAULTS, ...options };
  const { connectMs, idleMs, dataIdleMs, maxAttempts, backoffMs, maxBackoffMs } = checked;
  for (const [name, value] of Object.entries({
    connectMs,
    idleMs,
    dataIdleMs,
    maxAttempts,
    backoffMs,
    maxBackoffMs,
  })) {
    if (!(value > 0) || (name === "maxAttempts" && !Number.isInteger(value))) {
      throw new RangeError(`${name} has to be a positive number, and is ${value}`);
    }
  }
  if (!URL.canParse(checked.baseUrl)) throw new RangeError("baseUrl has to be a URL");
  return checked;
}
