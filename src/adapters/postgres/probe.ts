/** Asks a Postgres once whether it answers and how old it is, for `doctor`. */
import pg from "pg";

export type PostgresProbe =
  | { readonly kind: "answers"; readonly version: string; readonly isOldEnough: boolean }
  /** It may come. `why` is one sentence without the URL and its password. */
  | { readonly kind: "silent"; readonly why: string }
  /** It is there, and asking again as we do will not help. `why` as above. */
  | { readonly kind: "refuses"; readonly why: string };

const oldest = 150_000;

/** Never throws; one connection, closed before it returns. */
export async function probePostgres(url: string, { timeoutMs = 5_000 } = {}): Promise<PostgresProbe> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ number: string; version: string }>(
      "select current_setting('server_version_num') as number, current_setting('server_version') as version",
    );
    const [row] = rows;
    if (!row) return { kind: "silent", why: "It gave an empty answer." };
    return { kind: "answers", version: row.version, isOldEnough: Number(row.number) >= oldest };
  } catch (error) {
    return judge(error);
  } finally {
    await client.end().catch(() => {});
  }
}

function judge(error: unknown): Exclude<PostgresProbe, { kind: "answers" }> {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "28P01":
    case "28000":
      return { kind: "refuses", why: "It refuses the user or the password." };
    case "3D000":
      return { kind: "refuses", why: "It has no database of that name." };
    case "42501":
      return { kind: "refuses", why: "The user may not connect to that database." };
    default:
      return { kind: "silent", why: silenceOf(error, code) };
  }
}

function silenceOf(error: unknown, code: string): string {
  switch (code) {
    case "ECONNREFUSED":
      return "Nothing listens at that address.";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "The host name is not known.";
    case "57P03":
      return "It is starting or stopping.";
    case "53300":
      return "It has no connection left.";
    default:
      return error instanceof Error && /timeout/i.test(error.message)
        ? "It does not answer in time."
        : `The connection failed${code ? ` (${code})` : ""}.`;
  }
}
