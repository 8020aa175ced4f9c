import { describe, expect, test } from "vitest";
import { afterRefusal, afterReport, gaugeFor, type Gauge } from "../../../src/core/context/gauge.ts";
import { scriptedRecord } from "../../support/scripted-model.ts";

const model = scriptedRecord;
const fresh = gaugeFor(model, {});
const told = (gauge: Gauge, estimated: number, reported: number): Gauge =>
  afterReport(model, gauge, { estimated, reported });

describe("what a session has learnt of its model", () => {
  test("is nothing at first, and of another model or another window nothing either", () => {
    const gauge = { ...fresh, scale: 2, share: 0.5 };
    expect(fresh).toEqual({ model: "scripted", window: 128_000, scale: 1, share: 1 });
    expect(gaugeFor(model, { gauge })).toBe(gauge);
    expect(gaugeFor({ ...model, name: "other" }, { gauge })).toMatchObject({ scale: 1, share: 1 });
    expect(gaugeFor({ ...model, contextWindow: 64_000 }, { gauge })).toMatchObject({ scale: 1, share: 1 });
  });

  test("grows at once with what the provider reports, and shrinks only where it is much less", () => {
    const dearer = told(fresh, 40_000, 61_000);
    expect(dearer.scale).toBe(1.625);
    expect(told(dearer, 40_000, 64_000)).toBe(dearer);
    expect(told(dearer, 40_000, 52_000)).toBe(dearer);
    expect(told(dearer, 40_000, 40_000).scale).toBe(1);
    expect(told(fresh, 40_000, 1_000_000).scale).toBe(8);
    expect(told(fresh, 400_000, 20_000).scale).toBe(0.75);
  });

  test("is not changed by a short request, whose frame is most of it, nor by a provider that reports nothing", () => {
    expect(told(fresh, 100, 900)).toBe(fresh);
    expect(told(fresh, 40_000, 0)).toBe(fresh);
    expect(told(fresh, 0, 40_000)).toBe(fresh);
  });

  test("is half of what was refused, until that is as good as nothing", () => {
    const half = afterRefusal(fresh, 1);
    expect(half).toMatchObject({ scale: 1, share: 0.5 });
    expect(afterRefusal(half!, 0.4)).toMatchObject({ share: 0.2 });
    expect(afterRefusal(fresh, 0.01)).toBeUndefined();
  });

  test("of a refusal that dear signs explain is the scale alone, of any other the smaller share", () => {
    const half = { ...fresh, share: 0.5 };
    const refused = { estimated: 100_000, before: fresh };
    const dear = afterReport(model, half, { estimated: 50_000, reported: 75_000 }, refused);
    expect(dear).toMatchObject({ scale: 1.5, share: 1 });
    const small = afterReport(model, half, { estimated: 50_000, reported: 50_000 }, refused);
    expect(small).toMatchObject({ scale: 1, share: 0.5 });
  });
});
