// What people say of answers, kept in memory. Every run is known.
import type { RunId } from "../../src/core/ids.ts";
import type { Feedback, FeedbackBook } from "../../src/core/ports/feedback.ts";

export function memoryFeedback(): FeedbackBook & { readonly given: readonly Feedback[] } {
  const given: Feedback[] = [];
  return {
    given,
    async give({ run = "newest" as RunId, ...rest }) {
      const place = given.findIndex((one) => one.run === run && one.person.id === rest.person.id);
      if (place === -1) given.push({ run, ...rest });
      else if ((given[place]?.at ?? 0) < rest.at) given[place] = { run, ...rest };
      return true;
    },
    ofSession: async (session) => given.filter((one) => one.session === session),
    since: async (at, limit) => given.filter((one) => one.at >= at).slice(0, limit),
  };
}
