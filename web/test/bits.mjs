/**
 * The engine of pages in Node, for a comparison with the native one (`tests/web/test_bits.py`).
 *
 *     node web/test/bits.mjs ENGINE.wasm < requests > answers
 *
 * A request is a line of JSON, `{"text": scenario, "seed": number}`; its answer is a line with `hash` and, as text, `results`. Both
 * go through the exports as they are: a number of JavaScript does not hold every whole number of the results.
 */

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { memory, reserve, answer, answer_length, failure, failure_length, ...calls } = instance.exports;

const read = (at, length) => new TextDecoder().decode(new Uint8Array(memory.buffer, at, length));

function ask(call, text) {
  const octets = new TextEncoder().encode(text);
  const at = reserve(octets.length); // before the memory is looked at, which may grow by it
  new Uint8Array(memory.buffer, at, octets.length).set(octets);
  let status;
  try {
    status = calls[call]();
  } catch (error) {
    throw new Error(read(failure(), failure_length()) || error.message);
  }
  const found = read(answer(), answer_length());
  if (status !== 0) throw new Error(`${call}: ${found}`);
  return found;
}

for await (const line of createInterface({ input: process.stdin })) {
  const begun = performance.now();
  const found = { hash: JSON.parse(ask("hash", line)), results: ask("run", line) };
  console.log(JSON.stringify({ ...found, seconds: (performance.now() - begun) / 1e3 }));
}
