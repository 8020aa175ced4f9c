/** Reads streams in one of three ways, and says what that took of the processor. */

import { createProductReader } from "../product-reader.ts";
import { serveQuestions } from "../program.ts";
import { createHandReader, createSdkReader, type BenchMessage } from "../stream-readers.ts";

export type ReaderName = "product" | "hand" | "sdk";

export interface ReadQuestion {
  readonly url: string;
  readonly streams: number;
  readonly messages: readonly BenchMessage[];
}

export interface ReadAnswer {
  readonly deltas: number;
  /** Of the whole process, ms. */
  readonly cpuMs: number;
}

const ways = { product: createProductReader, hand: createHandReader, sdk: createSdkReader };
const read = ways[process.argv[2] as ReaderName]();

serveQuestions<ReadQuestion>(async ({ url, streams, messages }): Promise<ReadAnswer> => {
  const before = process.cpuUsage();
  const counts = await Promise.all(Array.from({ length: streams }, () => read(url, messages)));
  const { user, system } = process.cpuUsage(before);
  return { deltas: counts.reduce((sum, count) => sum + count, 0), cpuMs: (user + system) / 1000 };
});
