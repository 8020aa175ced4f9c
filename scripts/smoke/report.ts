/** What a smoke test found, as a table to paste into an issue: no ids, no tokens, no words of people. */

export interface Finding {
  /** What was tried, as a sentence that should be true. */
  readonly claim: string;
  readonly state: "holds" | "does not hold" | "not known";
  /** What was seen, in the platform's own words where it has some. */
  readonly saw: string;
}

export interface ReportHead {
  /** As people call it. */
  readonly platform: string;
  readonly version: string;
  readonly node: string;
  readonly date: string;
  readonly way: string;
}

/** @param isTrue undefined where it was not seen. */
export function found(claim: string, isTrue: boolean | undefined, saw: string): Finding {
  return { claim, state: isTrue === undefined ? "not known" : isTrue ? "holds" : "does not hold", saw };
}

export function reportOf(head: ReportHead, findings: readonly Finding[]): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
  const rows = findings.map(({ claim, state, saw }) => `| ${cell(claim)} | ${state} | ${cell(saw)} |`);
  const count = (state: Finding["state"]): number => findings.filter((one) => one.state === state).length;
  return [
    `${head.platform} smoke test of Bobbin ${head.version}, Node ${head.node}, ${head.date}, ${head.way}`,
    "",
    "| claim | | seen |",
    "| --- | --- | --- |",
    ...rows,
    "",
    `${count("holds")} hold, ${count("does not hold")} do not, ${count("not known")} are not known.`,
  ].join("\n");
}
