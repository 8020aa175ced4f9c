/** What an export is written as: a beginning, each item, and an end without which a file is not whole. */

import { EXPORT_VERSION, type ExportItem } from "../../../core/admin/export/items.ts";
import type { ExportCounts } from "../../../core/admin/export/export-threads.ts";
import type { OverviewFilter } from "../../../core/ports/overviews.ts";
import { jsonLine } from "./harmless.ts";

/** Of what, by whom and when. */
export interface ExportAbout {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** As `slack:T1`. */
  readonly space: string;
  /** The platform's id of who made it. */
  readonly by: string;
  readonly thread?: string;
  readonly filter?: OverviewFilter;
}

export interface ExportFormat {
  readonly title: string;
  readonly hint: string;
  readonly extension: string;
  readonly contentType: string;
  begin(about: ExportAbout): string;
  /** Blank for what this format leaves out. */
  item(item: ExportItem): string;
  end(counts: ExportCounts): string;
}

export const jsonl: ExportFormat = {
  title: "JSONL",
  hint: "all that is stored, a line for each thing, for programs",
  extension: "jsonl",
  contentType: "application/x-ndjson; charset=utf-8",
  begin: (about) => jsonLine({ kind: "export", v: EXPORT_VERSION, ...about }),
  item: jsonLine,
  end: ({ threads, leftOut, items }) => jsonLine({ kind: "end", threads, leftOut, items }),
};

/** Whether nothing was filtered. */
export function isOfAll(filter: OverviewFilter | undefined): boolean {
  return filter === undefined || Object.keys(filter).length === 0;
}

/** How the end reads to people. */
export function endSentence({ threads, leftOut }: ExportCounts): string {
  const all = `End of the export: ${threads.toLocaleString("en")} ${threads === 1 ? "thread" : "threads"}.`;
  return leftOut === 0 ? all : `${all} Left out for want of a reason: ${leftOut.toLocaleString("en")}.`;
}
