/** The bytes of the images that replies and tools show. They are stored with the round that they came in. */

import type { SessionId } from "../thread.ts";

export interface PictureBytes {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

export interface Pictures {
  /** Undefined where there is none, or none any more. */
  read(session: SessionId, hash: string): Promise<PictureBytes | undefined>;
}
