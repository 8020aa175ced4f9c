// Files: what people and the app have uploaded, where they are shared, and who may fetch their bytes.
import type { JsonObject } from "./message.ts";

/** Slack goes by the name, and looks into the bytes. */
const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

export interface FileOptions {
  /** Default `text/plain`. */
  readonly mimetype?: string;
  /** Only the id goes with the message, as in Slack Connect: `files.info` tells the rest. */
  readonly isStub?: boolean;
  /** The download's address answers with a redirect to this one. */
  readonly redirectsTo?: string;
  /** Such as `tombstone` or `hidden_by_limit`. Default `hosted`. */
  readonly mode?: string;
  /** Such as a transcription. */
  readonly extra?: JsonObject;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly content: Buffer;
  readonly options: FileOptions;
  /** Channels in which it stands. */
  readonly channels: Set<string>;
}

export class FileStore {
  readonly #files = new Map<string, StoredFile>();
  /** Sizes that were announced for an upload. */
  readonly #announced = new Map<
    string,
    { name: string; length: number; alt: string | undefined; content: Buffer | undefined }
  >();
  readonly #newId: (prefix: string) => string;
  readonly #origin: () => string;

  constructor(newId: (prefix: string) => string, origin: () => string) {
    this.#newId = newId;
    this.#origin = origin;
  }

  add(
    user: string,
    name: string,
    content: string | Buffer,
    options: FileOptions = {},
    id = this.#newId("F"),
  ) {
    const file = { id, name, user, content: Buffer.from(content), options, channels: new Set<string>() };
    this.#files.set(id, file);
    return file;
  }

  find(id: string): StoredFile | undefined {
    return this.#files.get(id);
  }

  /** @returns the file's id and the address that takes its bytes. */
  announce(name: string, length: number, alt?: string): { readonly id: string; readonly url: string } {
    const id = this.#newId("F");
    this.#announced.set(id, { name, length, alt, content: undefined });
    return { id, url: `${this.#origin()}/upload/${id}` };
  }

  /** @returns false for bytes that nobody announced. */
  receive(id: string, content: Buffer): boolean {
    const announced = this.#announced.get(id);
    if (!announced || announced.length !== content.length) return false;
    announced.content = content;
    return true;
  }

  drop({ id }: StoredFile): void {
    this.#files.delete(id);
  }

  complete(id: string, user: string, title: string): StoredFile | undefined {
    const announced = this.#announced.get(id);
    if (announced?.content === undefined) return undefined;
    this.#announced.delete(id);
    const { name, content, alt } = announced;
    const mimetype = TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain";
    const extra = { ...(title === "" ? {} : { title }), ...(alt === undefined ? {} : { alt_txt: alt }) };
    return this.add(user, name, content, { mimetype, extra }, id);
  }

  /** As it stands in a message. */
  stub(file: StoredFile): JsonObject {
    return file.options.isStub === true
      ? { id: file.id, created: 0, timestamp: 0, mode: "file_access", file_access: "check_file_info" }
      : this.shape(file);
  }

  shape(file: StoredFile): JsonObject {
    const { id, name, user, content, options } = file;
    const mode = options.mode ?? "hosted";
    if (mode !== "hosted") return { id, mode };
    const url = `${this.#origin()}/files-pri/${id}/${encodeURIComponent(name)}`;
    return {
      id,
      name,
      title: name,
      user,
      mimetype: options.mimetype ?? "text/plain",
      filetype: name.split(".").at(-1) ?? "text",
      size: content.length,
      mode,
      is_external: false,
      url_private: url,
      url_private_download: url.replace("/files-pri/", "/files-pri/download/"),
      ...options.extra,
    };
  }
}
