// Ids of Discord's form: the time in them decides the order, and no two are the same.
const EPOCH_MS = 1_420_070_400_000;

export type NewSnowflake = () => string;

export function createSnowflakes(nowMs: () => number): NewSnowflake {
  let last = 0n;
  return () => {
    const next = snowflakeAt(nowMs());
    last = next > last ? next : last + 1n;
    return String(last);
  };
}

/** The smallest id of that time. */
export function snowflakeAt(ms: number): bigint {
  return BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n;
}

export function timeOfSnowflake(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH_MS;
}
