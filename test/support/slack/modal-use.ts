// What a person does in a modal or a home tab: fill in, send, press, search, close.
import { viewShape } from "./api/views.ts";
import type { Outcome } from "./delivery.ts";
import type { JsonObject, Profile } from "./message.ts";
import { stateOf, type Entries } from "./modal-entries.ts";
import type { Platform } from "./platform.ts";
import { controlsOf, objectsIn, stringIn, type SeenControl } from "./rendering.ts";
import type { View } from "./views.ts";

export interface ModalUse {
  /** The modal on the screen. */
  modal(): JsonObject | undefined;
  /** The home tab, as the app last published it. */
  home(): JsonObject | undefined;
  /** Sends the modal. Throws when there is none, or when the client would ask for what is missing. */
  submit(entries?: Entries): Promise<Outcome>;
  /** Unset where the app did not ask to be told. */
  closeModal(): Promise<Outcome | undefined>;
  /** Presses a button or picks from a menu there. Throws when it is not there. */
  press(where: "modal" | "home", actionId: string, pick?: string): Promise<Outcome>;
  /** Types into a menu whose choices come from the app; the outcome's answer has them. */
  search(actionId: string, typed: string): Promise<Outcome>;
}

/** What the payload says of a pressed or chosen element. */
export function actionOf(control: SeenControl, pick: string | undefined, actionTs: string): JsonObject {
  const common = {
    type: control.type,
    action_id: control.actionId,
    block_id: control.blockId,
    action_ts: actionTs,
  };
  switch (control.type) {
    case "conversations_select":
      return { ...common, selected_conversation: pick };
    case "channels_select":
      return { ...common, selected_channel: pick };
    case "users_select":
      return { ...common, selected_user: pick };
    case "static_select":
    case "external_select":
    case "overflow":
    case "radio_buttons":
      return { ...common, selected_option: { text: { type: "plain_text", text: pick }, value: pick } };
    case "feedback_buttons":
      return { ...common, value: pick };
    default:
      return {
        ...common,
        text: { type: "plain_text", text: control.text },
        ...(control.value === undefined ? {} : { value: control.value }),
      };
  }
}

export function createModalUse(
  profile: Profile,
  platform: Platform,
  base: (type: string) => JsonObject,
  interact: (body: JsonObject) => Promise<Outcome>,
): ModalUse {
  const { views, workspace } = platform;
  const openModal = (): View => {
    const view = views.top(profile.id);
    if (!view) throw new Error(`${profile.name} has no modal open`);
    return view;
  };
  const controlIn = (view: View, actionId: string): SeenControl => {
    const blocks = objectsIn(view.content["blocks"]);
    const control = controlsOf(blocks).find((one) => one.actionId === actionId);
    if (!control) throw new Error(`there is nothing with the action id ${actionId} in this view`);
    return control;
  };
  return {
    modal: () => views.top(profile.id)?.content,
    home: () => views.home(profile.id)?.content,
    async submit(entries = {}) {
      const view = openModal();
      const values = stateOf(view.content, entries);
      const outcome = await interact({
        ...base("view_submission"),
        trigger_id: views.newTrigger(profile.id),
        view: { ...viewShape(view, platform), state: { values } },
        response_urls: [],
      });
      if (outcome.kind === "acknowledged") {
        showNext(platform, view, (outcome.answer ?? {}) as JsonObject);
      }
      return outcome;
    },
    async closeModal() {
      const view = openModal();
      views.close(profile.id, "top");
      if (view.content["notify_on_close"] !== true) return undefined;
      return interact({ ...base("view_closed"), view: viewShape(view, platform), is_cleared: false });
    },
    async press(where, actionId, pick) {
      const view = where === "modal" ? openModal() : views.home(profile.id);
      if (!view) throw new Error(`${profile.name} has no home tab from the app`);
      const control = controlIn(view, actionId);
      return interact({
        ...base("block_actions"),
        trigger_id: views.newTrigger(profile.id),
        container: { type: "view", view_id: view.id },
        view: viewShape(view, platform),
        actions: [actionOf(control, pick, workspace.nextTs())],
      });
    },
    async search(actionId, typed) {
      const view = openModal();
      const { blockId } = controlIn(view, actionId);
      const question = { action_id: actionId, block_id: blockId, value: typed };
      return interact({ ...base("block_suggestion"), ...question, view: viewShape(view, platform) });
    },
  };
}

/** Does what the acknowledgement of a submission asks for. */
function showNext({ views }: Platform, view: View, answer: JsonObject): void {
  const next = objectsIn([answer["view"]])[0];
  switch (stringIn(answer, "response_action")) {
    case "errors":
      break;
    case "update":
      if (next) views.update({ id: view.id }, next);
      break;
    case "push":
      if (next) views.push(view.user, next);
      break;
    case "clear":
      views.close(view.user, "all");
      break;
    default:
      views.close(view.user, "top");
  }
}
