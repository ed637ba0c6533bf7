/**
 * The engine of pages in Node or in Chromium, for a comparison with the native one (`tests/web/test_bits.py`).
 *
 *     node web/test/bits.mjs ENGINE.wasm.gz [CHROMIUM] < requests > answers
 *
 * A request is a line of JSON, `{"text": scenario, "seed": number}`; its answer is a line with `hash` and, as text, `results`. Both
 * go through the exports as they are: a number of JavaScript does not hold every whole number of the results.
 */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Stands alone, as a page gets its text: answers requests by the engine in `base64`. */
async function answersOf({ base64, lines }) {
  const octets = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(octets, {});
  const { memory, reserve, answer, answer_length, failure, failure_length, ...calls } = instance.exports;
  const read = (at, length) => new TextDecoder().decode(new Uint8Array(memory.buffer, at, length));

  function ask(call, text) {
    const given = new TextEncoder().encode(text);
    const at = reserve(given.length); // before the memory is looked at, which may grow by it
    new Uint8Array(memory.buffer, at, given.length).set(given);
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

  return lines.map((line) => JSON.stringify({ hash: JSON.parse(ask("hash", line)), results: ask("run", line) }));
}

const [packed, chromium] = process.argv.slice(2);
const base64 = gunzipSync(readFileSync(packed)).toString("base64");
const lines = readFileSync(0, "utf8").split("\n").filter(Boolean);
const inChromium = async (given) => {
  const { chromium: driver } = await import("playwright-core");
  const browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  try {
    return await (await browser.newPage()).evaluate(answersOf, given);
  } finally {
    await browser.close();
  }
};
const answers = await (chromium ? inChromium : answersOf)({ base64, lines });
console.log(answers.join("\n"));
