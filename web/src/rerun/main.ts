/** The script of an interactive report: finds its figures, and puts "run again here" below each. */

import { RemoteEngine } from "../engine";
import { make } from "./controls";
import type { Report } from "./data";
import { style as ofPlots } from "./plot";
import { Pool } from "./pool";
import style from "./rerun.css?inline";
import { Kept } from "./samples";
import { Widget } from "./widget";
import EngineWorker from "./worker?worker&inline";

const textOf = (id: string): string => document.getElementById(id)?.textContent ?? "";

/** The engine of the page: base64 of what gzip made of it. */
async function engine(): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(textOf("hopscope-engine")), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function begin(): void {
  const places = [...document.querySelectorAll<HTMLElement>(".again[data-figure]")];
  const absent = [
    ["WebAssembly", typeof WebAssembly],
    ["workers", typeof Worker],
    ["DecompressionStream", typeof DecompressionStream],
  ].filter(([, kind]) => kind === "undefined");
  if (absent.length > 0) {
    const names = absent.map(([name]) => name).join(" and no ");
    for (const place of places)
      place.append(make("p", {}, `This browser has no ${names}: the figure does not run again here.`));
    return;
  }
  document.head.append(make("style", {}, ofPlots + style));
  const report = JSON.parse(textOf("hopscope-again")) as Report;
  let wasm: Promise<ArrayBuffer> | null = null;
  const pool = new Pool(navigator.hardwareConcurrency || 2, () => {
    wasm ??= engine();
    const worker = new EngineWorker();
    return { engine: wasm.then((bytes) => RemoteEngine.load(worker, bytes)), end: () => worker.terminate() };
  });
  for (const scenario of report.scenarios) {
    const shared = { report, pool, kept: new Kept() };
    for (const figure of scenario.figures) {
      const place = places.find(({ dataset }) => dataset.figure === figure.id);
      place?.append(new Widget(scenario, figure, shared).element);
    }
  }
}

begin();
