// views.*: modals and the home tab.
import { Refusal, type ApiCall } from "./call.ts";
import type { JsonObject } from "../message.ts";
import type { Platform } from "../platform.ts";
import type { View } from "../views.ts";

export function openView(call: ApiCall, platform: Platform): JsonObject {
  return shown(platform.views.openWith(call.required("trigger_id"), viewOf(call), "open"), platform);
}

export function pushView(call: ApiCall, platform: Platform): JsonObject {
  return shown(platform.views.openWith(call.required("trigger_id"), viewOf(call), "push"), platform);
}

export function updateView(call: ApiCall, platform: Platform): JsonObject {
  const find = { id: call.optional("view_id"), externalId: call.optional("external_id") };
  return shown(platform.views.update(find, viewOf(call), call.optional("hash")), platform);
}

export function publishView(call: ApiCall, platform: Platform): JsonObject {
  if (!platform.app.hasHomeTab) throw new Refusal("not_enabled");
  const user = call.required("user_id");
  if (!platform.workspace.profiles.has(user)) throw new Refusal("user_not_found");
  return shown(platform.views.publish(user, viewOf(call), call.optional("hash")), platform);
}

/** A view as it stands in answers and interactions. */
export function viewShape(view: View, { app, workspace }: Platform): JsonObject {
  return {
    callback_id: "",
    private_metadata: "",
    state: { values: {} },
    ...view.content,
    id: view.id,
    team_id: workspace.teamId,
    hash: view.hash,
    root_view_id: view.id,
    previous_view_id: null,
    app_id: app.appId,
    app_installed_team_id: workspace.teamId,
    bot_id: app.botId,
  };
}

function shown(view: View, platform: Platform): JsonObject {
  return { view: viewShape(view, platform) };
}

function viewOf(call: ApiCall): JsonObject {
  const view = call.json("view", "invalid_arguments");
  if (typeof view !== "object" || view === null) throw new Refusal("invalid_arguments");
  return view as JsonObject;
}
