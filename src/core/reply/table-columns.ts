/** A table as aligned columns of text, for a platform that has no tables: to be shown in a font of fixed width. */

export interface ColumnLimits {
  /** Columns of text in a line that fit where replies are shown. */
  readonly widest: number;
  /** UTF-16 units that the whole may take, with its padding. */
  readonly largest: number;
}

/**
 * Undefined where it does not fit, unless there is nothing but a header.
 * @param rows the header first; cells without line breaks.
 */
export function tableColumns(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean,
  { widest, largest }: ColumnLimits,
): string | undefined {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(1, ...rows.map((row) => widthOf(row[column] ?? ""))));
  const lineWidth = widths.reduce((sum, width) => sum + width + 3, -3);
  const fits = lineWidth <= widest && (lineWidth + 1) * (rows.length + 1) <= largest;
  if (body.length > 0 && !fits) return undefined;
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => padded(row[column] ?? "", width, isRight(column)))
      .join(" | ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(Math.min(width, widest))).join("-+-");
  return [line(head), rule, ...body.map(line)].join("\n");
}

function padded(text: string, width: number, isRight: boolean): string {
  const room = " ".repeat(Math.max(0, width - widthOf(text)));
  return isRight ? room + text : text + room;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Characters that take two columns in a font of fixed width. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60]/u;

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
