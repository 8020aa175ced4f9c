// What the parts of the local Slack share. Each part owns its own state; this only names them.
import type { ApiCall } from "./api/call.ts";
import type { AppIdentity } from "./app-identity.ts";
import type { JsonObject } from "./message.ts";
import type { Complaints } from "./complaints.ts";
import type { EventSource } from "./event-source.ts";
import type { AgentSessions } from "./agent-sessions.ts";
import type { FileStore } from "./file-store.ts";
import type { ResponseUrls } from "./response-urls.ts";
import type { Views } from "./views.ts";
import type { Workspace } from "./workspace.ts";

export interface Platform {
  readonly app: AppIdentity;
  readonly workspace: Workspace;
  readonly complaints: Complaints;
  readonly events: EventSource;
  readonly sessions: AgentSessions;
  readonly views: Views;
  readonly files: FileStore;
  readonly responseUrls: ResponseUrls;
  /** Of the app, wherever it is installed. */
  readonly oauth: {
    exchange(call: ApiCall): JsonObject;
    revoke(call: ApiCall, platform: Platform): JsonObject;
    uninstall(call: ApiCall, platform: Platform): JsonObject;
  };
  /** Sign in with Slack. */
  readonly openId: {
    exchange(call: ApiCall): JsonObject;
    userInfo(call: ApiCall): JsonObject;
  };
  /** A new address for a socket connection, good for one use. */
  readonly openConnection: () => string;
  /** The most that one page of history has, whatever is asked for. */
  readonly longestPage: number;
  /** What comes of a stream below a root that was deleted. */
  readonly streamBelowDeleted: "refused" | "stray";
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
}
