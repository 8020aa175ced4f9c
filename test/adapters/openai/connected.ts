// The adapter connected to a fake provider over real HTTP.
import type { OpenAiOptions } from "../../../src/adapters/openai/options.ts";
import { createOpenAiModel, type OpenAiModel } from "../../../src/adapters/openai/model.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import { createFakeLlm, type FakeAnswer, type FakeLlm } from "../../support/fake-llm/server.ts";

export interface Connected extends AsyncDisposable {
  readonly fake: FakeLlm;
  readonly model: OpenAiModel;
}

/** The key that no test may find anywhere but in a header. */
export const KEY = "sk-test-0123456789abcdef";

/** Retries wait a millisecond unless said. The disposal fails when an answer of the script was not used. */
export async function connected(
  answers: readonly FakeAnswer[] = [],
  options: Partial<OpenAiOptions> & { readonly clock?: Clock; readonly strict?: boolean } = {},
): Promise<Connected> {
  const { clock = createSystemClock(), strict = true, ...rest } = options;
  const fake = await createFakeLlm({ strict });
  fake.script(...answers);
  const model = createOpenAiModel(
    { clock, random: () => 0.5 },
    {
      apiKey: KEY,
      baseUrl: fake.url,
      backoffMs: 1,
      ...rest,
    },
  );
  return {
    fake,
    model,
    async [Symbol.asyncDispose]() {
      await model.close();
      await fake.close();
      if (fake.unused > 0) throw new Error(`${fake.unused} answers of the script were not used`);
    },
  };
}
