/** How it is where a team says nothing: people of the space may, everybody else may not, and platforms say who is an admin. */

import type { AccessRules } from "./rules.ts";

export const DEFAULT_ACCESS: AccessRules = {
  spaces: { deny: [] },
  channels: { deny: [] },
  users: { deny: [] },
  roles: { deny: [] },
  direct: "everyone",
  guests: "nobody",
  external: "nobody",
  /*
   * Whoever is of another company shows in the message itself on Slack, so what is not known is at most whether a colleague is a
   * guest, whom an admin has invited. To refuse all of them whenever Slack is slow to say would do more harm. Nothing that needs
   * more than that (an admin, a role, a guest's own rule) is given to them.
   */
  unknown: "everyone",
  admins: { platform: true, users: [], roles: [] },
  reviewers: { users: [], roles: [] },
  commands: {
    stop: "everyone",
    retry: "everyone",
    reset: "everyone",
    branch: "everyone",
    status: "everyone",
    queue: "everyone",
    usage: "everyone",
    details: "everyone",
    feedback: "everyone",
    /*
     * A thread is its people's: they choose among the models that the configuration lists, name it, and tell the bot to be quiet
     * in it. All of that is kept with who did it, and anyone of them can take it back.
     */
    model: "everyone",
    effort: "everyone",
    title: "everyone",
    follow: "everyone",
    mute: "everyone",
    verbosity: "everyone",
    reload: "everyone",
    // Whose goal it is, or an admin, changes it; anybody may pause it.
    goal: "everyone",
    why: "admins",
    transcript: "reviewers",
    admin: "reviewers",
    help: "everyone",
  },
  bots: { allow: [], rate: { most: 5, withinMs: 3_600_000 } },
  limits: {},
};
