// What a person can press or call: buttons, menus, shortcuts, commands, modals, the Stop of an agent session. Slack brings each of
// them once and never again.
import type { Delivery, Outcome } from "./delivery.ts";
import type { Sent } from "./event-source.ts";
import type { Channel, EphemeralMessage, JsonObject, MessageRef, Profile, StoredMessage } from "./message.ts";
import type { Platform } from "./platform.ts";
import { viewShape } from "./api/views.ts";
import { controlsOf } from "./rendering.ts";
import { actionOf, createModalUse, type ModalUse } from "./modal-use.ts";

export type CommandOutcome =
  | Outcome
  /** The client did not send it, and says why. */
  | { readonly kind: "refused"; readonly says: string };

export interface Interactions extends ModalUse {
  /**
   * Presses a button or picks from a menu. Throws when it is not there.
   * @param pick the value that is chosen in a menu.
   */
  click(message: MessageRef, actionId: string, pick?: string): Promise<Outcome>;
  /** A message shortcut, or a global one without a message. */
  shortcut(callbackId: string, message?: MessageRef): Promise<Outcome>;
  /** @param thread where the person types it in a thread, which Slack does not allow. */
  slash(command: string, text: string, channel: Channel | string, thread?: string): Promise<CommandOutcome>;
  /** The Stop button of the session. Throws when there is none on the screen. */
  stop(thread: { readonly channel: string; readonly root: string }): Sent;
  openHome(tab?: "home" | "messages"): Sent;
}

export function createInteractions(profile: Profile, platform: Platform, delivery: Delivery): Interactions {
  const { workspace, app, views, responseUrls, sessions, events } = platform;
  const team = { id: workspace.teamId, domain: "local" };
  const base = (type: string): JsonObject => ({
    type,
    user: { id: profile.id, username: profile.name, name: profile.name, team_id: profile.teamId },
    team,
    enterprise: app.org === undefined ? null : { id: app.org.id, name: app.org.name },
    is_enterprise_install: app.org?.isWide === true,
    api_app_id: app.appId,
    token: "not-used",
  });
  const interact = (body: JsonObject): Promise<Outcome> => delivery.send({ kind: "interactive", body });
  const visible = (ref: MessageRef): StoredMessage | EphemeralMessage => {
    const message = workspace.find(ref.channel, ref.ts);
    if (message?.state === "shown") return message;
    const whisper = workspace.ephemerals.find(
      (one) => one.ts === ref.ts && one.to === profile.id && !one.isGone,
    );
    if (!whisper) throw new Error(`${profile.name} does not see the message ${ref.ts}`);
    return whisper;
  };
  const channelShape = (channel: Channel): JsonObject => ({
    id: channel.id,
    name: channel.kind === "private" ? "privategroup" : channel.name,
  });
  const shapeOf = (message: StoredMessage | EphemeralMessage): JsonObject =>
    "to" in message
      ? { type: "message", ts: message.ts, text: message.text, app_id: app.appId }
      : events.shape(message);

  return {
    ...createModalUse(profile, platform, base, interact),

    async click(ref, actionId, pick) {
      const message = visible(ref);
      const control = controlsOf(message.blocks).find((one) => one.actionId === actionId);
      if (!control) throw new Error(`there is nothing with the action id ${actionId} to press`);
      if (
        ["static_select", "feedback_buttons"].includes(control.type) &&
        !control.options.includes(pick ?? "")
      )
        throw new Error(`the menu ${actionId} does not offer ${pick}`);
      const channel = workspace.channelFor(ref.channel);
      const isWhisper = "to" in message;
      return interact({
        ...base("block_actions"),
        trigger_id: views.newTrigger(profile.id),
        container: {
          type: "message",
          message_ts: message.ts,
          channel_id: channel.id,
          is_ephemeral: isWhisper,
          ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
        },
        channel: channelShape(channel),
        ...(isWhisper ? {} : { message: shapeOf(message) }),
        state: { values: {} },
        response_url: responseUrls.create(channel.id, profile.id, message),
        actions: [actionOf(control, pick, workspace.nextTs())],
      });
    },

    async shortcut(callbackId, ref) {
      if (app.shortcuts.size > 0 && !app.shortcuts.has(callbackId)) {
        throw new Error(`the app has no shortcut ${callbackId}`);
      }
      const trigger = { callback_id: callbackId, trigger_id: views.newTrigger(profile.id) };
      const actionTs = workspace.nextTs();
      if (!ref) return interact({ ...base("shortcut"), ...trigger, action_ts: actionTs });
      const message = visible(ref);
      const channel = workspace.channelFor(ref.channel);
      return interact({
        ...base("message_action"),
        ...trigger,
        action_ts: actionTs,
        message_ts: ref.ts,
        channel: channelShape(channel),
        message: shapeOf(message),
        response_url: responseUrls.create(channel.id, profile.id, message),
      });
    },

    async slash(command, text, where, thread) {
      const channel = workspace.channelFor(where);
      if (thread !== undefined) {
        return { kind: "refused", says: `${command} is not supported in threads. Sorry!` };
      }
      if (!app.commands.has(command)) return { kind: "refused", says: `${command} is not a valid command.` };
      const outcome = await delivery.send({
        kind: "command",
        body: {
          token: "not-used",
          team_id: workspace.teamId,
          team_domain: team.domain,
          channel_id: channel.id,
          channel_name: channel.kind === "private" ? "privategroup" : channel.name,
          user_id: profile.id,
          user_name: profile.name,
          command,
          text,
          api_app_id: app.appId,
          ...(app.org === undefined ? {} : { enterprise_id: app.org.id, enterprise_name: app.org.name }),
          is_enterprise_install: String(app.org?.isWide === true),
          response_url: responseUrls.create(channel.id, profile.id),
          trigger_id: views.newTrigger(profile.id),
        },
      });
      if (outcome.kind === "acknowledged") {
        const { answer } = outcome;
        if (typeof answer === "string" && answer !== "") {
          responseUrls.show(channel.id, profile.id, { text: answer });
        }
        const hasWords =
          typeof answer === "object" && answer !== null && ("text" in answer || "blocks" in answer);
        if (hasWords) responseUrls.show(channel.id, profile.id, answer);
      }
      return outcome;
    },

    stop({ channel, root }) {
      const session = sessions.session(channel, root);
      if (session?.status !== "processing" || !app.botEvents.has("agent_session_stopped")) {
        throw new Error("there is no Stop button: no session is processing there");
      }
      // Slack ends the streams of the thread by itself.
      const streams = workspace
        .repliesTo({ channel, ts: root })
        .filter(({ stream }) => stream?.state === "in_progress");
      for (const { stream } of streams)
        if (stream) Object.assign(stream, { state: "completed", isStoppedByUser: true });
      const event = {
        type: "agent_session_stopped",
        channel,
        user: profile.id,
        thread_ts: root,
        streaming_message_ts: streams.map(({ ts }) => ts),
      };
      return events.emit("agent_session_stopped", event, workspace.channelFor(channel));
    },

    openHome(tab = "home") {
      const channel = workspace.direct([profile.id, app.botUserId]);
      const home = views.home(profile.id);
      const event = {
        type: "app_home_opened",
        user: profile.id,
        channel: channel.id,
        tab,
        ...(tab === "home" && home !== undefined ? { view: viewShape(home, platform) } : {}),
      };
      return events.emit("app_home_opened", event, channel);
    },
  };
}
