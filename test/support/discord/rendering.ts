// The words of a message as they stand on the screen: escapes, small print and marks are not seen, and code is shown as it is.

const CODE = /```(?:[\w+#.-]*\n)?([\s\S]*?)```|`` (.*?) ``|`([^`\n]+)`/g;

export function readable(content: string): string {
  let shown = "";
  let end = 0;
  for (const match of content.matchAll(CODE)) {
    // A backtick that is escaped begins nothing.
    if (content[match.index - 1] === "\\") continue;
    shown += prose(content.slice(end, match.index)) + (match[1] ?? match[2] ?? match[3] ?? "");
    end = match.index + match[0].length;
  }
  return shown + prose(content.slice(end));
}

function prose(text: string): string {
  return text
    .replaceAll(/^(?:-# |#{1,3} |> )/gm, "")
    .replaceAll(/\\([^\w\s])|(?:\*\*|~~|\*)/g, (_, escaped: string | undefined) => escaped ?? "")
    .replaceAll(/(\d)\\\./g, "$1.");
}
