/** What the pages do by themselves: moments in the reader's own zone. */

import { showMoments } from "./moments.js";

showMoments(document);
