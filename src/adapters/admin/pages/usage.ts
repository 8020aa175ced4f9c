/** The page of what was used: the sum, charts over the days, and a table for each way to look at it. */

import { html } from "hono/html";
import { formatMoney, formatDuration } from "../../../core/measure.ts";
import type { UsageLine, UsageTables } from "../../../core/ports/usage-figures.ts";
import { cacheShareOf, shareOf, TABLES, type Days, type Table } from "../usage-tables.ts";
import { apart } from "./apart.ts";
import { nothing, page, type Around, type Markup } from "./layout.ts";

/** Longer tables are in their files. */
const MOST_ROWS = 100;

export function usagePage(around: Around, days: Days, tables: UsageTables): Markup {
  const isEmpty = tables.total.runs === 0 && tables.total.calls === 0;
  const body = isEmpty
    ? nothing("Nothing was asked of the bot in these days. Choose others above.")
    : html`${sums(tables.total)} ${charts(tables.days)}
      ${(Object.keys(TABLES) as Table[]).map((table) => tableOf(table, tables[table], days))}`;
  return page(
    around,
    "usage",
    "Usage",
    html`<h1>Usage</h1>
      <p class="dim">
        What was asked of the bot in <code>${around.who.platform}:${around.who.space}</code>, and what it
        took. Days are those of UTC.
      </p>
      <form class="days" method="get" action="/admin/usage">
        <label>From <input type="date" name="from" value="${days.from}" required /></label>
        <label>To <input type="date" name="to" value="${days.to}" required /></label>
        <button class="act">Show</button>
      </form>
      ${body}`,
  );
}

function sums(total: UsageLine): Markup {
  const { runs, failed, calls, failedCalls, medianMs, p95Ms, cost } = total;
  const share = cacheShareOf(total);
  const sum = (name: string, value: string, more = ""): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value} ${more === "" ? "" : html`<span class="dim">${more}</span>`}</dd>
    </div>`;
  return html`<dl class="sums">
    ${sum("Answers", count(runs), failedOf(failed, runs))}
    ${sum("Model calls", count(calls), failedOf(failedCalls, calls))}
    ${sum("Tokens", count(total.input + total.cached + total.output), share === undefined ? "" : `${percent(share)} of the input from the cache`)}
    ${cost === undefined ? "" : sum("Cost", formatMoney(cost))}
    ${
      medianMs === undefined
        ? ""
        : sum(
            "Median answer",
            formatDuration(medianMs),
            p95Ms === undefined ? "" : `95 % within ${formatDuration(p95Ms)}`,
          )
    }
  </dl>`;
}

/** Drawn by the browser; the table by day says the same. */
function charts(days: readonly UsageLine[]): Markup {
  const keys = days.map(({ key }) => key);
  const chart = (
    title: string,
    unit: string,
    series: Readonly<Record<string, readonly (number | null)[]>>,
  ): Markup =>
    html`<figure class="chart" data-chart="${JSON.stringify({ days: keys, unit, series })}">
      <figcaption>${title}</figcaption>
    </figure>`;
  const of = (pick: (line: UsageLine) => number | undefined): readonly (number | null)[] =>
    days.map((line) => pick(line) ?? null);
  const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
  return html`<div class="charts">
    ${chart("Tokens", "", {
      "read anew": of(({ input }) => input),
      "from the cache": of(({ cached }) => cached),
      written: of(({ output }) => output),
    })}
    ${chart("Answers", "", { all: of(({ runs }) => runs), failed: of(({ failed }) => failed) })}
    ${chart("Time to an answer's end", "s", {
      median: of(({ medianMs }) => seconds(medianMs)),
      "95 % within": of(({ p95Ms }) => seconds(p95Ms)),
    })}
    ${days.some(({ cost }) => cost !== undefined) ? chart("Cost", "$", { cost: of(({ cost }) => cost) }) : ""}
  </div>`;
}

function tableOf(table: Table, lines: readonly UsageLine[], { from, to }: Days): Markup {
  const { title, key } = TABLES[table];
  const hasRuns = table !== "models";
  const rows = table === "days" ? lines.toReversed() : lines;
  const more = rows.length > MOST_ROWS ? `The first ${MOST_ROWS} of ${count(rows.length)}. ` : "";
  const row = (line: UsageLine): Markup => {
    const share = cacheShareOf(line);
    return html`<tr>
      <th scope="row">${line.name === undefined ? "" : apart(line.name)} <code>${line.key}</code></th>
      ${
        hasRuns
          ? html`<td>${count(line.runs)}</td>
              ${tried(line.failed, line.runs, line.medianMs, line.p95Ms)}`
          : ""
      }
      <td>${count(line.calls)}</td>
      ${hasRuns ? "" : tried(line.failedCalls, line.calls, line.callMedianMs, line.callP95Ms)}
      <td>${count(line.input)}</td>
      <td>
        ${count(line.cached)}${share === undefined ? "" : html` <span class="dim">${percent(share)}</span>`}
      </td>
      <td>${count(line.output)}</td>
      <td>${line.cost === undefined ? "" : formatMoney(line.cost)}</td>
    </tr>`;
  };
  const tries = ["Failed", "Median", "95 % within"];
  const heads = hasRuns ? ["Answers", ...tries, "Model calls"] : ["Model calls", ...tries];
  return html`<h2 id="${table}">${title}</h2>
    <p class="dim">${more}<a href="/admin/usage/${table}.csv?from=${from}&to=${to}">As a file (CSV)</a></p>
    <div class="table numbers" role="region" aria-labelledby="${table}" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">${key}</th>
            ${[...heads, "Read anew", "From the cache", "Written", "Cost"].map(
              (head) => html`<th scope="col">${head}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, MOST_ROWS).map(row)}
        </tbody>
      </table>
    </div>`;
}

/** How many failed and their share, and how long the others took. */
function tried(failed: number, all: number, medianMs: number | undefined, p95Ms: number | undefined): Markup {
  const share = failed === 0 ? undefined : shareOf(failed, all);
  return html`<td>
      ${failed === 0 ? "" : count(failed)}${share === undefined ? "" : html` <span class="dim">${percent(share)}</span>`}
    </td>
    <td>${medianMs === undefined ? "" : formatDuration(medianMs)}</td>
    <td>${p95Ms === undefined ? "" : formatDuration(p95Ms)}</td>`;
}

function failedOf(failed: number, all: number): string {
  const share = shareOf(failed, all);
  return failed === 0 || share === undefined ? "" : `${count(failed)} failed, ${percent(share)}`;
}

const count = (n: number): string => n.toLocaleString("en-US");
/** What is little is not nothing. */
const percent = (share: number): string =>
  `${share > 0 && share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
