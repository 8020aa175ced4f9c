/** B5: what a delta costs on its way from the provider's bytes to the reply. */

import { inTurn, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startProgram } from "./program.ts";
import type { ReadAnswer, ReaderName, ReadQuestion } from "./programs/reader.ts";

const STREAMS = 50;
const DELTAS = 2_000;
/** Thrown away: the compiler's work falls on them. */
const WARM_UPS = 2;

async function run({ pairs, note, pin }: BenchWorld): Promise<readonly Comparison[]> {
  await using model = await startProgram(new URL("./programs/model.ts", import.meta.url), []);
  const { url } = await model.ask<{ url: string }>({});
  await using product = await startReader("product");
  await using hand = await startReader("hand");
  await using sdk = await startReader("sdk");

  for (const { pid } of [product, hand, sdk]) pin(pid);

  const measure = (reader: typeof product) => async (): Promise<number> => {
    const question: ReadQuestion = { url: `${url}fast/${DELTAS}`, streams: STREAMS, messages: [HELLO] };
    const { deltas, cpuMs } = await reader.ask<ReadAnswer>(question);
    if (deltas !== STREAMS * DELTAS) throw new Error(`${deltas} of ${STREAMS * DELTAS} deltas arrived`);
    return deltas / (cpuMs / 1000);
  };
  const measures = [measure(product), measure(hand), measure(sdk)] as const;
  note(`${STREAMS} streams of ${DELTAS} deltas`);
  await inTurn(WARM_UPS, measures);
  const [ours, byHand, bySdk] = await inTurn(pairs, measures);
  const what = "deltas per CPU-second";
  return [
    {
      id: "B5",
      what,
      product: ours,
      reference: { name: "parser by hand", samples: byHand },
      bounds: { of: "ratio", better: "more", target: 0.6, limit: 0.45 },
    },
    {
      id: "B5",
      what,
      product: ours,
      reference: { name: "SDK iterator", samples: bySdk },
      bounds: { of: "ratio", better: "more", target: 1.8, limit: 1.3 },
    },
  ];
}

const HELLO = { role: "user", content: "hello" } as const;

function startReader(name: ReaderName): ReturnType<typeof startProgram> {
  return startProgram(new URL("./programs/reader.ts", import.meta.url), [name]);
}

export const deltaCost: Benchmark = { name: "delta-cost", run };
