/** What the pages do by themselves: moments in the reader's own zone, and a thread that is kept up to date. */

import { followThread } from "./live-thread.js";
import { showMoments } from "./moments.js";

showMoments(document);
followThread(document.querySelector("#thread[data-live]"));
