/** Installs in their table. Secrets go in and come out sealed; what no key opens is told for each install by itself. */

import type { Install, InstallFacts, Installs } from "../../core/ports/installs.ts";
import type { Seal } from "../../core/ports/seal.ts";
import type { Platform } from "../../core/thread.ts";
import type { Sql } from "./sql.ts";

interface Row {
  readonly platform: Platform;
  readonly space: string;
  readonly enterprise: string | null;
  readonly name: string;
  readonly url: string | null;
  readonly bot_user: string;
  readonly bot_id: string;
  readonly bot_name: string;
  readonly scopes: string;
  readonly installed_by: string;
  readonly installed_at: number;
  readonly state: Install["state"];
  readonly why: string | null;
  readonly revision: number;
  readonly secret: string;
}

const COLUMNS = `platform, space, enterprise, name, url, bot_user, bot_id, bot_name, scopes, installed_by`;
const ALL = `${COLUMNS}, installed_at, state, why, revision, secret`;

const SAVE = {
  name: "install-save",
  text: `
insert into installs as i (${COLUMNS}, state, secret)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'active', $11)
on conflict (platform, space) do update set enterprise = excluded.enterprise, name = excluded.name, url = excluded.url, bot_user = excluded.bot_user,
  bot_id = excluded.bot_id, bot_name = excluded.bot_name, scopes = excluded.scopes, installed_by = excluded.installed_by,
  installed_at = now_ms(), changed_at = now_ms(), state = 'active', why = null, secret = excluded.secret, revision = i.revision + 1`,
};

const FIND = {
  name: "install-find",
  text: `select ${ALL} from installs where platform = $1 and space = $2 and state <> 'removed'`,
};

const WAS_REMOVED = {
  name: "install-was-removed",
  text: `select 1 as one from installs where platform = $1 and space = $2 and state = 'removed'`,
};

const LIST = {
  name: "install-list",
  text: `select ${ALL} from installs where platform = $1 and state <> 'removed' order by space`,
};

const OF_BOT = {
  name: "install-of-bot",
  text: `select space from installs where platform = $1 and state <> 'removed'
    and bot_user in (select jsonb_array_elements_text($2::jsonb)) order by space limit 1`,
};

/** $4 the space that is meant, or null; $5 others. */
const OF_THREAD = {
  name: "install-of-thread",
  text: `
with known as (
  select space from installs where platform = $1 and state <> 'removed'
  union select jsonb_array_elements_text($5::jsonb))
select k.space from known k join sessions s on s.id = concat_ws(':', $1::text, k.space, $2::text, $3::text)
order by k.space = $4::text desc nulls last, s.created_at limit 1`,
};

const MARK = {
  name: "install-mark",
  text: `update installs set state = $4, why = $5, revision = revision + 1, changed_at = now_ms()
    where platform = $1 and space = $2 and revision = $3 and state in ('active', 'broken') and state <> $4 returning space`,
};

const REMOVE = {
  name: "install-remove",
  text: `update installs set state = 'removed', why = null, secret = null, revision = revision + 1, changed_at = now_ms()
    where platform = $1 and space = $2 and state <> 'removed' and installed_at < $3::bigint returning space`,
};

/** Only where nobody has changed it since: it may have been installed anew, or sealed by another process. */
const RESEAL = {
  name: "install-reseal",
  text: `update installs set secret = $4 where platform = $1 and space = $2 and secret = $3 returning space`,
};

const SEALED = {
  name: "install-sealed",
  text: `select platform, space, secret from installs where secret is not null order by platform, space`,
};

export function createInstalls({ sql, seal }: { readonly sql: Sql; readonly seal: Seal }): Installs {
  const installIn = ({ enterprise, url, why, scopes, secret, ...row }: Row): Install => {
    const opened = seal.open(secret, boundTo(row));
    return {
      platform: row.platform,
      space: row.space,
      ...(enterprise === null ? {} : { enterprise }),
      name: row.name,
      ...(url === null ? {} : { url }),
      bot: { user: row.bot_user, id: row.bot_id, name: row.bot_name },
      scopes: scopes.split(",").filter((scope) => scope !== ""),
      installedBy: row.installed_by,
      at: row.installed_at,
      revision: row.revision,
      state: row.state,
      ...(why === null ? {} : { why }),
      secret:
        opened.kind === "opened"
          ? { kind: "open", value: opened.text }
          : { kind: "sealed", why: closedSentence(row, opened.key) },
    };
  };
  return {
    async save(facts, secret) {
      const { platform, space, enterprise, name, url, bot, scopes, installedBy } = facts;
      await sql.query(SAVE, [
        platform,
        space,
        enterprise ?? null,
        name,
        url ?? null,
        bot.user,
        bot.id,
        bot.name,
        scopes.join(","),
        installedBy,
        seal.seal(secret, boundTo(facts)),
      ]);
    },
    async find(platform, space) {
      const [row] = await sql.query<Row>(FIND, [platform, space]);
      return row && installIn(row);
    },
    wasRemoved: async (platform, space) => (await sql.query(WAS_REMOVED, [platform, space])).length > 0,
    list: async (platform) => (await sql.query<Row>(LIST, [platform])).map(installIn),
    async spaceOfBot(platform, users) {
      const [row] = await sql.query<{ space: string }>(OF_BOT, [platform, JSON.stringify(users)]);
      return row?.space;
    },
    async spaceOfThread(platform, channel, root, { rather, also = [] } = {}) {
      const values = [platform, channel, root, rather ?? null, JSON.stringify(also)];
      const [row] = await sql.query<{ space: string }>(OF_THREAD, values);
      return row?.space;
    },
    async mark({ platform, space, revision }, state, why) {
      return (await sql.query(MARK, [platform, space, revision, state, why ?? null])).length > 0;
    },
    async remove(platform, space, before) {
      return (await sql.query(REMOVE, [platform, space, Math.round(before)])).length > 0;
    },
  };
}

/**
 * Seals anew what was sealed with a key that is not the first any more. One row after the other, each by itself: whoever dies in
 * the middle leaves rows of both keys, which open as long as both are listed.
 * @returns how many were sealed anew.
 */
export async function resealInstalls({
  sql,
  seal,
}: {
  readonly sql: Sql;
  readonly seal: Seal;
}): Promise<number> {
  let count = 0;
  const rows = await sql.query<Pick<Row, "platform" | "space" | "secret">>(SEALED);
  for (const { platform, space, secret } of rows) {
    const bound = boundTo({ platform, space });
    const opened = seal.open(secret, bound);
    if (opened.kind === "closed" || !opened.isOld) continue;
    const changed = await sql.query(RESEAL, [platform, space, secret, seal.seal(opened.text, bound)]);
    count += changed.length;
  }
  return count;
}

/** A row that somebody copied to another space does not open there. */
function boundTo({ platform, space }: Pick<InstallFacts, "platform" | "space">): string {
  return `install ${platform}:${space}`;
}

function closedSentence({ space, name }: Pick<InstallFacts, "space" | "name">, key: string): string {
  return `The token of ${space} (${name}) cannot be opened: it was sealed with the key ${key}, which is not in SECRET_KEY, or the row was changed.`;
}
