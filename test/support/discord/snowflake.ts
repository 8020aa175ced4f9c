// Ids of Discord's form: the time in them decides the order, and no two are the same.
const EPOCH_MS = 1_420_070_400_000;

export type NewSnowflake = () => string;

export interface Snowflakes {
  readonly newId: NewSnowflake;
  /** A time that all ids until now lie before, and none that comes later does, ms. */
  newMoment(): number;
}

export function createSnowflakes(nowMs: () => number): Snowflakes {
  let last = 0n;
  const next = (): bigint => {
    const now = snowflakeAt(nowMs());
    return now > last ? now : last + 1n;
  };
  return {
    newId() {
      last = next();
      return String(last);
    },
    newMoment() {
      const moment = timeOfSnowflake(String(next())) + 1;
      last = snowflakeAt(moment) - 1n;
      return moment;
    },
  };
}

/** The smallest id of that time. */
export function snowflakeAt(ms: number): bigint {
  return BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n;
}

export function timeOfSnowflake(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH_MS;
}
