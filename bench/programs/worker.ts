/** A worker as it is deployed, with its environment as the argument, that can be asked what it holds. */

import { startProduct, type Environment } from "../../test/support/product.ts";
import { serveQuestions } from "../program.ts";

await startProduct("worker", JSON.parse(process.argv[2] ?? "{}") as Environment);
serveQuestions<object>(() => Promise.resolve({}));
