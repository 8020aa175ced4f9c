/** What the pages do by themselves: moments in the reader's own zone, charts, and what is kept up to date. */

import { showCharts } from "./charts.js";
import { follow } from "./live.js";
import { showMoments } from "./moments.js";

showMoments(document);
follow(document.querySelector("[data-live]"));
await showCharts(document);
