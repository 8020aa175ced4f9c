/** The images that replies and tools have shown. They are written with their round (`round-values`). */

import type { Pictures } from "../../core/ports/pictures.ts";
import type { Sql } from "./sql.ts";

/** As text, so that both back ends answer the same. */
const READ = {
  name: "pictures-read",
  text: `select mime, encode(bytes, 'base64') as data from pictures where session = $1 and hash = $2`,
};

export function createPictures(sql: Sql): Pictures {
  return {
    async read(session, hash) {
      const [row] = await sql.query<{ mime: string; data: string }>(READ, [session, hash]);
      return row && { mimeType: row.mime, bytes: Buffer.from(row.data, "base64") };
    },
  };
}
