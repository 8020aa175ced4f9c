/** The commands: a line is parsed to one, and answered with a result; surfaces only present it. */

export type Command =
  | { readonly name: "reset" }
  | { readonly name: "stop" }
  | { readonly name: "retry" }
  | { readonly name: "status" }
  | { readonly name: "queue" }
  /** `message`: the one that is asked about, by its id or its address on the platform; the newest one unless said. */
  | { readonly name: "why"; readonly message?: string }
  /** `word`: what was written like a command and is none; the list is the answer to it. */
  | { readonly name: "help"; readonly word?: string };

export type CommandName = Command["name"];

/** Those that change the session: they are stored. The others only read, and are answered at once. */
export type SessionCommand = Extract<Command, { readonly name: "reset" | "stop" | "retry" }>;
