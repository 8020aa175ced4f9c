/** Whether a Postgres is fit to be the store: asked at boot, and by `doctor`. */

import { probePostgres } from "../adapters/postgres/probe.ts";

/** What is wrong as one sentence, and what to do about it as another. */
export type PostgresCheck =
  | { readonly kind: "fit"; readonly version: string }
  /** Waiting will not help. */
  | { readonly kind: "unfit"; readonly sentence: string; readonly fix: string }
  /** It may come. */
  | { readonly kind: "unreachable"; readonly sentence: string; readonly fix: string };

/**
 * Never rejects.
 * @param called what the sentences call it.
 */
export async function checkPostgres(url: string, called = "Postgres"): Promise<PostgresCheck> {
  const probe = await probePostgres(url);
  switch (probe.kind) {
    case "silent":
      return {
        kind: "unreachable",
        sentence: `${called} does not answer. ${probe.why}`,
        fix: "Start Postgres, or correct DATABASE_URL.",
      };
    case "refuses":
      return {
        kind: "unfit",
        sentence: `${called} cannot be used. ${probe.why}`,
        fix: "Correct DATABASE_URL.",
      };
    case "answers":
      if (probe.isOldEnough) return { kind: "fit", version: probe.version };
      return {
        kind: "unfit",
        sentence: `${called} is ${probe.version}, and Bobbin needs 15 or newer.`,
        fix: "Use Postgres 15 or newer.",
      };
    default:
      return probe satisfies never;
  }
}
