/** Offers and browsers in their tables. Whoever takes an offer does so by one statement, so that it lets in one browser. */

import type { Entered, Offered, Person, SignIns } from "../../../core/ports/sign-ins.ts";
import { cleanText, headOf } from "../../../core/text.ts";
import type { Platform, SessionId } from "../../../core/thread.ts";
import type { Sql } from "../sql.ts";

/** What is over is kept for a day, so that whoever comes late is told why; the reasons that a browser gave go with it. */
const OLD = `
with offers as (delete from admin_offers where until < now_ms() - 86400000),
browsers as (delete from admin_browsers where until < now_ms() - 86400000 returning id),
reasons as (delete from review_reasons where browser in (select id from browsers))`;

const OFFER = {
  name: "admin-offer",
  text: `${OLD}
insert into admin_offers (hash, platform, space, person, name, session, until, way)
values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

const OFFERED = {
  name: "admin-offered",
  text: `
select platform, space, person, name, session, way from admin_offers
where hash = $1 and used_at is null and until > now_ms()`,
};

const ENTER = {
  name: "admin-enter",
  text: `
with taken as (
  update admin_offers set used_at = now_ms() where hash = $1 and used_at is null and until > now_ms()
  returning platform, space, person, name, session, way),
entered as (
  insert into admin_browsers (hash, id, platform, space, person, name, browser, until)
  select $2, $3, platform, space, person, name, $4, $5 from taken)
select platform, space, person, name, session, way from taken`,
};

const ADMIT = {
  name: "admin-admit",
  text: `${OLD}
insert into admin_browsers (hash, id, platform, space, person, name, browser, until)
values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

const IS_IN = `left_at is null and until > now_ms()`;
const ENTERED = `id, platform, space, person, name, browser, created_at as "createdAt", seen_at as "seenAt", until`;

/** A page is looked at much more often than it matters when. */
const FIND = {
  name: "admin-find",
  text: `
with seen as (update admin_browsers set seen_at = now_ms()
  where hash = $1 and $3::boolean and ${IS_IN} and seen_at > now_ms() - $2::bigint and seen_at < now_ms() - 60000)
select ${ENTERED} from admin_browsers where hash = $1 and ${IS_IN} and seen_at > now_ms() - $2::bigint`,
};

const LIST = {
  name: "admin-browsers",
  text: `
select ${ENTERED} from admin_browsers
where platform = $1 and space = $2 and ${IS_IN} and ($3::text is null or person = $3)
order by created_at desc, id desc limit 200`,
};

const LEAVE = {
  name: "admin-leave",
  text: `
update admin_browsers set left_at = now_ms()
where id = $1 and platform = $2 and space = $3 and ($4::text is null or person = $4) and ${IS_IN}
returning 1 as one`,
};

const LEAVE_OTHERS = {
  name: "admin-leave-others",
  text: `
update admin_browsers set left_at = now_ms()
where platform = $1 and space = $2 and person = $3 and id <> $4 and ${IS_IN}
returning 1 as one`,
};

const LONGEST_BROWSER = 300;

interface PersonRow {
  readonly platform: Platform;
  readonly space: string;
  readonly person: string;
  readonly name: string;
}

interface OfferRow extends PersonRow {
  readonly session: SessionId | null;
  readonly way: string;
}

type EnteredRow = PersonRow & Omit<Entered, "who">;

export function createSignIns(sql: Sql): SignIns {
  return {
    async offer({ hash, who, session, until, way = "link" }) {
      const { platform, space, person, name } = who;
      await sql.query(OFFER, [
        hash,
        platform,
        space,
        person,
        cleanText(name),
        session ?? null,
        Math.round(until),
        way,
      ]);
    },
    async offered(hash) {
      const [row] = await sql.query<OfferRow>(OFFERED, [hash]);
      return row && toOffered(row);
    },
    async enter(offer, { hash, id, browser, until }) {
      const [row] = await sql.query<OfferRow>(ENTER, [
        offer,
        hash,
        id,
        shortened(browser),
        Math.round(until),
      ]);
      return row && toOffered(row);
    },
    async admit({ platform, space, person, name }, { hash, id, browser, until }) {
      const values = [hash, id, platform, space, person, cleanText(name), shortened(browser)];
      await sql.query(ADMIT, [...values, Math.round(until)]);
    },
    async find(hash, idleMs, isUse) {
      const [row] = await sql.query<EnteredRow>(FIND, [hash, Math.round(idleMs), isUse]);
      return row && toEntered(row);
    },
    async list({ platform, space }, person) {
      return (await sql.query<EnteredRow>(LIST, [platform, space, person ?? null])).map(toEntered);
    },
    async leaveOthers(than, { platform, space, person }) {
      return (await sql.query(LEAVE_OTHERS, [platform, space, person, than])).length;
    },
    async leave(id, { platform, space }, person) {
      return (await sql.query(LEAVE, [id, platform, space, person ?? null])).length > 0;
    },
  };
}

function shortened(browser: string): string {
  return headOf(cleanText(browser), LONGEST_BROWSER);
}

function toOffered({ session, way, ...who }: OfferRow): Offered {
  return { who, way, ...(session === null ? {} : { session }) };
}

function toEntered({ platform, space, person, name, ...rest }: EnteredRow): Entered {
  const who: Person = { platform, space, person, name };
  return { ...rest, who };
}
