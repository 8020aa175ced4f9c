/** The Lua of the leases. Each is one step on the server, so nothing can come between the look and the act. */

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
