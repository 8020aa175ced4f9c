// auth.*, users.*, team.*, bots.*, apps.*: who is who.
import { Refusal, type ApiCall } from "./call.ts";
import type { JsonObject, Profile } from "../message.ts";
import type { Platform } from "../platform.ts";

export function authTest(_: ApiCall, { app, workspace, origin }: Platform): JsonObject {
  return {
    url: `${origin}/`,
    team: app.teamName,
    user: app.name,
    team_id: workspace.teamId,
    user_id: app.botUserId,
    bot_id: app.botId,
    ...(app.org === undefined ? {} : { enterprise_id: app.org.id }),
    is_enterprise_install: app.org?.isWide === true,
  };
}

export function connectionsOpen(_: ApiCall, platform: Platform): JsonObject {
  return { url: platform.openConnection() };
}

export function authorizationsList(call: ApiCall, { app, workspace }: Platform): JsonObject {
  if (call.optional("event_context") === undefined) throw new Refusal("invalid_event_context");
  const one = { team_id: workspace.teamId, user_id: app.botUserId, is_bot: true };
  return { authorizations: [{ enterprise_id: null, ...one, is_enterprise_install: false }] };
}

export function userInfo(call: ApiCall, { workspace }: Platform): JsonObject {
  const profile = workspace.profiles.get(call.required("user", "user_not_found"));
  if (!profile) throw new Refusal("user_not_found");
  return { user: userShape(profile, workspace.teamId) };
}

export function usersList(_: ApiCall, { workspace }: Platform): JsonObject {
  const members = [...workspace.profiles.values()].map((profile) => userShape(profile, workspace.teamId));
  return { members, response_metadata: { next_cursor: "" } };
}

export function teamInfo(_: ApiCall, { app, workspace }: Platform): JsonObject {
  return { team: { id: workspace.teamId, name: app.teamName, domain: "local" } };
}

export function botInfo(call: ApiCall, { app }: Platform): JsonObject {
  if (call.required("bot") !== app.botId) throw new Refusal("bot_not_found");
  return {
    bot: { id: app.botId, deleted: false, name: app.name, app_id: app.appId, user_id: app.botUserId },
  };
}

function userShape(profile: Profile, teamId: string): JsonObject {
  const { role } = profile;
  const isGuest = role === "guest" || role === "single-channel guest";
  return {
    id: profile.id,
    team_id: profile.teamId,
    name: profile.name,
    real_name: profile.realName,
    deleted: profile.isDeactivated === true,
    tz: "Europe/Berlin",
    profile: { display_name: profile.name, real_name: profile.realName },
    is_bot: profile.kind === "bot",
    is_admin: role === "admin" || role === "owner",
    is_owner: role === "owner",
    is_primary_owner: false,
    is_restricted: isGuest,
    is_ultra_restricted: role === "single-channel guest",
    ...(profile.teamId === teamId ? {} : { is_stranger: true }),
  };
}
