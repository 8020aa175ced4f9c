/** Workspaces in which nothing can be called: how many there are is told to whoever asks for health, which they are only to the log. */

import type { ReadyCheck } from "../adapters/http/health.ts";
import type { Install, Installs } from "../core/ports/installs.ts";
import type { Log } from "../core/ports/log.ts";

/** What is wrong with an install; undefined where nothing is. */
type Trouble = "refused" | "sealed";

export function troubleOf({ state, secret }: Install): Trouble | undefined {
  if (secret.kind === "sealed") return "sealed";
  return state === "active" ? undefined : "refused";
}

/** Health has no sign-in before it, and a customer's name is nobody's business: each is named in the log, once while it lasts. */
export function createSlackTroubles(deps: { readonly installs: Installs; readonly log: Log }): ReadyCheck {
  let named: ReadonlySet<string> = new Set();

  function name(install: Install): string {
    const { space, name, why, secret } = install;
    const about =
      secret.kind === "sealed" ? secret.why : `Slack does not take its token (${why ?? "refused"})`;
    const key = `${space} ${about}`;
    if (!named.has(key))
      deps.log.warn("nothing can be called in a workspace until it is mended", { space, name, about });
    return key;
  }

  return {
    name: "Slack installs",
    isPartial: true,
    async check() {
      const troubled = (await deps.installs.list("slack")).filter((each) => troubleOf(each) !== undefined);
      named = new Set(troubled.map(name));
      if (troubled.length === 0) return undefined;
      const sealed = troubled.filter((each) => troubleOf(each) === "sealed").length;
      const refused = troubled.length - sealed;
      return [
        ...(refused === 0
          ? []
          : [
              `Slack does not take the token of ${counted(refused)} any more: install the app again there, or set SLACK_BOT_TOKEN anew; what waits is answered then.`,
            ]),
        ...(sealed === 0 ? [] : [`No key of SECRET_KEY opens the token of ${counted(sealed)}.`]),
        "The log and npm run doctor say which.",
      ].join(" ");
    },
  };
}

function counted(count: number): string {
  return `${count} ${count === 1 ? "workspace" : "workspaces"}`;
}
