/** What a platform says of a person now, for those who want to see what others wrote. */

import type { Author } from "../inbound.ts";
import type { Person } from "./sign-ins.ts";

export interface PeopleNow {
  /**
   * Undefined for somebody who is not there any more: gone, deactivated, or of a space that is not served. Rejects when the platform
   * cannot be asked: then nothing is known.
   */
  look(who: Pick<Person, "platform" | "space" | "person">): Promise<Author | undefined>;
}
