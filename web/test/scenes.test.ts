import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Engine } from "../src/engine";
import { SCENES } from "../src/playground/scenes";
import { writeKey } from "../src/playground/toml";

const wasm = new URL("../../python/hopscope/web/engine.wasm", import.meta.url);
if (!existsSync(wasm)) throw new Error(`${wasm.pathname} is missing: run make web`);
const engine = await Engine.load(readFileSync(wasm));

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
