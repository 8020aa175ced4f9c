// The few web globals that core may use. Core is checked without the types of Node or of a browser, so a global that
// does not stand here is a compile error. Timers, the clock, ids and randomness are ports and never globals.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(
    type: "abort",
    listener: () => void,
    options?: { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: "abort", listener: () => void): void;
  throwIfAborted(): void;
}

declare var AbortSignal: {
  abort(reason?: unknown): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare var AbortController: { new (): AbortController };

interface TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}

declare var TextEncoder: { new (): TextEncoder };

interface TextDecoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}

declare var TextDecoder: {
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

interface DOMException extends Error {
  readonly code: number;
}

declare var DOMException: { new (message?: string, name?: string): DOMException };

interface URL {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

declare var URL: { new (url: string, base?: string): URL; canParse(url: string, base?: string): boolean };

declare function structuredClone<T>(value: T): T;
