/** Charts over days, from the figures that stand beside each. The tables below say the same to whoever cannot see them. */

/** @typedef {{ days: string[], unit: string, series: Record<string, (number | null)[]> }} Figures */
/** @typedef {typeof import("uplot")} Plot */

const COLOURS = ["--chart-1", "--chart-2", "--chart-3"];
const HEIGHT = 220;
const DAY_S = 86_400;

/**
 * @param {ParentNode} root
 */
export async function showCharts(root) {
  const places = [...root.querySelectorAll("[data-chart]")];
  if (places.length === 0) return;
  /** @type {{ default: Plot }} */
  const { default: Plot } = await import(new URL("uPlot.esm.js", import.meta.url).href);
  const drawAll = () =>
    places.map((place) => ({ place, chart: draw(Plot, /** @type {HTMLElement} */ (place)) }));
  let drawn = drawAll();
  new ResizeObserver(() => {
    for (const { place, chart } of drawn) chart.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(document.body);
  // Colours are those of the light or the dark page.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const { chart } of drawn) chart.destroy();
    drawn = drawAll();
  });
}

/**
 * @param {Plot} Plot
 * @param {HTMLElement} place
 */
function draw(Plot, place) {
  /** @type {Figures} */
  const { days, unit, series } = JSON.parse(place.dataset["chart"] ?? "{}");
  const style = getComputedStyle(place);
  const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
  const axis = { stroke: style.getPropertyValue("--dim"), grid, ticks: grid };
  const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 2 });
  /** @param {number | null} value */
  const said = (value) =>
    value === null
      ? "–"
      : unit === "$"
        ? `$${short.format(value)}`
        : `${short.format(value)}${unit && ` ${unit}`}`;
  const lines = Object.keys(series).map((label, at) => ({
    label,
    stroke: style.getPropertyValue(COLOURS[at] ?? "--chart-1"),
    width: 2,
    points: { show: days.length < 32, size: 6 },
    /** @param {unknown} _ @param {number | null} value */
    value: (_, value) => said(value),
  }));
  return new Plot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      // The last day stands as whole as the others.
      padding: [null, 24, null, null],
      // Days are those of UTC wherever the reader is.
      tzDate: (at) => Plot.tzDate(new Date(at * 1000), "UTC"),
      scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
      axes: [
        {
          ...axis,
          values: (_, at) => at.map((moment) => new Date(moment * 1000).toISOString().slice(5, 10)),
          incrs: [1, 2, 7, 14, 30, 60].map((n) => n * DAY_S),
        },
        { ...axis, size: 64, values: (_, at) => at.map((value) => said(value)) },
      ],
      series: [
        { value: (_, at) => (at === null ? "–" : new Date(at * 1000).toISOString().slice(0, 10)) },
        ...lines,
      ],
    },
    [
      around(days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000)),
      ...Object.values(series).map((values) => (days.length === 1 ? [null, ...values, null] : values)),
    ],
    place,
  );
}

/**
 * One day alone stands between the one before it and the one after it.
 * @param {number[]} moments
 */
function around(moments) {
  const [only] = moments;
  return only !== undefined && moments.length === 1 ? [only - DAY_S, only, only + DAY_S] : moments;
}
