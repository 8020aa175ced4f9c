/** The typed parts of what a person sent. */

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
}

/** An image whose bytes travel with the message. */
export interface ImagePart {
  readonly kind: "image";
  readonly mimeType: string;
  /** Base64, no line breaks. */
  readonly data: string;
  readonly name?: string;
}

/** An image of a reply or of a tool's result, as people are shown it: its bytes are kept once, by their hash. */
export interface Picture {
  /** As its bytes say; as somebody claimed where they are not kept. */
  readonly mimeType: string;
  readonly bytes: number;
  /** Absent where its bytes are not kept: they are too many, or none of an image that everybody can show. */
  readonly hash?: string;
  /** What it shows, in words, on one line. */
  readonly alt?: string;
}

/** A file that stays where it is; the model reads a line about it. */
export interface FilePart {
  readonly kind: "file";
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes?: number;
}

/** Only the model reads it; no screen shows it. */
export interface NotePart {
  readonly kind: "note";
  readonly text: string;
}

export type Part = TextPart | ImagePart | FilePart | NotePart;
