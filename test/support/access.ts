// Access as it is where a team has said nothing, and with some rules of its own.
import { createAccess, type Access } from "../../src/core/access/access.ts";
import { DEFAULT_ACCESS } from "../../src/core/access/defaults.ts";
import type { AccessRules } from "../../src/core/access/rules.ts";

export function accessWith(rules: Partial<AccessRules> = {}): Access {
  return createAccess({ ...DEFAULT_ACCESS, ...rules });
}
