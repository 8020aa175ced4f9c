// A door to the admin pages that says where it would lead, where nobody is to come in.
import type { Door } from "../../src/core/admin/door.ts";

export const shutDoor: Door = {
  open: ({ session }) => Promise.resolve(session === undefined ? "A door to all." : `A door to ${session}.`),
};
