/**
 * The few web globals that core may use. Timers, clock, ids and hashes are not among them: they come in as arguments.
 */

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(
    type: "abort",
    listener: () => void,
    options?: { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
declare var AbortSignal: {
  any(signals: readonly AbortSignal[]): AbortSignal;
  abort(reason?: unknown): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: { new (): AbortController };
declare function structuredClone<T>(value: T): T;
declare function queueMicrotask(run: () => void): void;
declare class TextEncoder {
  encode(text?: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}
declare class URL {
  constructor(url: string, base?: string);
  readonly protocol: string;
  readonly host: string;
  readonly href: string;
}
