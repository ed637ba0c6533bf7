import { expect, test } from "vitest";
import { Engine } from "../src/engine";
import { SCENES } from "../src/playground/scenes";
import { writeKey } from "../src/playground/toml";
import { wasm } from "./engine";

const engine = await Engine.load(wasm());

test.each(SCENES.map((scene) => [scene.key, scene] as const))(
  "%s is good at every place of its sliders",
  (_, scene) => {
    const good = { problems: [], elsewhere: null };
    expect(engine.check(scene.text)).toMatchObject({ ...good, warnings: [] });
    for (const { key, values } of scene.controls) {
      for (const value of values) {
        expect(engine.check(writeKey(scene.text, key, value)), `${key} = ${value}`).toMatchObject(good);
      }
    }
  },
);

/** kbit/s of all flows, or of one, with some keys set. */
function carried(key: string, set: Record<string, unknown> = {}, flow?: number): number {
  const scene = SCENES.find((one) => one.key === key);
  const run = engine.run(scene?.text ?? "", { seed: 1, set }) as {
    flows: { throughput_kbps: number }[];
    network: { aggregate_kbps: number };
  };
  return flow === undefined ? run.network.aggregate_kbps : (run.flows[flow]?.throughput_kbps ?? Number.NaN);
}

test("what scenes say of their sliders is true", { timeout: 120_000 }, () => {
  const hidden = carried("hidden-terminal");
  expect(carried("hidden-terminal", { "mac.rts_threshold": 0 })).toBeGreaterThan(2 * hidden);
  expect(carried("hidden-terminal", { "radio.cs_range": 410 })).toBeGreaterThan(1190);

  expect(carried("exposed-terminal", { "radio.cs_range": 250 })).toBeGreaterThan(1.7 * carried("exposed-terminal"));

  const [narrow, wide] = [carried("window-hops", { "flow.0.max_window": 3 }), carried("window-hops")];
  expect(Math.abs(wide / narrow - 1)).toBeLessThan(0.1);
  expect(carried("window-hops", { "flow.0.max_window": 1 })).toBeLessThan(0.75 * narrow);

  const lots = [0, 1, 2].map((flow) => carried("parking-lot", {}, flow)) as [number, number, number];
  expect(lots[0]).toBeLessThan(0.85 * Math.min(lots[1], lots[2]));
  expect(carried("parking-lot", { "flow.*.max_window": 32 }, 0)).toBeLessThan(1.2 * lots[0]);

  const open = carried("rts-cts");
  expect(carried("rts-cts", { "mac.rts_threshold": 0 })).toBeLessThan(0.75 * open);
  const apart = carried("rts-cts", { "radio.cs_range": 250 });
  expect(apart).toBeLessThan(0.5 * open);
  expect(carried("rts-cts", { "radio.cs_range": 250, "mac.rts_threshold": 0 })).toBeGreaterThan(1.1 * apart);

  const every = carried("ack-thinning");
  const thinned = ["delayed", "daa"].map((ack) => carried("ack-thinning", { "flow.0.ack": ack })) as [number, number];
  expect(thinned[0]).toBeGreaterThan(1.08 * every);
  expect(thinned[1]).toBeGreaterThan(thinned[0]);

  const broken = carried("aodv-false-failures");
  expect(carried("aodv-false-failures", { "flow.0.max_window": 2 })).toBeGreaterThan(1.5 * broken);
  expect(carried("aodv-false-failures", { "routing.protocol": "static" })).toBeGreaterThan(1.5 * broken);

  const single = carried("aggregation", { "mac.ampdu": "off" });
  expect(carried("aggregation", { "mac.ampdu": 8000 })).toBeGreaterThan(1.1 * single);
  expect(carried("aggregation")).toBeGreaterThan(1.3 * single);
});
