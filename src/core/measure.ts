/** How durations, tokens and money read, for people, on every surface. Pure; English; the same on every machine. */

/** What stands where a number is no number. */
const UNKNOWN = "unknown";

const SECOND = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * `850 ms`, `1.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`: at most two units, the smaller one left out where it is 0.
 * @param ms below zero (a clock that jumped) reads as `0 ms`.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return UNKNOWN;
  const whole = Math.round(Math.max(0, ms));
  if (whole < SECOND) return `${whole} ms`;
  // Rounded before the unit is chosen, so that 59.96 s is a minute and never "60 s".
  const tenths = Math.round(whole / 100) / 10;
  if (tenths < 10) return `${trimmed(tenths, 1)} s`;
  const seconds = Math.round(whole / SECOND);
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return pair(Math.floor(seconds / MINUTE), "min", seconds % MINUTE, "s");
  const minutes = Math.round(seconds / MINUTE);
  if (minutes * MINUTE < DAY) return pair(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(seconds / HOUR);
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** `0 tokens`, `1 token`, `1,234 tokens`. */
export function formatTokens(tokens: number): string {
  if (!Number.isFinite(tokens)) return UNKNOWN;
  const whole = Math.max(0, Math.round(tokens));
  return `${grouped(whole)} ${whole === 1 ? "token" : "tokens"}`;
}

/**
 * US dollars: `$0.00`, `$0.0042`, `$0.053`, `$1.20`, `$1,234.50`; `<$0.0001` for what is less but not nothing; `-$1.20` for
 * a refund.
 */
export function formatMoney(dollars: number): string {
  if (!Number.isFinite(dollars)) return UNKNOWN;
  const amount = Math.abs(dollars);
  const sign = dollars < 0 ? "-" : "";
  if (amount === 0) return "$0.00";
  if (amount < 0.0001) return `${sign}<$0.0001`;
  if (amount < 0.00995) return `${sign}$${trimmed(amount, 4)}`;
  if (amount < 0.0995) return `${sign}$${trimmed(amount, 3).padEnd(4, "0")}`;
  const floor = Math.floor(amount);
  const cents = Math.round((amount - floor) * 100);
  const [whole, rest] = cents === 100 ? [floor + 1, 0] : [floor, cents];
  return `${sign}$${grouped(whole)}.${String(rest).padStart(2, "0")}`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  const first = `${grouped(large)} ${largeUnit}`;
  return small === 0 ? first : `${first} ${small} ${smallUnit}`;
}

/** `decimals` is at least 1, so the zeros at the end are always behind the point. */
function trimmed(value: number, decimals: number): string {
  return value.toFixed(decimals).replace(/\.?0+$/, "");
}

/** Thousands by commas. BigInt, because a number from 1e21 on would be written with an exponent. */
function grouped(whole: number): string {
  return BigInt(whole)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}
