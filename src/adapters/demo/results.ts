/** The demo model's answers from what tools returned. It believes no shape: what it can not read, it repeats. */

interface Result {
  readonly name: string;
  readonly content: string;
}

/** Letters of a message that is read back. */
const LONGEST = 140;

export function answerFrom({ name, content }: Result): string {
  const problem = /^error:\s*(?<why>.+)$/is.exec(content)?.groups?.["why"];
  if (problem !== undefined) return `That did not work. ${problem}`;
  const answer =
    name === "time_in_zone"
      ? timeSentence(content)
      : name === "read_earlier_messages"
        ? earlierList(content)
        : undefined;
  return answer ?? `The tool \`${name}\` says:\n\n${content}`;
}

function timeSentence(content: string): string | undefined {
  const found = fieldsOf(content);
  const { zone, local, weekday } = found;
  const clock = /^(?<date>[\d-]+)T(?<time>\d\d:\d\d)/.exec(local ?? "")?.groups;
  if (zone === undefined || weekday === undefined || clock === undefined) return undefined;
  const city = (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
  return `In **${city}** it is **${clock["time"]}** on ${weekday}, ${clock["date"]} (${zone}).`;
}

function earlierList(content: string): string | undefined {
  const said = content
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map(fieldsOf);
  const lines = said.flatMap(({ speaker, text }) =>
    speaker === undefined || text === undefined ? [] : [`- **${speaker}**: ${plainLine(text)}`],
  );
  return lines.length === 0 ? undefined : `This is what I found:\n\n${lines.join("\n")}`;
}

/** One line without marks of markdown, which would mean something else where it is quoted. */
function plainLine(text: string): string {
  const line = text
    .replaceAll(/[*_`~#>|[\]]+/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const letters = Array.from(line);
  return letters.length <= LONGEST ? line : `${letters.slice(0, LONGEST).join("")}…`;
}

/** The fields of a JSON object that are strings. */
function fieldsOf(json: string): Readonly<Record<string, string | undefined>> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter(([, field]) => typeof field === "string"),
    ) as Record<string, string>;
  } catch {
    return {};
  }
}
