/**
 * What `bobbin.config.ts` may say: limits, models, and how a team wants its bot, in a file that is reviewed like code.
 * Everything has a default; what is given is checked by name, so that a slip in spelling is an error and not a default.
 */
import { z } from "zod";
import type { AccessRules } from "../../core/access/rules.ts";
import { DEFAULT_LIMITS } from "../../core/agent/limits.ts";
import type { Limits } from "../../core/agent/loop-types.ts";
import type { GoalRules } from "../../core/goal/policy.ts";
import type { ModelRecord } from "../../core/ports/model.ts";
import type { RetentionRules } from "../../core/admin/retention.ts";
import type { ReplyRules } from "../../core/reply/view.ts";
import { goalsOf, goalsSchema, type GoalsInput } from "./goals-config.ts";
import { accessOf, accessSchema, type AccessInput } from "./access-config.ts";
import { repliesOf, repliesSchema, type RepliesInput } from "./replies-config.ts";
import { retentionOf, retentionSchema, type RetentionInput } from "./retention-config.ts";

/** As it is written by people: whatever is left out has its default. */
export interface ConfigInput {
  readonly limits?: Partial<ConfigLimits>;
  /** Models by their provider's names; one that is not listed gets careful values. */
  readonly models?: readonly ModelInput[];
  /** Who may use the bot, where, and for what. */
  readonly access?: AccessInput;
  /** What people see of a reply besides its answer. */
  readonly replies?: RepliesInput;
  /** What goals may do, where, and how fast. */
  readonly goals?: GoalsInput;
  /** For how many days what is kept. Default for ever. */
  readonly retention?: RetentionInput;
}

export interface ConfigLimits extends Limits {
  /** Between two chunks of a model's answer, ms. Default 60 s. */
  readonly modelIdleMs: number;
  /** Tokens of one reply of a model that is not listed. Default 16,384. */
  readonly outputTokens: number;
  /** So many messages one answer may fill; all of a longer one comes as a file below them. Default 5; Infinity for never. */
  readonly replyPages: number;
}

/** `largerOutputTokens`, `seesImages`, `thinking` and `caching` may be left out. */
export type ModelInput = Pick<ModelRecord, "name" | "contextWindow"> & Partial<ModelRecord>;

export interface Config {
  readonly limits: ConfigLimits;
  readonly models: readonly ModelRecord[];
  readonly access: AccessRules;
  readonly replies: ReplyRules;
  readonly goals: GoalRules;
  readonly retention: RetentionRules;
}

/** Only gives the file its type: `export default defineConfig({ ... })`. It is checked when Bobbin starts. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}

const defaultLimits: ConfigLimits = {
  ...DEFAULT_LIMITS,
  modelIdleMs: 60_000,
  outputTokens: 16_384,
  replyPages: 5,
};

/** What is assumed of a model that the configuration does not list. */
export function unlistedModel(name: string, outputTokens: number): ModelRecord {
  return {
    name,
    contextWindow: 128_000,
    outputTokens,
    largerOutputTokens: outputTokens * 2,
    seesImages: false,
    thinking: "none",
    caching: "automatic",
  };
}

const count = z.int().positive("must be above zero");
const countOrNone = z.union(
  [count, z.literal(Number.POSITIVE_INFINITY)],
  "must be a whole number above zero, or Infinity",
);
const dollars = z.number().nonnegative();

const limitsSchema = z.strictObject({
  maxTurns: count.optional(),
  runMs: count.optional(),
  modelCallMs: count.optional(),
  modelIdleMs: count.optional(),
  toolCallMs: countOrNone.optional(),
  toolResultBytes: countOrNone.optional(),
  outputTokens: count.optional(),
  replyPages: countOrNone.optional(),
});

const modelSchema = z
  .strictObject({
    name: z.string().min(1),
    contextWindow: count,
    outputTokens: count.optional(),
    largerOutputTokens: count.optional(),
    seesImages: z.boolean().optional(),
    thinking: z.enum(["none", "effort", "budget"]).optional(),
    caching: z.enum(["automatic", "breakpoints"]).optional(),
    strictAlternation: z.boolean().optional(),
    outputCapField: z.enum(["max_tokens", "max_completion_tokens"]).optional(),
    replays: z.enum(["none", "reasoning_content", "extra_content"]).optional(),
    beginsThinking: z.boolean().optional(),
    price: z
      .strictObject({
        input: dollars,
        output: dollars,
        cacheRead: dollars.optional(),
        cacheWrite: dollars.optional(),
      })
      .optional(),
  })
  .refine((model) => (model.outputTokens ?? 1) < model.contextWindow, {
    path: ["outputTokens"],
    error: "must be below contextWindow",
  })
  .refine((model) => (model.largerOutputTokens ?? Number.POSITIVE_INFINITY) >= (model.outputTokens ?? 1), {
    path: ["largerOutputTokens"],
    error: "must not be below outputTokens",
  });

const configSchema = z.strictObject({
  limits: limitsSchema.optional(),
  models: z.array(modelSchema).optional(),
  access: accessSchema.optional(),
  replies: repliesSchema.optional(),
  goals: goalsSchema.optional(),
  retention: retentionSchema.optional(),
});

export type CheckedConfig =
  | { readonly kind: "ok"; readonly config: Config }
  /** `at` is the place in the file, such as `models[0].contextWindow`. */
  | {
      readonly kind: "wrong";
      readonly problems: readonly { readonly at: string; readonly problem: string }[];
    };

/** Checks what the file exports and fills in the defaults. Reports everything that is wrong at once. */
export function checkConfig(input: unknown): CheckedConfig {
  const result = configSchema.safeParse(input);
  if (!result.success) {
    return {
      kind: "wrong",
      problems: result.error.issues.map(({ path, message }) => ({ at: placeOf(path), problem: message })),
    };
  }
  const limits = { ...defaultLimits, ...given(result.data.limits ?? {}) };
  const models = (result.data.models ?? []).map((model): ModelRecord => {
    const outputTokens =
      model.outputTokens ?? Math.min(limits.outputTokens, Math.floor(model.contextWindow / 2));
    const { price, ...rest } = given(model);
    const larger = model.largerOutputTokens ?? Math.min(outputTokens * 2, model.contextWindow - 1);
    return {
      ...unlistedModel(model.name, outputTokens),
      ...rest,
      largerOutputTokens: larger,
      ...(price ? { price: given(price) } : {}),
    };
  });
  const twice = models.find(({ name }, index) => models.findIndex((model) => model.name === name) !== index);
  if (twice) return { kind: "wrong", problems: [{ at: "models", problem: `lists ${twice.name} twice` }] };
  // What zod has checked may hold a field that is there but undefined, which counts as left out.
  const access = accessOf((result.data.access ?? {}) as AccessInput);
  const replies = repliesOf((result.data.replies ?? {}) as RepliesInput);
  const goals = goalsOf((result.data.goals ?? {}) as GoalsInput);
  const retention = retentionOf((result.data.retention ?? {}) as RetentionInput);
  return { kind: "ok", config: { limits, models, access, replies, goals, retention } };
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the fields that are there but undefined, which a spread would let win over a default. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the default export";
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index ? "." : ""}${String(step)}`))
    .join("");
}
