/** Builds the script of interactive reports into one file: `vite build --config vite.rerun.config.ts`. */

import { join, resolve } from "node:path";
import { defineConfig } from "vite";

export default defineConfig({
  worker: { format: "iife" },
  build: {
    outDir: resolve(process.env.HOPSCOPE_WEB_OUT ?? join(import.meta.dirname, "../python/hopscope/web")),
    emptyOutDir: false,
    target: "es2022",
    lib: {
      entry: join(import.meta.dirname, "src/rerun/main.ts"),
      formats: ["iife"],
      name: "hopscopeAgain",
      fileName: () => "rerun.js",
    },
  },
});
