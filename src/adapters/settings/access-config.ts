/** The part of `bobbin.config.ts` that says who may use the bot: as people write it, checked, and with its defaults filled in. */

import { z } from "zod";
import { DEFAULT_ACCESS } from "../../core/access/defaults.ts";
import type { AccessRules, Address, Audience, Rate } from "../../core/access/rules.ts";
import type { CommandName } from "../../core/command/command.ts";
import { COMMAND_NAMES } from "../../core/command/table.ts";

/** Whatever is left out has its default: members of the space may, guests and people of other companies may not. */
export interface AccessInput {
  /** Such as `slack:T1` or `discord:G1`; direct messages on Discord are the space `discord:dm`, the web chat is `web:local`. */
  readonly spaces?: ListsInput;
  /** Such as `slack:T1:C1`. */
  readonly channels?: ListsInput;
  /** Such as `slack:T1:U1`, or `discord:*:U1` in every guild and directly. */
  readonly users?: ListsInput;
  /** Such as `discord:G1:R1`; on Slack `slack:T1:admin` and `slack:T1:owner`. */
  readonly roles?: ListsInput;
  /** Who may write to the bot directly. Default everyone. */
  readonly direct?: Audience;
  /** Which guests may use the bot. Default nobody. */
  readonly guests?: Audience;
  /** Which people of other companies may, in shared channels. Default nobody. */
  readonly external?: Audience;
  /** Which people may of whom the platform does not say in time whether they are guests. Default everyone. */
  readonly unknown?: Audience;
  readonly admins?: {
    /** Whether admins and owners on the platform are admins of the bot. Default true. */
    readonly platform?: boolean;
    /** Admins of a space, each named: `*` may stand for a space only. Who runs the bot stands in `ADMIN_USERS`, and is one too. */
    readonly users?: readonly Address[];
    readonly roles?: readonly Address[];
  };
  /** Who may read transcripts on the admin pages, beside the admins. Default nobody. */
  readonly reviewers?: { readonly users?: readonly Address[]; readonly roles?: readonly Address[] };
  /** Who may use which command. Default everyone; for `why` admins, for `transcript` and `admin` admins and reviewers. */
  readonly commands?: Partial<Record<CommandName, Audience>>;
  readonly bots?: {
    /** Other bots that are heard where they mention this one. Default none. */
    readonly allow?: readonly Address[];
    /** Messages of one bot in one thread. Default 5 within 60 minutes. */
    readonly most?: number;
    readonly withinMinutes?: number;
  };
  /** Messages that are taken. Default no limits. Admins have none. */
  readonly limits?: { readonly user?: RateInput; readonly channel?: RateInput };
}

interface ListsInput {
  /** Only these may. */
  readonly allow?: readonly Address[];
  /** Never these; wins over everything. */
  readonly deny?: readonly Address[];
}

interface RateInput {
  readonly most: number;
  readonly withinMinutes: number;
}

const PLATFORM = "(?:slack|discord|web)";
const ID = "(?:\\*|[A-Za-z0-9._-]{1,64})";
const space = z
  .string()
  .regex(new RegExp(`^${PLATFORM}:${ID}$`), "must be a platform and a space, such as slack:T1 or discord:G1");
export const address = z
  .string()
  .regex(new RegExp(`^${PLATFORM}:${ID}:${ID}$`), "must be platform, space and id, such as slack:T1:U1");
const named = address.refine(
  (given) => !given.endsWith(":*"),
  "must name a person: all admins of the platform are meant by platform, and whole roles by roles",
);
const listsOf = (one: typeof address) =>
  z.strictObject({
    allow: z.array(one).nonempty("lists nobody: leave it out, or use deny").optional(),
    deny: z.array(one).optional(),
  });
const audience = z.union(
  [
    z.enum(["everyone", "admins", "reviewers", "nobody"]),
    z.strictObject({ users: z.array(address).optional(), roles: z.array(address).optional() }),
  ],
  'must be "everyone", "admins", "reviewers", "nobody", or { users: […], roles: […] } with addresses such as slack:T1:U1',
);
const count = z.int().positive("must be above zero");
const minutes = z.number().positive("must be above zero");
const rate = z.strictObject({ most: count, withinMinutes: minutes });

export const accessSchema = z.strictObject({
  spaces: listsOf(space).optional(),
  channels: listsOf(address).optional(),
  users: listsOf(address).optional(),
  roles: listsOf(address).optional(),
  direct: audience.optional(),
  guests: audience.optional(),
  external: audience.optional(),
  unknown: audience.optional(),
  admins: z
    .strictObject({
      platform: z.boolean().optional(),
      users: z.array(named).optional(),
      roles: z.array(address).optional(),
    })
    .optional(),
  reviewers: z
    .strictObject({ users: z.array(address).optional(), roles: z.array(address).optional() })
    .optional(),
  commands: z
    .strictObject(Object.fromEntries(COMMAND_NAMES.map((name) => [name, audience.optional()])))
    .optional(),
  bots: z
    .strictObject({
      allow: z.array(address).optional(),
      most: count.optional(),
      withinMinutes: minutes.optional(),
    })
    .optional(),
  limits: z.strictObject({ user: rate.optional(), channel: rate.optional() }).optional(),
});

/** @param input was checked. */
export function accessOf(input: AccessInput): AccessRules {
  const { bots, limits, admins, reviewers } = input;
  const byDefault = DEFAULT_ACCESS;
  return {
    spaces: listsIn(input.spaces),
    channels: listsIn(input.channels),
    users: listsIn(input.users),
    roles: listsIn(input.roles),
    direct: input.direct ?? byDefault.direct,
    guests: input.guests ?? byDefault.guests,
    external: input.external ?? byDefault.external,
    unknown: input.unknown ?? byDefault.unknown,
    admins: {
      platform: admins?.platform ?? byDefault.admins.platform,
      users: admins?.users ?? [],
      roles: admins?.roles ?? [],
    },
    reviewers: { users: reviewers?.users ?? [], roles: reviewers?.roles ?? [] },
    commands: { ...byDefault.commands, ...withoutGaps(input.commands ?? {}) },
    bots: {
      allow: bots?.allow ?? [],
      rate: {
        most: bots?.most ?? byDefault.bots.rate.most,
        withinMs:
          bots?.withinMinutes === undefined ? byDefault.bots.rate.withinMs : bots.withinMinutes * 60_000,
      },
    },
    limits: withoutGaps({ user: rateOf(limits?.user), channel: rateOf(limits?.channel) }),
  };
}

function listsIn({ allow, deny = [] }: ListsInput = {}): AccessRules["users"] {
  return allow === undefined ? { deny } : { allow, deny };
}

function rateOf(input: RateInput | undefined): Rate | undefined {
  return input && { most: input.most, withinMs: input.withinMinutes * 60_000 };
}

type WithoutGaps<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutGaps<T extends object>(fields: T): WithoutGaps<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as WithoutGaps<T>;
}
