/** Discord's ids: the time of making stands in them, and they sort by it. */

const EPOCH_MS = 1_420_070_400_000;
const SNOWFLAKE = /^\d{15,20}$/;

export function isSnowflake(id: string): boolean {
  return SNOWFLAKE.test(id);
}

/** When the thing was made, ms since 1970. */
export function timeOf(id: string): number {
  return isSnowflake(id) ? Number(BigInt(id) >> 22n) + EPOCH_MS : 0;
}

/** The smallest id of that time. */
export function snowflakeAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n);
}

/** Which connection of several tells of a guild. */
export function isOnShard(guild: string, [shard, count]: readonly [shard: number, count: number]): boolean {
  return Number((BigInt(guild) >> 22n) % BigInt(count)) === shard;
}

export function isAfter(id: string, other: string): boolean {
  return id.length === other.length ? id > other : id.length > other.length;
}

export function newerOf(id: string, other: string | undefined): string {
  return other === undefined || isAfter(id, other) ? id : other;
}

/** What stands just before it. */
export function previous(id: string): string {
  return timeOf(id) === 0 ? id : String(BigInt(id) - 1n);
}
