/** How large a body may be. */

import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";

export interface BodyLimitOptions {
  /** Bytes. */
  readonly maxSize: number;
  /** Answers what is larger. Default 413, in plain text. */
  readonly onError?: (c: Context) => Response;
}

/**
 * What says how long it is and is not too long passes at once: Node's parser reads no byte beyond that. To look at the body itself makes
 * a web stream of it, which costs as much as all the rest of a small request.
 */
export function limitBody(options: BodyLimitOptions): MiddlewareHandler {
  const counted = bodyLimit(options);
  return async function limited(c, next) {
    const length = Number(c.req.header("content-length"));
    if (length <= options.maxSize && c.req.header("transfer-encoding") === undefined) return next();
    return counted(c, next);
  };
}
