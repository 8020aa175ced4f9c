// The methods that the local Slack knows, with the token and the scopes that each of them wants.
import * as agents from "./agents.ts";
import * as chat from "./chat.ts";
import * as conversations from "./conversations.ts";
import * as files from "./files.ts";
import * as people from "./people.ts";
import * as streams from "./streams.ts";
import * as views from "./views.ts";
import type { ApiCall } from "./call.ts";
import type { JsonObject } from "../message.ts";
import type { Platform } from "../platform.ts";

export interface Method {
  /** @throws {Refusal} */
  readonly run: (call: ApiCall, platform: Platform) => JsonObject;
  readonly token: "bot" | "app" | "none";
  /** One of them is enough; none: what is needed depends on the arguments, or nothing is. */
  readonly scopes: readonly string[];
}

const bot = (run: Method["run"], ...scopes: readonly string[]): Method => ({ run, token: "bot", scopes });
const app = (run: Method["run"], ...scopes: readonly string[]): Method => ({ run, token: "app", scopes });

export const methods: ReadonlyMap<string, Method> = new Map([
  ["apps.connections.open", app(people.connectionsOpen, "connections:write")],
  ["apps.event.authorizations.list", app(people.authorizationsList, "authorizations:read")],
  ["auth.test", bot(people.authTest)],
  ["auth.revoke", bot((call, platform) => platform.oauth.revoke(call, platform))],
  ["apps.uninstall", bot((call, platform) => platform.oauth.uninstall(call, platform))],
  ["oauth.v2.access", { run: (call, { oauth }) => oauth.exchange(call), token: "none", scopes: [] }],
  ["openid.connect.token", { run: (call, { openId }) => openId.exchange(call), token: "none", scopes: [] }],
  // With the token of a person, which no other method takes.
  [
    "openid.connect.userInfo",
    { run: (call, { openId }) => openId.userInfo(call), token: "none", scopes: [] },
  ],
  ["users.info", bot(people.userInfo, "users:read")],
  ["users.conversations", bot(conversations.ofUser)],
  ["users.list", bot(people.usersList, "users:read")],
  ["team.info", bot(people.teamInfo, "team:read")],
  ["bots.info", bot(people.botInfo, "users:read")],
  ["chat.postMessage", bot(chat.postMessage, "chat:write")],
  ["chat.update", bot(chat.update, "chat:write")],
  ["chat.delete", bot(chat.remove, "chat:write")],
  ["chat.startStream", bot(streams.startStream, "chat:write")],
  ["chat.appendStream", bot(streams.appendStream, "chat:write")],
  ["chat.stopStream", bot(streams.stopStream, "chat:write")],
  ["chat.postEphemeral", bot(chat.postEphemeral, "chat:write")],
  ["chat.getPermalink", bot(chat.getPermalink)],
  ["conversations.replies", bot(conversations.replies)],
  ["conversations.history", bot(conversations.history)],
  ["conversations.info", bot(conversations.info)],
  ["conversations.members", bot(conversations.members)],
  ["conversations.list", bot(conversations.list, "channels:read", "groups:read", "im:read", "mpim:read")],
  ["conversations.open", bot(conversations.open, "im:write", "mpim:write")],
  ["agents.sessions.setStatus", bot(agents.setSessionStatus, "chat:write")],
  ["agents.sessions.rename", bot(agents.renameSession, "chat:write")],
  ["assistant.threads.setStatus", bot(agents.setThreadStatus, "chat:write", "assistant:write")],
  ["assistant.threads.setTitle", bot(agents.setThreadTitle, "assistant:write")],
  ["assistant.threads.setSuggestedPrompts", bot(agents.setSuggestedPrompts, "assistant:write")],
  ["reactions.add", bot(agents.addReaction, "reactions:write")],
  ["reactions.remove", bot(agents.removeReaction, "reactions:write")],
  ["views.open", bot(views.openView)],
  ["views.push", bot(views.pushView)],
  ["views.update", bot(views.updateView)],
  ["views.publish", bot(views.publishView)],
  ["files.info", bot(files.fileInfo, "files:read")],
  ["files.getUploadURLExternal", bot(files.uploadUrl, "files:write")],
  ["files.delete", bot(files.deleteFile, "files:write")],
  ["files.completeUploadExternal", bot(files.completeUpload, "files:write")],
]);
