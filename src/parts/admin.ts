/** The admin pages: who may come in to them, by which door, and what they are made of. */

import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAdminPages } from "../adapters/admin/app.ts";
import { isDirectAddress as isDirectOnDiscord } from "../adapters/discord/identity.ts";
import { readDiscordAddress } from "../adapters/discord/message-link.ts";
import { sha256 } from "../adapters/ids.ts";
import { bodyOf } from "../adapters/openai/wire.ts";
import { createAudit } from "../adapters/postgres/admin/audit.ts";
import { createErasures } from "../adapters/postgres/admin/erasures.ts";
import { createHolds } from "../adapters/postgres/admin/holds.ts";
import { behindOthers } from "../adapters/postgres/admin/behind-others.ts";
import { createChannelPrivacy } from "../adapters/postgres/admin/channel-privacy.ts";
import { createExports } from "../adapters/postgres/admin/exports.ts";
import { createOverviewMaker } from "../adapters/postgres/admin/overview-maker.ts";
import { createOperations } from "../adapters/postgres/admin/operations.ts";
import { createOverviews } from "../adapters/postgres/admin/overviews.ts";
import { createUsageFigures } from "../adapters/postgres/admin/usage-figures.ts";
import { createRemarks } from "../adapters/postgres/admin/remarks.ts";
import { createReview } from "../adapters/postgres/admin/review.ts";
import { createReviews } from "../adapters/postgres/admin/reviews.ts";
import { createSignIns } from "../adapters/postgres/admin/sign-ins.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import { createSingleUse } from "../adapters/postgres/single-use.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { isDirectAddress as isDirectOnSlack } from "../adapters/slack/identity.ts";
import { readSlackAddress } from "../adapters/slack/message-link.ts";
import {
  createWebDoor,
  createWebPeopleNow,
  OWNER,
  readWebAddress,
  WEB_CHANNELS_NOW,
} from "../adapters/web/owner.ts";
import type { Access } from "../core/access/access.ts";
import { isListed } from "../core/access/rules.ts";
import { createChannels } from "../core/admin/channels.ts";
import { createDoor, type Door } from "../core/admin/door.ts";
import { createEraser, type Eraser } from "../core/admin/eraser.ts";
import type { ReadAddress } from "../core/admin/linked.ts";
import { createViewers } from "../core/admin/viewers.ts";
import type { Commands } from "../core/command/commands.ts";
import type { NewId } from "../core/ids.ts";
import { maskEntropy } from "../core/mask-entropy.ts";
import { createKnownSecrets, without, type SecretsInTalk } from "../core/mask.ts";
import { inboundIdOf } from "../core/inbound.ts";
import type { AttendanceBook } from "../core/ports/attendance.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { ParkedRun } from "../core/ports/operations.ts";
import type { ChannelsNow } from "../core/ports/channel-privacy.ts";
import type { IsDirectAddress } from "../core/ports/overviews.ts";
import type { RunQueue } from "../core/ports/run-queue.ts";
import type { Stops } from "../core/ports/stops.ts";
import type { PeopleNow } from "../core/ports/people-now.ts";
import type { SignInWay } from "../core/ports/sign-in-way.ts";
import type { Person } from "../core/ports/sign-ins.ts";
import type { Watched } from "../core/ports/watched.ts";
import { threadOf, type Platform } from "../core/thread.ts";
import type { Coordination } from "./coordination.ts";

export interface Admin {
  /** For platforms that can tell one person alone. */
  readonly door: Door;
  /** For the web chat, where everybody reads what is said. */
  readonly webDoor: Door;
  /** Also takes up what another process has left unfinished. */
  readonly eraser: Pick<Eraser, "stop">;
  /** Answers below `/admin`. */
  readonly site: { fetch(request: Request, env: Record<string, unknown>): Response | Promise<Response> };
}

/** What these pages need of a platform. */
interface Served {
  readonly peopleNow: PeopleNow;
  readonly channelsNow: ChannelsNow;
  /** Where its own sign-in is set up. */
  readonly signIn?: SignInWay | undefined;
}

export interface AdminPartDeps {
  readonly sql: Sql;
  readonly access: Access;
  /** Those that are configured, the web chat aside. */
  readonly served: Partial<Readonly<Record<Platform, Served | undefined>>>;
  readonly stops: Pick<Stops, "signal">;
  readonly queue: RunQueue;
  readonly watched: Watched & Pick<Coordination, "board">;
  readonly attendance: Pick<AttendanceBook, "list">;
  /** What is asked of a thread here is asked as in it. */
  readonly commands: () => Pick<Commands, "run">;
  readonly newId: NewId;
  /** As for what is stored, also of what became known since it was. Default well-known patterns only. */
  readonly secrets?: Pick<SecretsInTalk, "find"> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const isDirectAddress: IsDirectAddress = (thread) => isDirectOnSlack(thread) || isDirectOnDiscord(thread);
const SERVED: readonly Platform[] = ["slack", "discord", "web"];
const READERS: readonly ReadAddress[] = [readSlackAddress, readDiscordAddress, readWebAddress];

/**
 * Whoever runs the bot, and sees what is of all spaces: whom `ADMIN_USERS` names, and who sits at the machine of the web chat. An admin of a
 * space, by whatever else, is none.
 */
export function operatorsIn({ adminUsers }: Pick<Settings, "adminUsers">): (who: Person) => boolean {
  return ({ platform, space, person }) =>
    platform === OWNER.platform || isListed(adminUsers, `${platform}:${space}:${person}`);
}

/** @param url where this process listens, for where nobody said how people reach it. */
export function openAdmin(
  {
    sql,
    access,
    served,
    watched,
    attendance,
    commands,
    stops,
    queue,
    newId,
    secrets = createKnownSecrets([]),
    clock,
    log,
  }: AdminPartDeps,
  settings: Settings,
  { url, hasWebChat }: { readonly url: string; readonly hasWebChat: boolean },
): Admin {
  const signIns = createSignIns(sql);
  const behind = behindOthers(sql);
  const newSecret = (): string => randomBytes(32).toString("base64url");
  const base = (settings.publicUrl ?? url).replace(/\/$/, "");
  const of: AdminPartDeps["served"] = {
    ...served,
    ...(hasWebChat ? { web: { peopleNow: createWebPeopleNow(), channelsNow: WEB_CHANNELS_NOW } } : {}),
  };
  // A platform that is not configured any more has nobody.
  const now: PeopleNow = { look: async (who) => of[who.platform]?.peopleNow.look(who) };
  const ways = Object.values(of).flatMap((each) => each?.signIn ?? []);
  const isPrivate: ChannelsNow["isPrivate"] = async (channel) =>
    of[channel.platform]?.channelsNow.isPrivate(channel);
  const hash = sha256;
  const viewers = createViewers({ signIns, peopleNow: now, access, clock, hash });
  const folders = ["../adapters/web/browser", "../adapters/admin/browser"].map((folder) =>
    join(import.meta.dirname, folder),
  );
  async function retry(who: Person, { session, run, where }: ParkedRun): Promise<string> {
    const author = await now.look(who);
    if (author === undefined) return "You are not in that space any more.";
    const id = inboundIdOf(threadOf(session), "admin", "command", newId());
    const asked = { session, author, id, at: clock.now(), run, ...(where === undefined ? {} : { where }) };
    return (await commands().run({ name: "retry" }, asked)).text;
  }
  // The charts' own files.
  const charts = dirname(fileURLToPath(import.meta.resolve("uplot")));
  const [audit, erasures] = [createAudit(sql), createErasures(sql)];
  const eraser = createEraser({ erasures, audit, stops, queue, clock, newId, log });
  eraser.start();
  const site = createAdminPages(
    {
      signIns,
      viewers,
      ways,
      states: createSingleUse(sql),
      audit,
      eraser,
      erasures,
      holds: createHolds(sql),
      overviews: createOverviews(sql, isDirectAddress, behind, () => clock.ticks()),
      makeOverview: createOverviewMaker(sql).make,
      review: createReview(sql),
      usage: createUsageFigures(behind),
      operations: createOperations(sql, isDirectAddress, behind),
      watched,
      attendance,
      retry,
      ...(watched.board === undefined ? {} : { board: watched.board }),
      isOperator: operatorsIn(settings),
      remarks: createRemarks(sql),
      reviews: createReviews(sql, isDirectAddress, behind),
      channels: createChannels({
        privacy: createChannelPrivacy(sql, behind),
        now: { isPrivate },
        clock,
        log,
      }),
      exports: createExports(behind, isDirectAddress),
      mask: (text) => maskEntropy(without(text, secrets.find(text))),
      linkedIn: (address) => READERS.flatMap((read) => read(address)),
      bodyOf,
      clock,
      hash,
      newId,
      newSecret,
      log,
    },
    {
      assets: [charts, ...folders],
      allowedHosts: settings.publicUrl === undefined ? [] : [new URL(settings.publicUrl).hostname],
      isSecure: base.startsWith("https:"),
      platforms: SERVED.filter((platform) => of[platform] !== undefined),
      ...(hasWebChat ? { owner: OWNER } : {}),
    },
  );
  return {
    door: createDoor({ signIns, clock, hash, newSecret }, base),
    webDoor: createWebDoor(),
    eraser,
    site,
  };
}
