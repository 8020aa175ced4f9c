/** The command layer: one answer per command, in plain markdown; surfaces only present it. */

import { END_REASONS } from "../end-reason.ts";
import type { Author, CommandInbound } from "../inbound.ts";
import type { EndReason } from "../events.ts";
import type { InboundId, RunId } from "../ids.ts";
import { labelOf } from "../label.ts";
import { formatDuration, formatMoney, formatTokens } from "../measure.ts";
import type { Clock } from "../ports/clock.ts";
import type { InboundView, SessionStatus, Transcripts } from "../ports/transcripts.ts";
import type { Intake } from "../run/intake.ts";
import type { SessionId } from "../thread.ts";
import { totalTokens } from "../usage.ts";
import type { Command, CommandName, SessionCommand } from "./command.ts";
import { COMMANDS } from "./parse.ts";

export interface CommandRequest {
  readonly session: SessionId;
  readonly author: Author;
  /** Identity of this command: the same for every delivery of it. */
  readonly id: InboundId;
  /** Platform time, ms since 1970. */
  readonly at: number;
  readonly answerTo?: string;
  /** The run whose button was clicked: where another one counts by now, nothing is done, and the answer says so. */
  readonly run?: RunId;
}

export interface CommandResult {
  /** Markdown for the person who asked. */
  readonly text: string;
}

export interface Commands {
  /**
   * Rejects only when a command that changes the session could not be stored. A delivery of it that comes again changes nothing
   * and is answered like the first one, as far as things are still so.
   */
  run(command: Command, request: CommandRequest): Promise<CommandResult>;
  /** The list of commands, for where there is no thread to ask in. */
  help(): string;
}

export interface CommandDeps {
  readonly intake: Intake;
  readonly transcripts: Transcripts;
  readonly clock: Clock;
}

export interface CommandOptions {
  /** How a person writes a command on this surface. By default with a slash: `/stop`. */
  readonly written?: (name: CommandName) => string;
}

export function createCommands(deps: CommandDeps, options: CommandOptions = {}): Commands {
  const written = options.written ?? ((name) => `/${name}`);

  /** Stored like a message, so that its place among the messages is kept and a second delivery changes nothing. */
  function store(command: SessionCommand, request: CommandRequest) {
    const inbound: CommandInbound = {
      v: 1,
      kind: "command",
      command,
      id: request.id,
      session: request.session,
      author: request.author,
      at: request.at,
      addressed: false,
      ...(request.answerTo === undefined ? {} : { answerTo: request.answerTo }),
    };
    return deps.intake.receive(inbound);
  }

  async function isStored({ session, id }: CommandRequest): Promise<boolean> {
    return (await deps.transcripts.inbounds(session)).some(({ inbound }) => inbound.id === id);
  }

  async function answer(command: Command, request: CommandRequest): Promise<string> {
    switch (command.name) {
      case "help":
        return describeCommands(written);
      case "status":
        return describeStatus(await deps.transcripts.status(request.session), deps.clock.now());
      case "queue":
        return describeQueue(await deps.transcripts.inbounds(request.session));
      case "stop": {
        if (request.run !== undefined) {
          const status = await deps.transcripts.status(request.session);
          // A button that was left standing must not stop whatever runs in the thread today.
          if (status?.running?.run !== request.run) return "That answer has already ended.";
        }
        const receipt = await store(command, request);
        const isRunning =
          receipt.kind === "duplicate"
            ? (await deps.transcripts.status(request.session))?.running !== undefined
            : receipt.kind === "stored" && receipt.running;
        return isRunning ? "Stopping." : "Nothing is running in this thread.";
      }
      case "reset": {
        const receipt = await store(command, request);
        if (receipt.kind === "ignored") return "There is nothing to reset here yet.";
        return "This thread begins anew: the bot no longer sees what was said above.";
      }
      case "retry": {
        const refusal = refusalOfRetry(await deps.transcripts.status(request.session), request.run);
        // What was stored by an earlier delivery may be what runs or has ended by now.
        if (refusal !== undefined) return (await isStored(request)) ? "Trying again." : refusal;
        await store(command, request);
        return "Trying again.";
      }
      default:
        return command satisfies never;
    }
  }

  return {
    async run(command, request) {
      return { text: await answer(command, request) };
    },
    help: () => describeCommands(written),
  };
}

function refusalOfRetry(status: SessionStatus | undefined, run: RunId | undefined): string | undefined {
  if (status?.running !== undefined) return "The bot is still working on the last message.";
  if (status?.last === undefined || !END_REASONS[status.last.outcome.reason].canRetry)
    return "There is nothing to try again.";
  if (run !== undefined && run !== status.last.run)
    return "There is a newer answer in this thread; only the last one can be tried again.";
  return undefined;
}

function describeCommands(written: (name: CommandName) => string): string {
  const lines = (Object.keys(COMMANDS) as CommandName[]).map(
    (name) => `- \`${written(name)}\`: ${COMMANDS[name].summary}`,
  );
  return [
    "Write in a thread and the bot answers there. Messages that come while it works are taken in.",
    "",
    ...lines,
  ].join("\n");
}

function describeLast(reason: EndReason): string {
  if (reason === "stop") return "The last answer is complete.";
  const { why } = END_REASONS[reason];
  return reason === "waiting" ? why : `The last answer ended early. ${why}`;
}

function describeStatus(status: SessionStatus | undefined, now: number): string {
  if (status === undefined) return "Nothing has been said to the bot in this thread yet.";
  const lines: string[] = [];
  if (status.running === undefined) {
    const last = status.last === undefined ? "" : ` ${describeLast(status.last.outcome.reason)}`;
    lines.push(`Nothing is running.${last}`);
  } else {
    const { startedAt, rounds, run } = status.running;
    lines.push(
      `Working for ${formatDuration(Math.max(0, now - startedAt))}, ${rounds} ${rounds === 1 ? "round" : "rounds"} so far (run \`${run}\`).`,
    );
  }
  if (status.waiting > 0) lines.push(`Waiting messages: ${status.waiting}.`);
  const tokens = totalTokens(status.usage);
  const spent = [
    tokens === undefined ? undefined : formatTokens(tokens),
    status.usage.cost === undefined ? undefined : formatMoney(status.usage.cost),
  ].filter((part) => part !== undefined);
  lines.push(
    `Entries in the history: ${status.entries}.${spent.length > 0 ? ` Used: ${spent.join(", ")}.` : ""}`,
  );
  // The first epoch is 1.
  if (status.epoch > 1) lines.push(`Resets so far: ${status.epoch - 1}.`);
  return lines.join("\n\n");
}

const SHOWN_WAITING = 20;

/** In the order in which they will be read: by platform time. */
function describeQueue(inbounds: readonly InboundView[]): string {
  const waiting = inbounds
    .flatMap(({ state, inbound }) => (state === "waiting" && inbound.kind === "message" ? [inbound] : []))
    .sort((a, b) => a.at - b.at);
  if (waiting.length === 0) return "Nothing waits in this thread.";
  const lines = waiting.slice(0, SHOWN_WAITING).map(({ author, parts }, index) => {
    const firstText = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ");
    const files = parts.filter((part) => part.kind === "file" || part.kind === "image").length;
    const said =
      firstText.trim() === "" ? `(${files === 1 ? "a file" : `${files} files`})` : labelOf({ firstText });
    return `${index + 1}. ${author.name}: ${said}`;
  });
  const more = waiting.length - lines.length;
  if (more > 0) lines.push(`And ${more} more.`);
  return ["Waiting, in this order:", "", ...lines].join("\n");
}
