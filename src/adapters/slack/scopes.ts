/**
 * What the app has to be allowed, and why: the manifest asks for the same, and `doctor` compares it with what Slack gave. A
 * test holds it against the methods that are called and the events that are read.
 */

/** Each scope with what is missing without it, as it reads after "Bobbin". */
export const SCOPES: Readonly<Record<string, string>> = {
  "app_mentions:read": "does not hear when it is mentioned",
  "assistant:write": "is not shown as an agent",
  "channels:history": "cannot read along in its threads in public channels",
  "channels:read": "cannot show people their threads in public channels",
  "chat:write": "cannot answer",
  commands: "has no slash commands and shortcuts",
  "files:write": "sends a very long answer as many messages and not as a file",
  "groups:history": "cannot read along in its threads in private channels",
  "groups:read": "cannot show people their threads in private channels",
  "im:history": "cannot read direct messages",
  "mpim:history": "cannot read along in its threads in group messages",
  "mpim:read": "cannot show people their threads in group messages",
  "reactions:read": "does not hear reactions, for which a goal may wait and which admins see",
  "users:read": "does not know the names of people",
};

/** Scopes that a method of the Web API needs; any one of them does. */
export const SCOPES_OF_METHODS: Readonly<Record<string, readonly string[]>> = {
  "agents.sessions.rename": ["chat:write"],
  "agents.sessions.setStatus": ["chat:write"],
  "apps.connections.open": [],
  "assistant.threads.setStatus": ["chat:write"],
  "assistant.threads.setTitle": ["assistant:write"],
  "auth.revoke": [],
  "auth.test": [],
  "chat.appendStream": ["chat:write"],
  "chat.delete": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.postMessage": ["chat:write"],
  "chat.startStream": ["chat:write"],
  "chat.stopStream": ["chat:write"],
  "chat.update": ["chat:write"],
  "conversations.history": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "conversations.info": ["channels:read", "groups:read", "mpim:read"],
  "conversations.replies": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "files.completeUploadExternal": ["files:write"],
  "files.delete": ["files:write"],
  "files.getUploadURLExternal": ["files:write"],
  "users.conversations": ["channels:read", "groups:read", "mpim:read"],
  "users.info": ["users:read"],
  "views.open": [],
  "views.publish": [],
};

/** Scopes that come with a feature of the manifest. */
export const SCOPES_OF_FEATURES: Readonly<Record<string, string>> = {
  agent_view: "assistant:write",
  shortcuts: "commands",
  slash_commands: "commands",
};

/** Subscriptions of the manifest with the scope that each needs, if any. */
export const SCOPES_OF_EVENTS: Readonly<Record<string, string | undefined>> = {
  agent_session_stopped: "chat:write",
  app_home_opened: undefined,
  app_mention: "app_mentions:read",
  app_uninstalled: undefined,
  "message.channels": "channels:history",
  "message.groups": "groups:history",
  "message.im": "im:history",
  "message.mpim": "mpim:history",
  reaction_added: "reactions:read",
  reaction_removed: "reactions:read",
  tokens_revoked: undefined,
};
