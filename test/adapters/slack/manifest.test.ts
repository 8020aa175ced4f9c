// The manifest against the code: what it asks for is what is read and called, and nothing more; and Slack's rules of its form.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { INSTALL_EVENTS } from "../../../src/adapters/slack/deliveries.ts";
import { SHORTCUTS, SLASH_COMMANDS } from "../../../src/adapters/slack/interaction.ts";
import { EVENTS } from "../../../src/adapters/slack/parse.ts";
import { fieldsOf, listOf, textOf, type Payload } from "../../../src/adapters/slack/payload.ts";
import { COMMAND_NAMES } from "../../../src/core/command/table.ts";
import {
  SCOPES,
  SCOPES_OF_EVENTS,
  SCOPES_OF_FEATURES,
  SCOPES_OF_METHODS,
} from "../../../src/adapters/slack/scopes.ts";

const root = join(import.meta.dirname, "../../..");
const manifest = fieldsOf(parse(readFileSync(join(root, "manifest.yml"), "utf8")));

function at(...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => fieldsOf(value)[name], manifest);
}
const textsAt = (...path: readonly string[]): readonly string[] => listOf(at(...path)).map(String);
const shortcuts = listOf(at("features", "shortcuts")).map(fieldsOf);
const commands = listOf(at("features", "slash_commands")).map(fieldsOf);
const events = textsAt("settings", "event_subscriptions", "bot_events");
const scopes = textsAt("oauth_config", "scopes", "bot");
const sorted = (values: Iterable<unknown>): readonly string[] => [...values].map(String).sort();

/** Names of methods as they stand in the code. */
function methodsCalled(): ReadonlySet<string> {
  const folder = join(root, "src/adapters/slack");
  const sources = readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && file !== "scopes.ts" && file !== "api.ts")
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, ""));
  const families =
    /"((?:agents|apps|assistant|auth|bots|chat|conversations|files|reactions|team|users|views)\.[A-Za-z.]+)"/g;
  return new Set(sources.flatMap((source) => [...source.matchAll(families)].map(([, name]) => name ?? "")));
}

test("the events are those that the code reads, messages in every kind of place", () => {
  const read = [...EVENTS, ...INSTALL_EVENTS].flatMap((event) =>
    event === "message" ? ["channels", "groups", "im", "mpim"].map((kind) => `message.${kind}`) : [event],
  );
  expect(sorted(events)).toEqual(sorted(read));
  expect(sorted(events)).toEqual(sorted(Object.keys(SCOPES_OF_EVENTS)));
});

test("the commands and shortcuts are those that the code takes", () => {
  expect(sorted(commands.map(({ command }) => command))).toEqual(sorted(SLASH_COMMANDS));
  expect(sorted(shortcuts.map(({ callback_id: id }) => id))).toEqual(sorted(Object.keys(SHORTCUTS)));
  expect(shortcuts.every(({ type }) => type === "message")).toBe(true);
  const hint = commands.find(({ command }) => command === "/bobbin")?.["usage_hint"];
  expect((textOf(hint) ?? "").split(" | ")).toEqual(COMMAND_NAMES);
});

test("every method that is called is known with its scopes", () => {
  expect(sorted(methodsCalled())).toEqual(sorted(Object.keys(SCOPES_OF_METHODS)));
});

test("the scopes are those that the events, the methods and the features need, each with its reason, and no more", () => {
  const features = Object.keys(fieldsOf(at("features"))).flatMap((name) => SCOPES_OF_FEATURES[name] ?? []);
  const methods = [...methodsCalled()].flatMap((name) => SCOPES_OF_METHODS[name] ?? []);
  const needed = new Set([
    ...events.flatMap((event) => SCOPES_OF_EVENTS[event] ?? []),
    ...methods,
    ...features,
  ]);
  expect(sorted(scopes)).toEqual(sorted(needed));
  expect(sorted(scopes)).toEqual(sorted(Object.keys(SCOPES)));
});

/** Keys that Slack's schema knows; it takes no others. */
const known: Readonly<Record<string, readonly string[]>> = {
  "": ["_metadata", "display_information", "features", "oauth_config", "settings"],
  _metadata: ["major_version", "minor_version"],
  display_information: ["name", "description", "long_description", "background_color"],
  features: ["agent_view", "app_home", "bot_user", "shortcuts", "slash_commands", "unfurl_domains"],
  "features.agent_view": ["agent_description", "suggested_prompts", "actions"],
  "features.app_home": ["home_tab_enabled", "messages_tab_enabled", "messages_tab_read_only_enabled"],
  "features.bot_user": ["display_name", "always_online"],
  oauth_config: ["redirect_urls", "scopes", "pkce_enabled", "token_management_enabled"],
  "oauth_config.scopes": ["bot", "bot_optional", "user", "user_optional"],
  settings: [
    "allowed_ip_address_ranges",
    "event_subscriptions",
    "interactivity",
    "org_deploy_enabled",
    "socket_mode_enabled",
    "token_rotation_enabled",
  ],
  "settings.event_subscriptions": ["request_url", "bot_events", "user_events"],
  "settings.interactivity": ["is_enabled", "request_url", "message_menu_options_url"],
};

test("there is no key that Slack does not know", () => {
  for (const [path, keys] of Object.entries(known)) {
    const found = Object.keys(fieldsOf(path === "" ? manifest : at(...path.split("."))));
    expect([path, found.filter((key) => !keys.includes(key))]).toEqual([path, []]);
  }
  const keysOf = (items: readonly Payload[]): readonly string[] => [...new Set(items.flatMap(Object.keys))];
  const ofShortcut = ["name", "type", "callback_id", "description"];
  const ofCommand = ["command", "url", "description", "usage_hint", "should_escape"];
  expect(keysOf(shortcuts).filter((key) => !ofShortcut.includes(key))).toEqual([]);
  expect(keysOf(commands).filter((key) => !ofCommand.includes(key))).toEqual([]);
});

test("everything is within Slack's limits", () => {
  const length = (...path: readonly string[]): number => (textOf(at(...path)) ?? "").length;
  const within = (value: number, most: number): void => {
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThanOrEqual(most);
  };
  within(length("display_information", "name"), 35);
  within(length("display_information", "description"), 140);
  within(length("features", "bot_user", "display_name"), 80);
  within(length("features", "agent_view", "agent_description"), 300);
  within(listOf(at("features", "agent_view", "suggested_prompts")).length, 4);
  within(events.length, 100);
  within(scopes.length, 255);
  within(shortcuts.length, 10);
  within(commands.length, 50);
  for (const { name, description, callback_id: id } of shortcuts) {
    within(String(name).length, 24);
    within(String(description).length, 150);
    within(String(id).length, 255);
  }
  for (const { command, description, usage_hint: hint } of commands) {
    expect((textOf(hint) ?? "").length).toBeLessThanOrEqual(1_000);
    expect(command).toMatch(/^\/[a-z_-]{1,31}$/);
    within(String(description).length, 2_000);
  }
  expect(at("display_information", "background_color")).toMatch(/^#[0-9a-f]{6}$/);
});

test("pitfall 20: over a socket no address is named, clicks are switched on, and tokens do not rotate", () => {
  expect(at("settings", "socket_mode_enabled")).toBe(true);
  expect(at("settings", "interactivity")).toEqual({ is_enabled: true });
  expect(at("settings", "event_subscriptions", "request_url")).toBe(undefined);
  expect(commands.every(({ url }) => url === undefined)).toBe(true);
  expect(at("settings", "token_rotation_enabled")).toBe(false);
  expect(at("features", "app_home", "messages_tab_enabled")).toBe(true);
  expect(at("features", "app_home", "messages_tab_read_only_enabled")).toBe(false);
});
