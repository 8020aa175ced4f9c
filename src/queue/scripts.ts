/** The Lua of the leases and of the pacer. Each is one step on the server, so nothing can come between the look and the act. */

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

/** ARGV[1] ms since 1970, or nothing where the server's own time counts. */
const NOW = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call("time")
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local free, binding = string.match(redis.call("get", KEYS[1]) or "0 0", "^(%d+) (%d+)$")
free = math.max(tonumber(free), now)
binding = tonumber(binding)
local function keep()
  redis.call("set", KEYS[1], string.format("%.0f %.0f", free, binding), "px", math.max(free, binding) - now + 1)
end`;

/**
 * KEYS[1] when all places are free again, and until when everything keeps to the budget. KEYS[2] the line, by rank. KEYS[3] when each
 * in it is expected at the latest.
 * ARGV[2] ms for each place, ARGV[3] places, ARGV[4] how many of them have to stay free, ARGV[5] urgency from 0, ARGV[6] 1 where that may
 * go beyond a budget that does not bind, ARGV[7] who, ARGV[8] the longest wait that is told, ARGV[9] ms of grace, ARGV[10] the
 * longest debt in ms, 0 where nobody may go beyond.
 * Result: 0 a place is taken, else how many ms to wait; then it stands in the line.
 */
export const TAKE = `${NOW}
local every, burst, who = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[7]
-- Where nothing was refused more than that cannot have been written: the clock has gone back.
local most = now + burst * every + ARGV[10]
if binding <= now and free > most then
  free = most
  keep()
end
local rank, before, known = tonumber(ARGV[5]) * 2 ^ 43 + now, 0, false
if redis.call("exists", KEYS[2]) == 1 then
  local lapsed = redis.call("zrangebyscore", KEYS[3], "-inf", string.format("(%.0f", now), "limit", 0, 100)
  if #lapsed > 0 then
    redis.call("zrem", KEYS[2], unpack(lapsed))
    redis.call("zrem", KEYS[3], unpack(lapsed))
  end
  known = redis.call("zscore", KEYS[2], who)
  if known then rank = math.min(rank, tonumber(known)) end
  before = redis.call("zcount", KEYS[2], "-inf", string.format("(%.0f", rank))
end
local wait = math.ceil(free + every * (1 + before + ARGV[4]) - now - burst * every)
if wait <= 0 or (ARGV[6] == "1" and binding <= now) then
  free = math.max(free, math.min(free + every, now + burst * every + ARGV[10]))
  keep()
  if known then
    redis.call("zrem", KEYS[2], who)
    redis.call("zrem", KEYS[3], who)
  end
  return 0
end
wait = math.min(wait, tonumber(ARGV[8]))
local due = wait + ARGV[9]
redis.call("zadd", KEYS[2], string.format("%.0f", rank), who)
redis.call("zadd", KEYS[3], string.format("%.0f", now + due), who)
for at = 2, 3 do
  if redis.call("pttl", KEYS[at]) < due then redis.call("pexpire", KEYS[at], string.format("%.0f", due)) end
end
return wait`;

/** The same keys; ARGV[2] ms for each place, ARGV[3] places, ARGV[4] for how many ms none is to be had, ARGV[5] ms that the budget binds after it. */
export const HOLD = `${NOW}
local opens = now + ARGV[4]
-- What was written beyond the budget is forgotten: the platform has said itself how long it wants nothing.
if binding <= now then free = math.min(free, now + ARGV[3] * ARGV[2]) end
free = math.max(free, opens + (ARGV[3] - 1) * ARGV[2])
binding = math.max(binding, opens + ARGV[5])
keep()
return 0`;
