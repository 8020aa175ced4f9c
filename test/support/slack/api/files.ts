// files.*: looking at files and sending them.
import { Refusal, type ApiCall } from "./call.ts";
import { writableChannel } from "./reach.ts";
import type { JsonObject } from "../message.ts";
import type { Platform } from "../platform.ts";
import { objectsIn, stringIn } from "../rendering.ts";
import { storedText } from "../wire-text.ts";

export function fileInfo(call: ApiCall, { files }: Platform): JsonObject {
  const file = files.find(call.required("file", "file_not_found"));
  if (!file) throw new Refusal("file_not_found");
  return { file: { ...files.shape(file), channels: [...file.channels] } };
}

export function uploadUrl(call: ApiCall, { files }: Platform): JsonObject {
  const length = call.integer("length", 0);
  if (length < 1) throw new Refusal("invalid_arguments", { field: "length" });
  const { id, url } = files.announce(call.required("filename"), length);
  return { file_id: id, upload_url: url };
}

export function completeUpload(call: ApiCall, platform: Platform): JsonObject {
  const { files, app, workspace, events } = platform;
  const listed = objectsIn(call.json("files", "invalid_arguments"));
  if (listed.length === 0) throw new Refusal("invalid_arguments", { field: "files" });
  const done = listed.map((entry) => {
    const file = files.complete(stringIn(entry, "id"), app.botUserId);
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
