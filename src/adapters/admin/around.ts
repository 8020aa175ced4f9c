/** What a page is told of who looks at it. */

import type { Around } from "./pages/layout.ts";
import type { AdminContext } from "./viewer.ts";

export function aroundOf(c: AdminContext): Around {
  const { who, role } = c.get("viewer");
  return { who, role, csrf: c.get("csrf") };
}
