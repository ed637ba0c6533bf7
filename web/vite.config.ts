/**
 * Builds the pages, each into one file that fetches nothing: `vite build --mode watch`, `--mode playground`.
 *
 * `npm run build` writes them to python/hopscope/web; HOPSCOPE_WEB_OUT names another folder.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const out = resolve(process.env.HOPSCOPE_WEB_OUT ?? join(import.meta.dirname, "../python/hopscope/web"));
const ENGINE = '<script type="application/octet-stream;base64" id="hopscope-engine"></script>';
const SCENARIO = '<script type="application/json" id="hopscope-scenario"></script>';

const once = (text: string, part: string): boolean => text.split(part).length === 2;

const hashes = (html: string, tag: RegExp): string =>
  [...html.matchAll(tag)]
    .map(
      (match) =>
        `'sha256-${createHash("sha256")
          .update(match[1] as string)
          .digest("base64")}'`,
    )
    .join(" ");

/** Only the scripts and styles of the build itself may run: data of a scenario never can. */
function policy(html: string): string {
  const scripts = hashes(html, /<script type="module"[^>]*>([\s\S]*?)<\/script>/g);
  const styles = hashes(html, /<style[^>]*>([\s\S]*?)<\/style>/g);
  return [
    "default-src 'none'",
    `script-src ${scripts} 'wasm-unsafe-eval'`,
    `style-src ${styles}`,
    "img-src data:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Puts the policy into the written page, and the engine where a page has it from the beginning. */
function finish(page: string): Plugin {
  return {
    name: "hopscope-finish",
    closeBundle() {
      const file = join(out, `${page}.html`);
      let html = readFileSync(file, "utf8");
      html = html.replace(
        "<meta charset",
        () => `<meta http-equiv="Content-Security-Policy" content="${policy(html)}">\n    <meta charset`,
      );
      if (!once(html, ENGINE)) throw new Error(`${page}.html must have one place for the engine`);
      if (page === "watch" && !once(html, SCENARIO)) throw new Error("watch.html must have one place for a scenario");
      if (page === "playground") html = withEngine(html);
      writeFileSync(file, html);
      console.log(`${file}: ${(html.length / 1e6).toFixed(2)} MB`);
    },
  };
}

function withEngine(html: string): string {
  const engine = join(out, "engine.wasm.gz");
  if (!existsSync(engine)) {
    console.warn(`${engine} is missing: the playground has no engine. Run make web.`);
    return html;
  }
  const packed = readFileSync(engine).toString("base64");
  return html.replace(ENGINE, () => ENGINE.replace("><", () => `>${packed}<`));
}

export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), finish(mode)],
  worker: { format: "iife" },
  build: {
    outDir: out,
    emptyOutDir: false,
    target: "es2022",
    // Hints for files that are fetched later: there are none.
    modulePreload: false,
    rolldownOptions: { input: join(import.meta.dirname, `${mode}.html`) },
  },
  test: { include: ["test/*.test.ts"] },
}));
