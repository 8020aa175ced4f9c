// The app as Slack knows it: its tokens, scopes and subscriptions, as they would come from its manifest.

export interface AppIdentity {
  readonly appId: string;
  readonly name: string;
  /** `xoxb-…` */
  botToken: string;
  /** `xapp-…` */
  readonly appToken: string;
  readonly signingSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Slack brings events only where it is. */
  isInstalled: boolean;
  /** Of the workspace, as people read it. */
  readonly teamName: string;
  /** The organisation of the workspace. `isWide`: the install is of all its workspaces. */
  readonly org: { readonly id: string; readonly name: string; readonly isWide: boolean } | undefined;
  readonly botUserId: string;
  readonly botId: string;
  /** Bot scopes; may be changed in the middle, as a reinstallation does. */
  readonly scopes: Set<string>;
  /** Scopes of the app-level token. */
  readonly appScopes: Set<string>;
  /** `event_subscriptions.bot_events` of the manifest. */
  readonly botEvents: Set<string>;
  readonly commands: Set<string>;
  /** Callback ids of the shortcuts. */
  readonly shortcuts: Set<string>;
  /** Declared with `agent_view`: has agent sessions, a Stop button, and threads in direct messages. */
  readonly isAgent: boolean;
  readonly hasHomeTab: boolean;
}

export interface AppOptions {
  /** Default `bobbin`. */
  readonly name?: string;
  /** Default: everything that section 13 of the platform notes asks for. */
  readonly scopes?: readonly string[];
  /** Default: everything that section 13 of the platform notes asks for. */
  readonly botEvents?: readonly string[];
  /** Default `connections:write` and `authorizations:read`. */
  readonly appScopes?: readonly string[];
  /** Default `/bobbin`, `/goal` and `/reset`. */
  readonly commands?: readonly string[];
  /** Unless given, any callback id will do. */
  readonly shortcuts?: readonly string[];
  /** Default true. */
  readonly isAgent?: boolean;
  /** Default true. */
  readonly hasHomeTab?: boolean;
}

const everyScope = [
  "app_mentions:read assistant:write channels:history channels:read chat:write commands files:read files:write",
  "groups:history groups:read im:history im:read im:write mpim:history mpim:read reactions:read reactions:write",
  "team:read users:read",
].flatMap((line) => line.split(" "));

const everyEvent = [
  "agent_session_stopped agent_session_title_changed app_context_changed app_home_opened app_mention",
  "app_uninstalled channel_rename file_shared member_joined_channel member_left_channel message.channels",
  "message.groups message.im message.mpim reaction_added reaction_removed team_join tokens_revoked",
].flatMap((line) => line.split(" "));

/** Needed besides the subscription; an event that is not here needs none. */
const scopeOfEvent: Readonly<Record<string, string>> = {
  app_mention: "app_mentions:read",
  "message.channels": "channels:history",
  "message.groups": "groups:history",
  "message.im": "im:history",
  "message.mpim": "mpim:history",
  reaction_added: "reactions:read",
  reaction_removed: "reactions:read",
  app_context_changed: "assistant:write",
  agent_session_stopped: "chat:write",
  agent_session_title_changed: "chat:write",
  file_shared: "files:read",
  team_join: "users:read",
  member_joined_channel: "channels:read",
  member_left_channel: "channels:read",
};

export function createApp(options: AppOptions, newId: (prefix: string) => string): AppIdentity {
  return {
    appId: newId("A"),
    name: options.name ?? "bobbin",
    botToken: `xoxb-${newId("1")}-${newId("2")}-local`,
    appToken: `xapp-1-${newId("A")}-${newId("3")}-local`,
    signingSecret: `5ec4e7${newId("F").toLowerCase()}`,
    clientId: "1111111111.2222222222",
    clientSecret: "c11e47" + "0a".repeat(13),
    isInstalled: true,
    teamName: "Local",
    org: undefined,
    botUserId: newId("U"),
    botId: newId("B"),
    scopes: new Set(options.scopes ?? everyScope),
    appScopes: new Set(options.appScopes ?? ["connections:write", "authorizations:read"]),
    botEvents: new Set(options.botEvents ?? everyEvent),
    commands: new Set(options.commands ?? ["/bobbin", "/goal", "/reset"]),
    shortcuts: new Set(options.shortcuts ?? []),
    isAgent: options.isAgent ?? true,
    hasHomeTab: options.hasHomeTab ?? true,
  };
}

/** The same app in another workspace: another bot, with a token of its own once it is installed there. */
export function appInTeam(
  app: AppIdentity,
  team: Pick<AppIdentity, "teamName" | "org" | "isInstalled"> & {
    readonly bot?: Pick<AppIdentity, "botUserId" | "botId"> | undefined;
  },
  newId: (prefix: string) => string,
): AppIdentity {
  const { bot, ...place } = team;
  return {
    ...app,
    ...place,
    botToken: place.isInstalled ? `xoxb-${newId("1")}-${newId("2")}-local` : "",
    botUserId: bot?.botUserId ?? newId("U"),
    botId: bot?.botId ?? newId("B"),
    scopes: new Set(app.scopes),
  };
}

/** Whether Slack sends this event to the app: subscribed to, and allowed. `message` events by their full name. */
export function hears(app: AppIdentity, eventName: string): boolean {
  const scope = scopeOfEvent[eventName];
  return app.isInstalled && app.botEvents.has(eventName) && (scope === undefined || app.scopes.has(scope));
}
