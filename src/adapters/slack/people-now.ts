/** What Slack says of a person in a workspace now: asked each time, since a sign-in hangs on it. */

import { BobbinError } from "../../core/errors.ts";
import type { Author } from "../../core/inbound.ts";
import type { PeopleNow } from "../../core/ports/people-now.ts";
import { authorOf } from "./author.ts";
import { fieldsOf } from "./payload.ts";
import { isWideSpace } from "./identity.ts";
import { factsIn, nameIn } from "./people.ts";
import { botOf, type SlackSpaces } from "./spaces.ts";

/** What Slack says of somebody who is nobody there. */
const NOBODY: ReadonlySet<string> = new Set(["user_not_found", "user_not_visible", "users_not_found"]);

export function createSlackPeopleNow(spaces: Pick<SlackSpaces, "at">): PeopleNow {
  return {
    async look({ space, person }): Promise<Author | undefined> {
      const at = spaces.at(space);
      const known = await at.known();
      if (known.kind === "gone") return undefined;
      const answer = await at.api.call("users.info", { user: person });
      if (answer.kind === "refused" && NOBODY.has(answer.code)) return undefined;
      if (answer.kind !== "ok") {
        const sentence = `Slack does not say who ${person} is: ${answer.kind}`;
        throw new BobbinError("platform_unavailable", sentence, { retryable: true });
      }
      const said = fieldsOf(answer.data["user"]);
      if (said["deleted"] === true) return undefined;
      const facts = factsIn(said, isWideSpace(space));
      const name = nameIn(said);
      return authorOf(person, { bot: botOf(known), nameOf: () => name, factsOf: () => facts });
    },
  };
}
