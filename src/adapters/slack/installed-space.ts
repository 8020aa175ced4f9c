/**
 * The install of one space as this process knows it, and the calls that are made with its token. What is known is kept and looked up
 * again beside the work; what Slack refuses is looked up at once, since it may have been installed anew in another process.
 */

import { toBobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Install, Installs } from "../../core/ports/installs.ts";
import type { Log } from "../../core/ports/log.ts";
import type { SlackAnswer, SlackApi } from "./api.ts";
import { isTokenRefused, TOKEN_SEALED } from "./refusals.ts";

export type Known =
  | { readonly kind: "here"; readonly install: Install; readonly api: SlackApi }
  /** Installed, and nothing can be called: the token is refused, or no key opens it. `code`: in one word. */
  | { readonly kind: "broken"; readonly install: Install; readonly code: string }
  | { readonly kind: "gone" };

type Here = Extract<Known, { readonly kind: "here" }>;

export interface InstalledSpaceDeps {
  readonly installs: Pick<Installs, "find" | "mark">;
  /** Makes the one way to call with this token. */
  apiOf(token: string): SlackApi;
  /** Hears of each token before it is used. */
  readonly learn: (token: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** An install that is used is looked up again so often, ms. */
const FRESH_MS = 30_000;
/** So often it is tried whether Slack takes a token again, ms: a workspace that was suspended comes back without being installed. */
const RETRY_MS = 60_000;

export class InstalledSpace implements SlackApi {
  readonly #deps: InstalledSpaceDeps;
  readonly #space: string;
  #held: { readonly known: Here; readAt: number } | undefined;
  #reading: Promise<Known> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  /** Raised by `forget`: what was begun to be read before it is not kept. */
  #turn = 0;

  constructor(deps: InstalledSpaceDeps, space: string) {
    this.#deps = deps;
    this.#space = space;
  }

  /** Reads the store only where nothing is held. Rejects when it has to and cannot. */
  async known(): Promise<Known> {
    const held = this.#held;
    if (held === undefined) return this.#read();
    if (this.#deps.clock.ticks() - held.readAt > FRESH_MS) {
      held.readAt = this.#deps.clock.ticks();
      this.#read().catch((error: unknown) => {
        this.#deps.log.debug("an install could not be looked up again", { space: this.#space, error });
      });
    }
    return held.known;
  }

  /** What is held counts no more: whoever asks next reads the store. */
  forget(): void {
    this.#turn++;
    this.#held = undefined;
  }

  async call(...[method, args, mayBegin]: Parameters<SlackApi["call"]>): Promise<SlackAnswer> {
    let known: Known;
    try {
      known = await this.known();
    } catch (error) {
      return unread(error);
    }
    if (known.kind !== "here") return refusedBy(known);
    const answer = await known.api.call(method, args, mayBegin);
    if (!isTokenRefused(answer)) return answer;
    let now: Known;
    try {
      now = await this.#readAnew();
    } catch (error) {
      return unread(error);
    }
    if (now.kind === "gone") return refusedBy(now);
    if (now.kind === "broken") return answer;
    // Refused is not done: it may be called once more with what has taken the token's place.
    if (now.install.revision !== known.install.revision) return now.api.call(method, args, mayBegin);
    await this.#broken(now, answer);
    return answer;
  }

  async #broken({ install }: Here, answer: SlackAnswer): Promise<void> {
    const { installs, log } = this.#deps;
    const code = answer.kind === "refused" ? answer.code : answer.kind;
    this.#held = undefined;
    this.#triedAt = this.#deps.clock.ticks();
    try {
      if (await installs.mark(install, "broken", code)) {
        const fix = "install the app there again, or set SLACK_BOT_TOKEN anew where it is that one";
        log.warn(
          `Slack does not take the token of a workspace any more: ${fix}; what waits is answered then`,
          {
            space: this.#space,
            code,
          },
        );
      }
    } catch (error) {
      log.warn("a broken install could not be marked", { space: this.#space, error });
    }
  }

  #read(): Promise<Known> {
    return (this.#reading ??= this.#look().finally(() => {
      this.#reading = undefined;
    }));
  }

  /** One look that began before now may have seen what was there before. */
  async #readAnew(): Promise<Known> {
    await this.#reading?.catch(() => undefined);
    return this.#read();
  }

  async #look(): Promise<Known> {
    const turn = this.#turn;
    const known = await this.#lookUp();
    if (turn !== this.#turn) this.#held = undefined;
    return known;
  }

  async #lookUp(): Promise<Known> {
    const install = await this.#deps.installs.find("slack", this.#space);
    if (install === undefined) return this.#letGo({ kind: "gone" });
    if (install.secret.kind === "sealed") {
      const held = this.#held;
      // Sealed anew with a key that this process was not given yet, amid a rotation: it is the token that we have.
      if (held?.known.install.revision === install.revision) return this.#hold(held.known.install, "");
      return this.#letGo({ kind: "broken", install, code: TOKEN_SEALED });
    }
    const { value } = install.secret;
    if (install.state === "broken") return this.#tried(install, value);
    return this.#hold(install, value);
  }

  #letGo<K extends Known>(known: K): K {
    this.#held = undefined;
    return known;
  }

  #hold(install: Install, token: string): Here {
    const before = this.#held?.known;
    const readAt = this.#deps.clock.ticks();
    if (before?.install.revision === install.revision) {
      this.#held = { known: before, readAt };
      return before;
    }
    this.#deps.learn(token);
    const known: Here = { kind: "here", install, api: this.#deps.apiOf(token) };
    this.#held = { known, readAt };
    return known;
  }

  async #tried(install: Install, token: string): Promise<Known> {
    const broken = { kind: "broken", install, code: install.why ?? "token_revoked" } as const;
    const { clock, installs, log } = this.#deps;
    if (clock.ticks() - this.#triedAt < RETRY_MS) return this.#letGo(broken);
    this.#triedAt = clock.ticks();
    this.#deps.learn(token);
    const answer = await this.#deps.apiOf(token).call("auth.test", {});
    if (answer.kind !== "ok" || !(await installs.mark(install, "active"))) return this.#letGo(broken);
    log.info("Slack takes the token of a workspace again", { space: this.#space });
    const found = await installs.find("slack", this.#space);
    if (found?.state !== "active" || found.secret.kind !== "open") return this.#letGo(broken);
    return this.#hold(found, found.secret.value);
  }
}

function refusedBy(known: Exclude<Known, Here>): SlackAnswer {
  return { kind: "refused", code: known.kind === "broken" ? known.code : "not_installed" };
}

/** Nothing was sent, and the next moment may bring another answer. */
function unread(error: unknown): SlackAnswer {
  return { kind: "unreachable", why: toBobbinError(error).message };
}
