// Slack at the network edge: a real HTTP and WebSocket server that speaks the Web API, socket mode and signed requests to the real
// SDKs, as strict as Slack. Its state is what a person would see. It shares no code with the product.
import { AgentSessions, type AgentSession } from "./agent-sessions.ts";
import { appInTeam, createApp, type AppIdentity, type AppOptions } from "./app-identity.ts";
import { Complaints, type ComplaintOptions } from "./complaints.ts";
import { Delivery, type DeliveryOptions } from "./delivery.ts";
import { EventSource } from "./event-source.ts";
import { Faults, type Fault, type FaultOptions } from "./faults.ts";
import { FileStore, type FileOptions, type StoredFile } from "./file-store.ts";
import type { Channel, JsonObject, MessageRef, Profile } from "./message.ts";
import { OAuth } from "./oauth.ts";
import { OpenId } from "./openid.ts";
import { createPerson, createWriter, type Person, type Writer } from "./person.ts";
import type { Platform } from "./platform.ts";
import { RateLimits, type RateLimitOptions } from "./rate-limits.ts";
import { ResponseUrls } from "./response-urls.ts";
import {
  everSeen,
  seenThread,
  seenTop,
  type LookOptions,
  type PastMessage,
  type SeenMessage,
} from "./seen.ts";
import { SignedHttp, type RequestUrls } from "./signed-http.ts";
import { SocketMode, type SocketOptions } from "./socket-mode.ts";
import { listen, serve } from "./server.ts";
import { Teams } from "./teams.ts";
import { Views } from "./views.ts";
import { WebApi, type CallRecord } from "./web-api.ts";
import { createIdSource, createTsSource, Workspace } from "./workspace.ts";

export interface LocalSlackOptions extends AppOptions, DeliveryOptions, SocketOptions {
  readonly complaints?: ComplaintOptions;
  /** Answers 429 as Slack does. Without it no call is limited unless a fault is ordered; haste is still complained about. */
  readonly rateLimits?: RateLimitOptions;
  /**
   * What comes of a stream below a root that was deleted, which nobody has seen yet: it is refused, or begins in the channel itself as a
   * post does. Default `refused`.
   */
  readonly streamBelowDeleted?: Platform["streamBelowDeleted"];
  /** Milliseconds since 1970; what ts, triggers and signatures are made from. Default the system's clock. */
  readonly nowMs?: () => number;
  /** Default 127.0.0.1, any free port. */
  readonly port?: number;
}

export interface PersonOptions {
  /** Default `member`. */
  readonly role?: Profile["role"];
  /** Default the app's workspace; another one for people of another company. */
  readonly teamId?: string;
  readonly realName?: string;
}

export interface ChannelOptions {
  /** Default `public`. */
  readonly kind?: "public" | "private";
  /** Default true. */
  readonly hasBot?: boolean;
  /** Besides the bot. Default everybody who is known now and everybody who is made later. */
  readonly members?: readonly { readonly id: string }[];
  /** Slack Connect. Default false. */
  readonly isShared?: boolean;
}

/** A workspace as the people in it see it. */
export interface LocalTeam {
  /** Tokens, ids, scopes. */
  readonly app: AppIdentity;
  readonly teamId: string;
  /** `<@U…>` of the bot. */
  readonly botMention: string;

  person(name: string, options?: PersonOptions): Person;
  /** Their account is taken away; what they said stays. */
  deactivate(person: { readonly id: string }): void;
  /** Another bot. `say` with the subtype `bot_message` speaks the old way. */
  otherBot(name: string): Writer;
  /** The same one for the same name. */
  channel(name: string, options?: ChannelOptions): Channel;
  groupDm(...people: readonly { readonly id: string }[]): Channel;
  /** Of all conversations so far. */
  channelIds(): readonly string[];
  archive(channel: Channel): void;
  /** The bot comes in or is taken out; events say so. */
  invite(channel: Channel): void;
  kick(channel: Channel): void;
  file(
    by: { readonly id: string },
    name: string,
    content: string | Buffer,
    options?: FileOptions,
  ): StoredFile;
  textOf(file: string): string | undefined;
  /** A preview appears below a message, which comes as an edit with the same text. */
  unfurl(message: MessageRef, url: string): void;
  /** An administrator or a rule takes a message away. */
  remove(message: MessageRef): void;

  thread(
    channel: Channel | string,
    root: string | { readonly root: string },
    look?: LookOptions,
  ): SeenMessage[];
  channelTop(channel: Channel | string, look?: LookOptions): SeenMessage[];
  /** What the bot says outside of threads, wherever. */
  botOutsideOfThreads(): SeenMessage[];
  /** Every message that was ever posted there, deleted ones too, with all its versions and their times. */
  ever(channel: Channel | string): PastMessage[];
  /** The line below a thread: a session's status or free text; empty for none, and where the thread is gone. */
  statusLine(channel: Channel | string, root: string | { readonly root: string }): string;
  /** How the thread stands in the list of agent sessions. */
  sessionShown(channel: Channel | string, root: string | { readonly root: string }): AgentSession | undefined;
  /** All lines so far, an empty one for each time that it went away. */
  statusHistory(channel: Channel | string, root: string | { readonly root: string }): readonly string[];
  /** Sends any event at all; the name is the subscription's. */
  emit(name: string, event: JsonObject, channel?: Channel): void;
}

export interface TeamOptions {
  /** The app is not there yet. Default false. */
  readonly isEmpty?: boolean;
  /** Id of the organisation to which the workspace belongs. */
  readonly org?: string;
  /** Of the same organisation: in all its workspaces the bot is one. */
  readonly botOf?: LocalTeam;
}

export interface LocalSlack extends LocalTeam, AsyncDisposable {
  /** Ends with a slash. */
  readonly slackApiUrl: string;
  readonly origin: string;
  /** Another workspace with the same app. */
  team(teamId: string, options?: TeamOptions): LocalTeam;
  readonly oauth: OAuth;
  /** Sign in with Slack. */
  readonly openId: OpenId;
  /** Somebody removes the app from the workspace. Slack says so, unless `quietly`. */
  uninstall(team: LocalTeam, how?: "quietly"): void;
  /** Slack takes the workspace's token no more, and says so, unless `quietly`. */
  revoke(team: LocalTeam, how?: "quietly"): void;

  /** All calls of the Web API, in the order in which they came. */
  readonly calls: readonly CallRecord[];
  callsOf(method: string): readonly CallRecord[];
  readonly complaints: readonly string[];
  /** The bot may ping these without complaint. */
  allowMention(...ids: readonly string[]): void;

  /** The next call of the method (or the next ones) goes wrong; `*` is any method. */
  fault(method: string, fault: Fault, options?: FaultOptions): void;
  /** Ordered faults that no call has met. */
  readonly unusedFaults: number;
  clearFaults(): void;

  /** Holding, losing, repeating and retrying of events. */
  readonly delivery: Delivery;
  readonly sockets: SocketMode;
  /** Signed requests, right and wrong ones. */
  readonly http: SignedHttp;
  /** From now on everything goes to this address instead of the sockets; nothing brings the sockets back. */
  useHttp(requestUrl: string | RequestUrls | undefined): void;
  close(): Promise<void>;
}

export async function createLocalSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const nowMs = options.nowMs ?? Date.now;
  const { server, origin } = await listen(options.port ?? 0);
  const newId = createIdSource();
  const nextTs = createTsSource(nowMs);
  const app = createApp(options, newId);
  const complaints = new Complaints(options.complaints);
  const sockets = new SocketMode(app, options);
  const http = new SignedHttp(app.signingSecret, nowMs, options.ackTimeoutMs ?? 3000);
  const delivery = new Delivery(() => (http.urls ? http : sockets), options);
  const teams = new Teams();
  const oauth = new OAuth(teams, newId);
  const openId = new OpenId(teams, oauth.redirectUrls, newId, nowMs);
  const platformOf = (teamId: string, identity: AppIdentity): Platform => {
    const workspace = new Workspace(teamId, nextTs, newId);
    const author = { user: identity.botUserId, botId: identity.botId, appId: identity.appId };
    return {
      app: identity,
      workspace,
      complaints,
      events: new EventSource(identity, workspace, delivery, nowMs),
      sessions: new AgentSessions(),
      views: new Views(newId, nowMs),
      files: new FileStore(newId, () => origin),
      responseUrls: new ResponseUrls(workspace, complaints, author, () => origin, nowMs),
      oauth,
      openId,
      openConnection: () => `${origin.replace("http:", "ws:")}${sockets.newTicket()}`,
      streamBelowDeleted: options.streamBelowDeleted ?? "refused",
      longestPage: options.rateLimits?.distribution === "distributed" ? 15 : 1000,
      nowMs,
      origin,
    };
  };
  const faults = new Faults();
  const limits = new Map<string, RateLimits>();
  const limitsOf = (owner: string): RateLimits | undefined => {
    if (!options.rateLimits) return undefined;
    const own = limits.get(owner) ?? new RateLimits(options.rateLimits, nowMs);
    limits.set(owner, own);
    return own;
  };
  const api = new WebApi(teams, faults, limitsOf);
  const failures: unknown[] = [];
  server.on("request", (request, response) => {
    serve({ teams, api, openId }, request, response).catch((error: unknown) => {
      failures.push(error);
      response.destroy();
    });
  });
  server.on("upgrade", (request, socket, head) => sockets.accept(request, socket, head));

  const first = teamOn(teams, platformOf("T0LOCALTEAM", app), delivery);
  const platformIn = ({ teamId }: LocalTeam): Platform => {
    const found = teams.all.find(({ workspace }) => workspace.teamId === teamId);
    if (!found) throw new Error(`there is no workspace ${teamId}`);
    return found;
  };
  const slack: LocalSlack = {
    ...first,
    slackApiUrl: `${origin}/api/`,
    origin,
    team(teamId, { isEmpty = false, org, botOf } = {}) {
      const place = {
        teamName: `Team ${teamId}`,
        isInstalled: !isEmpty,
        bot: botOf?.app,
        org: org === undefined ? undefined : { id: org, name: `Org ${org}`, isWide: false },
      };
      return teamOn(teams, platformOf(teamId, appInTeam(app, place, newId)), delivery);
    },
    oauth,
    openId,
    uninstall(team, how) {
      const platform = platformIn(team);
      if (how === undefined) return oauth.remove(platform);
      teams.end(platform.app.botToken, "inactive");
      platform.app.isInstalled = false;
    },
    revoke(team, how) {
      const platform = platformIn(team);
      if (how === undefined) oauth.ended(platform, "tokens_revoked");
      teams.end(platform.app.botToken, "revoked");
    },
    calls: api.calls,
    callsOf: (method) => api.calls.filter((call) => call.method === method),
    complaints: complaints.list,
    allowMention: (...ids) => ids.forEach((id) => complaints.allowedMentions.add(id)),
    fault: (method, fault, faultOptions) => faults.add(method, fault, faultOptions),
    get unusedFaults() {
      return faults.unused;
    },
    clearFaults: () => faults.clear(),
    delivery,
    sockets,
    http,
    useHttp(requestUrl) {
      http.urls =
        typeof requestUrl === "string"
          ? { events: requestUrl, interactivity: requestUrl, commands: requestUrl }
          : requestUrl;
    },
    async close() {
      delivery.close();
      await sockets.close();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      if (failures.length > 0) throw new AggregateError(failures, "the local Slack failed");
    },
    [Symbol.asyncDispose]: () => slack.close(),
  };
  return slack;
}

/** The workspace as people see it; it is one of the server's from now on. */
function teamOn(teams: Teams, platform: Platform, delivery: Delivery): LocalTeam {
  const { app, workspace } = platform;
  const newId = (prefix: string): string => workspace.newId(prefix);
  teams.add(platform);
  const { teamId } = workspace;
  const add = (
    name: string,
    kind: Profile["kind"],
    { role = "member", ...rest }: PersonOptions,
    id?: string,
  ) => workspace.addProfile({ name, kind, role, teamId, realName: name, ...rest, ...(id && { id }) });
  add(app.name, "bot", {}, app.botUserId);
  add("slackbot", "system", {}, "USLACKBOT");
  const everybodys = new Set<Channel>();
  const rootOf = (root: string | { readonly root: string }): string =>
    typeof root === "string" ? root : root.root;
  const membership = (channel: Channel, kind: "joined" | "left"): void => {
    const event = { type: `member_${kind}_channel`, user: app.botUserId, channel: channel.id, team: teamId };
    platform.events.emit(`member_${kind}_channel`, event, channel);
  };

  return {
    app,
    teamId,
    botMention: `<@${app.botUserId}>`,
    person(name, personOptions = {}) {
      const profile = add(name, "person", personOptions);
      for (const channel of everybodys) if (profile.teamId === teamId) channel.members.add(profile.id);
      return createPerson(profile, platform, delivery);
    },
    deactivate: ({ id }) => workspace.deactivate(id),
    otherBot(name) {
      const profile = add(name, "bot", {});
      for (const channel of everybodys) channel.members.add(profile.id);
      return createWriter(profile, platform, { botId: newId("B"), appId: newId("A") });
    },
    channel(name, { kind = "public", hasBot = true, members, isShared = false } = {}) {
      const known = [...workspace.channels.values()].find((one) => one.name === name);
      if (known) return known;
      const profiles = [...workspace.profiles.values()].filter(
        (one) => one.teamId === teamId && one.id !== app.botUserId && one.kind !== "system",
      );
      const ids = (members ?? profiles).map(({ id }) => id);
      const channel = workspace.addChannel(name, kind, hasBot ? [app.botUserId, ...ids] : ids, isShared);
      if (members === undefined) everybodys.add(channel);
      return channel;
    },
    groupDm: (...people) => workspace.direct([app.botUserId, ...people.map(({ id }) => id)]),
    channelIds: () => [...workspace.channels.keys()],
    archive: (channel) => void (channel.isArchived = true),
    invite(channel) {
      channel.members.add(app.botUserId);
      membership(channel, "joined");
    },
    kick(channel) {
      channel.members.delete(app.botUserId);
      membership(channel, "left");
    },
    textOf: (file) => platform.files.find(file)?.content.toString(),
    file: (by, name, content, fileOptions) => platform.files.add(by.id, name, content, fileOptions),
    unfurl(ref, url) {
      const message = workspace.find(ref.channel, ref.ts);
      if (!message || message.state !== "shown") throw new Error(`the message ${ref.ts} is not there`);
      const preview = { from_url: url, original_url: url, title: "A page", text: "What it says", id: 1 };
      const before = workspace.change(message, { attachments: [...(message.attachments ?? []), preview] });
      platform.events.changed(workspace.channelFor(ref.channel), message, before);
    },
    remove(ref) {
      const message = workspace.find(ref.channel, ref.ts);
      if (!message || message.state !== "shown") throw new Error(`the message ${ref.ts} is not there`);
      platform.events.deleted(workspace.channelFor(ref.channel), message, workspace.remove(message));
    },
    thread: (channel, root, look = {}) =>
      seenThread(workspace, workspace.channelFor(channel), rootOf(root), look),
    channelTop: (channel, look = {}) => seenTop(workspace, workspace.channelFor(channel), look),
    botOutsideOfThreads: () =>
      [...workspace.channels.values()]
        .flatMap((channel) => seenTop(workspace, channel, {}))
        .filter(({ userId }) => userId === app.botUserId),
    ever: (channel) => everSeen(workspace, workspace.channelFor(channel)),
    statusLine(where, root) {
      const { id } = workspace.channelFor(where);
      const isThere = workspace.find(id, rootOf(root))?.state !== "gone";
      return isThere ? platform.sessions.line(id, rootOf(root)) : "";
    },
    sessionShown: (channel, root) =>
      platform.sessions.session(workspace.channelFor(channel).id, rootOf(root)),
    statusHistory: (channel, root) =>
      platform.sessions.lineHistory(workspace.channelFor(channel).id, rootOf(root)),
    emit: (name, event, channel) => void platform.events.emit(name, event, channel),
  };
}
