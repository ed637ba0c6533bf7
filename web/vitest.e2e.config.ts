/** Tests in a browser, over the built pages: `npm run build` first. One after the other: they share two cores. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/e2e/*.test.ts"], fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 },
});
