// Status of the bot in a thread: agent sessions and the older free text, which share one place on the screen.

export type SessionStatus = "active" | "processing" | "suspended" | "closed";

export interface AgentSession {
  status: SessionStatus;
  title: string | undefined;
}

export class AgentSessions {
  readonly #sessions = new Map<string, AgentSession>();
  /** What stands below the thread now. */
  readonly #lines = new Map<string, string>();
  /** Everything that ever stood there, an empty string for nothing. */
  readonly #history = new Map<string, string[]>();

  session(channel: string, root: string): AgentSession | undefined {
    return this.#sessions.get(`${channel} ${root}`);
  }

  setStatus(channel: string, root: string, status: SessionStatus, title: string | undefined): AgentSession {
    const key = `${channel} ${root}`;
    // The title counts only at the beginning; Slack puts an underscore for each colon.
    const session = this.#sessions.get(key) ?? { status, title: title?.replaceAll(":", "_") };
    session.status = status;
    this.#sessions.set(key, session);
    this.setLine(channel, root, status === "processing" || status === "suspended" ? status : "");
    return session;
  }

  line(channel: string, root: string): string {
    return this.#lines.get(`${channel} ${root}`) ?? "";
  }

  lineHistory(channel: string, root: string): readonly string[] {
    return this.#history.get(`${channel} ${root}`) ?? [];
  }

  setLine(channel: string, root: string, line: string): void {
    const key = `${channel} ${root}`;
    this.#history.set(key, [...(this.#history.get(key) ?? []), line]);
    this.#lines.set(key, line);
  }

  /** A post of the app takes the free text away, and leaves a session's status. */
  clearAfterPost(channel: string, root: string): void {
    const status = this.session(channel, root)?.status;
    const line = this.line(channel, root);
    if (line !== "" && line !== status) this.setLine(channel, root, "");
  }
}
