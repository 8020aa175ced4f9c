// Discord at the network edge: a real HTTP and WebSocket server that speaks REST and the gateway to the real libraries, as strict as
// Discord. Its state is what a person would see. It shares no code with the product.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Complaints } from "./complaints.ts";
import { Faults, type Fault, type FaultOptions } from "./faults.ts";
import { Gateway, type GatewayOptions } from "./gateway.ts";
import { Interactions } from "./interactions.ts";
import { CHANNEL_TYPES, PERMISSIONS, type Channel, type Guild, type Permission } from "./model.ts";
import { AUTHORIZE_PATH, OAuth } from "./oauth.ts";
import { createPerson, type Person, type Said } from "./person.ts";
import { channelEvent, deleteEvent, guildEvent, messageEvent, type Platform } from "./platform.ts";
import { RateLimits, type RateLimitOptions } from "./rate-limits.ts";
import { readable } from "./rendering.ts";
import { RestApi, type CallRecord } from "./rest.ts";
import { seen, type SeenMessage } from "./seen.ts";
import { DiscordState } from "./state.ts";

export interface LocalDiscordOptions extends GatewayOptions {
  /** Default any free port. */
  readonly port?: number;
  readonly rateLimits?: RateLimitOptions;
  /** Where the application may be installed: 0 servers, 1 people. Default servers alone. */
  readonly installs?: readonly number[];
  /** Milliseconds since 1970; what ids are made from. Default the system's clock. */
  readonly nowMs?: () => number;
}

export interface LocalDiscord extends AsyncDisposable {
  /** For DISCORD_API_URL, and `rest.api` of the libraries. */
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly botId: string;
  /** `<@…>` of the bot. */
  readonly botMention: string;
  /** The guild that everything is in unless said. */
  readonly guild: Guild;
  /** The bot is in it from the beginning, as the gateway tells when it is entered. */
  addGuild(name: string): Guild;
  /** A time that all that was said until now lies before, and nothing that is said later, ms. */
  newMoment(): number;
  /** Whether the bot is in the guild: an admin invites it, or throws it out. */
  invite(guild: Guild): void;
  throwOut(guild: Guild): void;
  /** Discord itself cannot reach the guild, until it can again. */
  setReachable(guild: Guild, isReachable: boolean): void;
  person(
    name: string,
    options?: { readonly isModerator?: boolean; readonly roles?: readonly string[] },
  ): Person;
  otherBot(name: string): Person;
  /** The same one for the same name. */
  channel(name: string, kind?: "text" | "announcement" | "forum" | "voice", guild?: Guild): Channel;
  /** A server that the bot is not in; people who have it for themselves may bring it along. */
  strangeChannel(name: string): Channel;
  /** The bot may not do this there; in the whole guild where no channel is given. */
  forbid(permission: Permission, channel?: Channel): void;
  /** Somebody is in none of the servers any more. */
  removeMember(person: { readonly id: string }): void;
  archive(thread: string): void;
  lock(thread: string): void;
  deleteThread(thread: string): void;
  /** Discord adds the preview of a link, which comes as an update of the message. */
  unfurl(message: Said): void;
  /** A moderator takes a message away. */
  remove(message: { readonly id: string; readonly channel: string }): void;

  /** What stands in a channel or thread; nothing where there is none. */
  shown(channel: Channel | string): readonly SeenMessage[];
  /** Every message that was ever there. */
  ever(channel: Channel | string): readonly SeenMessage[];
  /** What the bot says outside of threads and direct messages. */
  botOutsideOfThreads(): readonly SeenMessage[];
  /** Whether people see that the bot types there. */
  isTyping(channel: string): boolean;
  threadNamed(id: string): Channel | undefined;
  /** Threads of a channel, or posts of a forum. */
  threadsIn(channel: Channel): readonly Channel[];
  /** What only this person sees there, answers that are still awaited as undefined. */
  whispers(channel: Channel | string, person: { readonly id: string }): readonly (string | undefined)[];

  readonly calls: readonly CallRecord[];
  callsOf(route: string): readonly CallRecord[];
  readonly complaints: readonly string[];
  /** Requests that Discord counts towards closing the door. */
  readonly invalidRequests: number;
  fault(route: string, fault: Fault, options?: FaultOptions): void;
  readonly unusedFaults: number;
  clearFaults(): void;
  readonly gateway: Gateway;
  /** People who sign in elsewhere with Discord. */
  readonly oauth: OAuth;
  /** What somebody is in one server; they are in all, and manage what moderators do, unless said. */
  standing(person: { readonly id: string }, guild: Guild, what: "manager" | "not there"): void;
  close(): Promise<void>;
}

/** What an invitation of the bot asks for. */
const INVITED = Object.keys(PERMISSIONS).filter((name) => name !== "ManageThreads") as Permission[];

export async function createLocalDiscord(options: LocalDiscordOptions = {}): Promise<LocalDiscord> {
  const { server, origin } = await listen(options.port ?? 0);
  const state = new DiscordState(options.nowMs ?? Date.now);
  const complaints = new Complaints();
  const bot = state.addProfile("Bobbin", "bot");
  const applicationId = state.newId();
  const token = "local-discord-token";
  const url = (): string => origin.replace("http:", "ws:");
  const gateway = new Gateway({ state, bot, applicationId, token, complaints, url }, options);
  const oauth = new OAuth(state, applicationId);
  const platform: Platform = {
    state,
    bot,
    oauth,
    applicationId,
    complaints,
    gateway,
    interactions: new Interactions(complaints),
    limits: new RateLimits(options.rateLimits ?? {}, options.rateLimits?.nowMs ?? (() => performance.now())),
    installs: new Set(options.installs ?? [0]),
    commands: new Map(),
    origin,
  };
  const faults = new Faults();
  const rest = new RestApi(platform, faults);
  const failures: unknown[] = [];
  server.on("request", (request, response) => {
    serve(rest, oauth, origin, request, response).catch((error: unknown) => {
      failures.push(error);
      response.destroy();
    });
  });
  server.on("upgrade", (request, socket, head) => gateway.accept(request, socket, head));
  const home = state.addGuild("Home", INVITED);
  const threadOf = (id: string): Channel => {
    const channel = state.channelFor(id);
    if (channel.thread === undefined) throw new Error(`${id} is no thread`);
    return channel;
  };
  const idOf = (channel: Channel | string): string => (typeof channel === "string" ? channel : channel.id);

  const discord: LocalDiscord = {
    apiUrl: `${origin}/api`,
    token,
    applicationId,
    botId: bot.id,
    botMention: `<@${bot.id}>`,
    guild: home,
    addGuild: (name) => state.addGuild(name, INVITED),
    newMoment: () => state.newMoment(),
    invite(guild) {
      guild.hasBot = true;
      guild.joinedAtMs = state.newMoment();
      guildEvent(platform, guild);
    },
    throwOut(guild) {
      guild.hasBot = false;
      guildEvent(platform, guild);
    },
    setReachable(guild, isReachable) {
      guild.isAway = !isReachable;
      guildEvent(platform, guild);
    },
    person: (name, personOptions = {}) =>
      createPerson(state.addProfile(name, "person", personOptions), platform),
    otherBot: (name) => createPerson(state.addProfile(name, "bot"), platform),
    channel(name, kind = "text", guild = home) {
      const known = [...state.channels.values()].find((one) => one.name === name && one.guild === guild);
      if (known !== undefined) return known;
      const channel = state.addChannel({ name, type: CHANNEL_TYPES[kind], guild });
      channelEvent(platform, "CHANNEL_CREATE", channel);
      return channel;
    },
    strangeChannel(name) {
      const elsewhere = state.addStrangeGuild(`Server of ${name}`);
      return state.addChannel({ name, type: CHANNEL_TYPES.text, guild: elsewhere });
    },
    forbid(permission, channel) {
      if (channel === undefined) home.botPermissions.delete(permission);
      else channel.denied.add(permission);
    },
    removeMember: ({ id }) => void state.left.add(id),
    archive(id) {
      const channel = threadOf(id);
      Object.assign(channel.thread!, { isArchived: true, archivedAtMs: state.nowMs() });
      channelEvent(platform, "THREAD_UPDATE", channel);
    },
    lock(id) {
      const channel = threadOf(id);
      Object.assign(channel.thread!, { isArchived: true, isLocked: true });
      channelEvent(platform, "THREAD_UPDATE", channel);
    },
    deleteThread(id) {
      const channel = threadOf(id);
      channel.isDeleted = true;
      channelEvent(platform, "THREAD_DELETE", channel);
    },
    unfurl(said) {
      const message = state.find(said.channel, said.id);
      if (message === undefined) throw new Error(`the message ${said.id} is not there`);
      message.embeds = [{ type: "link", url: "https://example.org", title: "A page" }];
      messageEvent(platform, "UPDATE", message);
    },
    remove(ref) {
      const message = state.find(ref.channel, ref.id);
      if (message === undefined || message.isDeleted) throw new Error(`the message ${ref.id} is not there`);
      state.remove(message);
      deleteEvent(platform, message);
    },
    shown: (channel) =>
      state.channels.get(idOf(channel))?.isDeleted === true
        ? []
        : state.shownIn(idOf(channel)).map((message) => seen(platform, message)),
    ever: (channel) => state.everyIn(idOf(channel)).map((message) => seen(platform, message)),
    botOutsideOfThreads: () =>
      [...state.channels.values()]
        .filter(({ type, thread }) => thread === undefined && type !== CHANNEL_TYPES.dm)
        .flatMap(({ id }) => state.shownIn(id))
        .filter(({ author }) => author === bot.id)
        .map((message) => seen(platform, message)),
    isTyping: (channel) => state.isTyping(channel, bot.id),
    threadNamed: (id) => state.channels.get(id),
    threadsIn: ({ id }) => [...state.channels.values()].filter(({ parent }) => parent === id),
    whispers: (channel, person) =>
      platform.interactions.all
        .filter((one) => one.channel === idOf(channel) && one.person === person.id)
        .flatMap(({ answers }) => answers.filter(({ isDeleted }) => !isDeleted))
        .map(({ content, cards, isPending }) =>
          isPending ? undefined : readable([content, ...cards].join("\n")),
        ),
    calls: rest.calls,
    callsOf: (route) => rest.calls.filter((call) => call.route === route),
    complaints: complaints.list,
    get invalidRequests() {
      return rest.invalid;
    },
    fault: (route, fault, faultOptions) => faults.add(route, fault, faultOptions),
    get unusedFaults() {
      return faults.unused;
    },
    clearFaults: () => faults.clear(),
    gateway,
    oauth,
    standing({ id }, guild, what) {
      (what === "manager" ? state.managers : state.absent).add(`${guild.id} ${id}`);
    },
    async close() {
      platform.interactions.close();
      await gateway.close();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      if (failures.length > 0) throw new AggregateError(failures, "the local Discord failed");
    },
    [Symbol.asyncDispose]: () => discord.close(),
  };
  return discord;
}

async function serve(
  rest: RestApi,
  oauth: OAuth,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const url = new URL(request.url ?? "/", origin);
  if (url.pathname === AUTHORIZE_PATH) {
    const { status, body } = oauth.page(url.href);
    response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(body);
    return;
  }
  await rest.serve(url, request, Buffer.concat(pieces), response);
}

async function listen(port: number): Promise<{ server: Server; origin: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
