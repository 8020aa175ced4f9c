/** Installs that are made by OAuth and kept in the store: there where the settings say that the app is distributed. */

import { createInstalls, resealInstalls } from "../adapters/postgres/installs.ts";
import { createSingleUse } from "../adapters/postgres/single-use.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import { createSeal, signingSecretOf } from "../adapters/seal.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import type { Installs } from "../core/ports/installs.ts";
import type { Log } from "../core/ports/log.ts";
import type { SingleUse } from "../core/ports/single-use.ts";

export interface StoredInstalls {
  readonly installs: Installs;
  readonly states: SingleUse;
  /** What the pages of the installation need. */
  readonly app: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly publicUrl: string;
    readonly stateSecret: string;
  };
}

/** Nothing where the app is not distributed. Tokens that were sealed with an older key are sealed anew. */
export async function openInstalls(
  deps: { readonly sql: Sql; readonly log: Log },
  settings: Pick<Settings, "slackClientId" | "slackClientSecret" | "publicUrl" | "secretKey">,
): Promise<StoredInstalls | undefined> {
  const { slackClientId: clientId, slackClientSecret: clientSecret = "", publicUrl = "" } = settings;
  const [first, ...older] = settings.secretKey ?? [];
  if (clientId === undefined || first === undefined) return undefined;
  const { sql, log } = deps;
  const seal = createSeal([first, ...older]);
  const count = await resealInstalls({ sql, seal });
  if (count > 0) log.info("tokens were sealed anew with the first key of SECRET_KEY", { installs: count });
  return {
    installs: createInstalls({ sql, seal }),
    states: createSingleUse(sql),
    app: { clientId, clientSecret, publicUrl, stateSecret: signingSecretOf(first, "install-state") },
  };
}
