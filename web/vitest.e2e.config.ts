/** Tests in a browser, over the built pages: `npm run build` first. One after the other: they share two cores. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/e2e/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // On a busy machine a browser may take longer to open a page than Playwright waits.
    retry: 2,
  },
});
