// files.*: looking at files and sending them.
import { Refusal, type ApiCall } from "./call.ts";
import { writableChannel } from "./reach.ts";
import type { JsonObject } from "../message.ts";
import type { Platform } from "../platform.ts";
import { objectsIn, stringIn } from "../rendering.ts";
import { storedText } from "../wire-text.ts";

const LONGEST_ALT = 1_000;

export function fileInfo(call: ApiCall, { files }: Platform): JsonObject {
  const file = files.find(call.required("file", "file_not_found"));
  if (!file) throw new Refusal("file_not_found");
  return { file: { ...files.shape(file), channels: [...file.channels] } };
}

export function uploadUrl(call: ApiCall, { files }: Platform): JsonObject {
  const length = call.integer("length", 0);
  if (length < 1) throw new Refusal("invalid_arguments", { field: "length" });
  const alt = call.optional("alt_txt");
  if (alt !== undefined && alt.length > LONGEST_ALT)
    throw new Refusal("invalid_arguments", { field: "alt_txt" });
  const { id, url } = files.announce(call.required("filename"), length, alt);
  return { file_id: id, upload_url: url };
}

export function completeUpload(call: ApiCall, platform: Platform): JsonObject {
  const { files, app, workspace, events } = platform;
  const listed = objectsIn(call.json("files", "invalid_arguments"));
  if (listed.length === 0) throw new Refusal("invalid_arguments", { field: "files" });
  const done = listed.map((entry) => {
    const file = files.complete(stringIn(entry, "id"), app.botUserId, stringIn(entry, "title"));
    if (!file) throw new Refusal("file_not_found");
    return file;
  });
  if (call.optional("channel_id") !== undefined) {
    const channel = writableChannel(call, platform, "channel_id");
    const asked = call.optional("thread_ts");
    const root = asked === undefined ? undefined : workspace.find(channel.id, asked);
    if (asked !== undefined && !root) throw new Refusal("thread_not_found");
    for (const file of done) file.channels.add(channel.id);
    const message = workspace.post(channel, {
      user: app.botUserId,
      botId: app.botId,
      appId: app.appId,
      subtype: "file_share",
      text: storedText(call.optional("initial_comment") ?? ""),
      files: done.map((file) => files.shape(file)),
      threadTs: root?.state === "shown" ? root.ts : undefined,
    });
    events.posted(channel, message);
  }
  return { files: done.map((file) => files.shape(file)) };
}

/** The file goes out of the messages that it stands in, and a message that was nothing else goes with it. */
export function deleteFile(call: ApiCall, { files, app, workspace, events }: Platform): JsonObject {
  const file = files.find(call.required("file", "file_not_found"));
  if (!file) throw new Refusal("file_not_found");
  if (file.user !== app.botUserId) throw new Refusal("cant_delete_file");
  files.drop(file);
  for (const id of file.channels) {
    const channel = workspace.channelFor(id);
    for (const message of workspace.everyIn(id)) {
      const left = message.files?.filter((one) => one["id"] !== file.id);
      if (message.state !== "shown" || left === undefined || left.length === message.files?.length) continue;
      message.files = left;
      if (left.length === 0 && message.text === "")
        events.deleted(channel, message, workspace.remove(message));
    }
  }
  return {};
}
