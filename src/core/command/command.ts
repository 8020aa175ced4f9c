/** The commands: a line is parsed to one, and answered with a result; surfaces only present it. */

export type Command =
  | { readonly name: "reset" }
  | { readonly name: "stop" }
  | { readonly name: "retry" }
  | { readonly name: "status" }
  | { readonly name: "queue" }
  | { readonly name: "help" };

export type CommandName = Command["name"];
