/** The command layer: one answer per command, in plain markdown; surfaces only present it. */

import { END_REASONS } from "../end-reason.ts";
import type { Author, CommandInbound } from "../inbound.ts";
import type { EndReason } from "../events.ts";
import type { InboundId } from "../ids.ts";
import { formatDuration, formatMoney, formatTokens } from "../measure.ts";
import type { Clock } from "../ports/clock.ts";
import type { SessionStatus, Transcripts } from "../ports/transcripts.ts";
import type { Intake } from "../run/intake.ts";
import type { SessionId } from "../thread.ts";
import { totalTokens } from "../usage.ts";
import type { Command, CommandName } from "./command.ts";
import { COMMANDS } from "./parse.ts";

export interface CommandRequest {
  readonly session: SessionId;
  readonly author: Author;
  /** Identity of this command: the same for every delivery of it. */
  readonly id: InboundId;
  /** Platform time, ms since 1970. */
  readonly at: number;
  readonly answerTo?: string;
}

export interface CommandResult {
  /** Markdown for the person who asked. */
  readonly text: string;
}

export interface Commands {
  /** Rejects only when a command that changes the session could not be stored. */
  run(command: Command, request: CommandRequest): Promise<CommandResult>;
}

export interface CommandDeps {
  readonly intake: Intake;
  readonly transcripts: Transcripts;
  readonly clock: Clock;
}

export function createCommands(deps: CommandDeps): Commands {
  /** Stored like a message, so that its place among the messages is kept and a second delivery changes nothing. */
  function store(command: Command, request: CommandRequest) {
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

  async function answer(command: Command, request: CommandRequest): Promise<string> {
    switch (command.name) {
      case "help":
        return help();
      case "status":
        return describeStatus(await deps.transcripts.status(request.session), deps.clock.now());
      case "stop": {
        const receipt = await store(command, request);
        if (receipt.kind === "stored")
          return receipt.running ? "Stopping." : "Nothing is running in this thread.";
        return receipt.kind === "duplicate" ? "Stopping." : "Nothing is running in this thread.";
      }
      case "reset": {
        const receipt = await store(command, request);
        return receipt.kind === "ignored"
          ? "There is nothing to reset here yet."
          : "This thread begins anew: the bot no longer sees what was said above.";
      }
      case "retry": {
        const status = await deps.transcripts.status(request.session);
        if (status?.running !== undefined) return "The bot is still working on the last message.";
        if (status?.last === undefined || !END_REASONS[status.last.outcome.reason].canRetry)
          return "There is nothing to try again.";
        await store(command, request);
        return "Trying again.";
      }
      default:
        return command satisfies never;
    }
  }

  return { run: async (command, request) => ({ text: await answer(command, request) }) };
}

function help(): string {
  const lines = (Object.keys(COMMANDS) as CommandName[]).map(
    (name) => `- \`/${name}\`: ${COMMANDS[name].summary}`,
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
