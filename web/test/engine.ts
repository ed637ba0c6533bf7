/** The built engine: `make web` writes it. */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

/** Where what was built lies. */
export const built = resolve(import.meta.dirname, "../../python/hopscope/web");

/** The engine as pages hold it. */
export function packed(): Buffer {
  const file = join(built, "engine.wasm.gz");
  if (!existsSync(file)) throw new Error(`${file} is missing: run make web`);
  return readFileSync(file);
}

/** The engine itself. */
export const wasm = (): Uint8Array<ArrayBuffer> => new Uint8Array(gunzipSync(packed()));
