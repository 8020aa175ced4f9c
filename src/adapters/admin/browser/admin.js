/** What the pages do by themselves: moments in the reader's own zone, charts, and a thread that is kept up to date. */

import { showCharts } from "./charts.js";
import { followThread } from "./live-thread.js";
import { showMoments } from "./moments.js";

showMoments(document);
followThread(document.querySelector("#thread[data-live]"));
await showCharts(document);
