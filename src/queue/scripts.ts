/** The Lua of the leases and of the pace. Each is one step on the server, so nothing can come between the look and the act. */

/**
 * KEYS[1] lease, ARGV[1] token, ARGV[2] time to live in ms.
 * Result: 1 renewed, 0 not ours any more.
 */
export const RENEW = `
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("pexpire", KEYS[1], ARGV[2])
end
return 0`;

/**
 * KEYS[1] lease, ARGV[1] token.
 * Result: 1 released, 0 it was not ours and stays as it is.
 */
export const RELEASE = `
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
end
return 0`;

const NOW = `
local time = redis.call("time")
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * KEYS[1] when all places are free again, ARGV[1] ms for each place, ARGV[2] places.
 * Result: 0 a place is taken, else how many ms to wait for one.
 */
export const TAKE = `${NOW}
local free = math.max(tonumber(redis.call("get", KEYS[1]) or "0"), now) + ARGV[1]
local wait = free - now - ARGV[1] * ARGV[2]
if wait > 0 then return wait end
redis.call("set", KEYS[1], string.format("%.0f", free), "px", free - now)
return 0`;

/** The same, and ARGV[3] for how many ms no place is to be had. */
export const HOLD = `${NOW}
local free = now + ARGV[3] + (ARGV[2] - 1) * ARGV[1]
free = math.max(tonumber(redis.call("get", KEYS[1]) or "0"), free)
redis.call("set", KEYS[1], string.format("%.0f", free), "px", free - now)
return 0`;
