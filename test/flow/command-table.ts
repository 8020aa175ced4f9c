// Every command by someone who may and someone who may not, while nothing runs and while an answer is written, in each kind of place
// that a surface has. The rows are made of the core's table: a command without its line here does not compile. A surface brings
// a driver, which does what a person does there and reads what that person reads.
import { expect, test } from "vitest";
import type { CommandName } from "../../src/core/command/command.ts";
import { COMMAND_NAMES } from "../../src/core/command/table.ts";
import type { FakeLlm } from "../support/fake-llm/server.ts";

export type Place = "thread" | "channel" | "direct";
export type State = "idle" | "running";
/** `outsider`: may write to the bot, and may give none of its commands. */
export type Who = "member" | "outsider";

export interface Given {
  readonly name: CommandName;
  /** What stands behind the name. */
  readonly argument?: string;
}

/** `S` is whatever the driver needs to find a place again. */
export interface CommandDriver<S> extends AsyncDisposable {
  readonly llm: FakeLlm;
  /**
   * A new place, in which nothing else is done. Where a session lies in it the member has said `QUESTION` there (`running`: `LONG`)
   * and the answer is complete (`running`: under way).
   */
  open(place: Place, state: State): Promise<S>;
  /** Gives the command as people do there. @returns what whoever gave it reads, and nothing else of the place. */
  give(spot: S, who: Who, given: Given): Promise<string>;
  /** What must hold in the end: nothing that the platform or the provider would punish. */
  expectPeace(): void;
}

export const QUESTION = "what is new?";
/** Is being answered for as long as a test takes: the model is held amid it. */
export const LONG = "say 60 words";

/** Every command, for `access.commands`: only these may. */
export function onlyFor(
  ...users: readonly string[]
): Record<CommandName, { readonly users: readonly string[] }> {
  return Object.fromEntries(COMMAND_NAMES.map((name) => [name, { users }])) as ReturnType<typeof onlyFor>;
}

/** A session (also where a picker asks for it), nothing (and a command begins none), or nothing yet, which a command may begin. */
type Lies = "session" | "nothing" | "begins";

interface Form {
  readonly argument?: string;
  readonly idle: RegExp;
  /** Default: as `idle`. */
  readonly running?: RegExp;
  /** Where nothing was said yet. Default: as `idle`. */
  readonly nothing?: RegExp;
  /** It sets something: where a command may begin a session it does so. */
  readonly sets?: true;
}

const UNSAID = /Nothing has been said to the bot in this thread yet/;
const NOT_YET = /Nothing has been said|has not answered anything|No model call/;
const sets = (argument: string, idle: RegExp): Form => ({ argument, idle, nothing: UNSAID, sets: true });

/** Those that end what runs, or what lies there, come last. */
const FORMS: Readonly<Record<CommandName, readonly Form[]>> = {
  status: [
    { idle: /Nothing is running\. The last answer is complete/, running: /Working for/, nothing: UNSAID },
  ],
  queue: [{ idle: /Nothing waits in this thread/ }],
  usage: [{ idle: /1 call, [\d,]+ tokens/, running: NOT_YET, nothing: NOT_YET }],
  details: [{ idle: /Run .*The answer is complete/s, running: /It is under way/, nothing: NOT_YET }],
  feedback: [
    { idle: /Was the last answer good/ },
    { argument: "good", idle: /Noted, thank you/, running: NOT_YET, nothing: NOT_YET },
  ],
  model: [{ idle: /This thread uses the default, fake/ }, sets("default", /uses the default model/)],
  effort: [{ idle: /has no such levels/ }, sets("default", /thinks as much as it does by default/)],
  verbosity: [
    { idle: /What this thread shows/ },
    sets("steps", /a line for each step/),
    sets("default", /its channel does/),
  ],
  title: [{ idle: /This thread is called “/ }, sets("Plans for spring", /is called “Plans for spring” now/)],
  follow: [
    { idle: /Every message in this thread is for the bot/ },
    sets("mention", /only messages that mention the bot/),
    sets("thread", /every message in this thread is for the bot/),
  ],
  mute: [
    { idle: /The bot answers in this thread/ },
    sets("on", /is quiet in this thread from now on/),
    sets("off", /answers in this thread again/),
  ],
  reload: [{ idle: /From the next answer on/, nothing: UNSAID, sets: true }],
  why: [
    {
      idle: /The bot answered it.*Let in by the rule/s,
      running: /The bot works on it/,
      nothing: /Nothing of it is stored/,
    },
  ],
  branch: [
    {
      idle: /A new thread begins with what was said here|A direct conversation on Discord is one thread/,
      running: /nothing to branch from yet|A direct conversation on Discord is one thread/,
      nothing: /nothing to branch from yet|A direct conversation on Discord is one thread/,
    },
  ],
  goal: [
    { idle: /There is no goal in this thread/ },
    { argument: "pause", idle: /There is no goal in this thread/ },
  ],
  transcript: [{ idle: /Open the transcript of this thread/ }],
  admin: [{ idle: /Open the admin pages/ }],
  help: [{ idle: /begin anew/ }],
  retry: [{ idle: /There is nothing to try again/, running: /still working/ }],
  stop: [{ idle: /Nothing is running/, running: /^(?:“[^”]*”\s*)?Stopping/ }],
  reset: [{ idle: /This thread begins anew/, nothing: /nothing to reset/ }],
};
const ENDERS: readonly CommandName[] = ["stop", "reset"];
const REFUSAL = /^(?:“[^”]*”\s*)?You may not use/;

/**
 * Defines the tests of one surface: one for each of its places and states.
 * @param places what lies in each kind of place that the surface has.
 * @param driver the world that all of them share, once it is there.
 */
export function testCommands<S>(
  surface: string,
  places: Partial<Record<Place, Lies>>,
  driver: () => CommandDriver<S>,
): void {
  const commands = [...COMMAND_NAMES.filter((name) => !ENDERS.includes(name)), ...ENDERS];

  for (const [place, lies] of Object.entries(places) as [Place, Lies][]) {
    // Nothing runs where nothing was said.
    for (const state of lies === "session" ? (["idle", "running"] as const) : (["idle"] as const)) {
      test(`${surface}, ${place}, ${state}: every command is done for who may, and for nobody else`, async () => {
        const world = driver();
        using _ = state === "running" ? world.llm.hold(20) : undefined;
        const wrong: string[] = [];
        const read = async (spot: S, who: Who, given: Given, expected: RegExp): Promise<void> => {
          const text = await world.give(spot, who, given);
          if (!expected.test(text)) wrong.push(`${who}: ${given.name} ${given.argument ?? ""}: ${text}`);
        };
        let spot = await world.open(place, state);
        for (const name of commands) {
          // The one before has ended what ran.
          if (state === "running" && name === "reset") spot = await world.open(place, state);
          for (const { argument, idle, running = idle, nothing = idle, sets: doesSet } of FORMS[name]) {
            const given = { name, ...(argument === undefined ? {} : { argument }) };
            await read(spot, "outsider", given, REFUSAL);
            const isUnsaid = lies === "nothing" || (lies === "begins" && doesSet !== true);
            if (lies === "begins") spot = await world.open(place, state);
            await read(spot, "member", given, isUnsaid ? nothing : state === "running" ? running : idle);
          }
        }
        expect(wrong).toEqual([]);
      });
    }
  }

  test(`${surface}: no command is ever read by the model`, () => {
    const world = driver();
    const said = world.llm.requests.flatMap(({ body }) =>
      body.messages.flatMap(({ role, content }) => (role === "user" ? [JSON.stringify(content)] : [])),
    );
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((text) => !text.includes(QUESTION) && !text.includes(LONG))).toEqual([]);
    world.expectPeace();
  });
}
