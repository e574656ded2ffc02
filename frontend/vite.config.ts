import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { cytoscapeParts } from "./smallCytoscape.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Write a compressed copy of each file next to it; WhiteNoise sends it to browsers that accept it. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const path = join(dir ?? "", name);
      const content = readFileSync(path);
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      writeFileSync(`${path}.br`, brotliCompressSync(content));
    }
  },
};

// Django serves what is built here, below /static/, and finds the file names in the manifest.
export default defineConfig({
  base: "/static/dashboard/",
  plugins: [react(), cytoscapeParts, compressed],
  resolve: { alias: { "@": here("./src") } },
  build: {
    outDir: here("../platform/controlplane/web/dashboard/static/dashboard"),
    emptyOutDir: true,
    manifest: "manifest.json",
    rollupOptions: { input: here("./src/main.tsx") },
    chunkSizeWarningLimit: 900,
  },
  test: {
    testTimeout: 120_000,
    // Only tests of components need a DOM, which takes half a second per file.
    projects: [
      { extends: true, test: { name: "modules", include: ["src/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "components",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: [here("./src/test-setup.ts")],
        },
      },
    ],
  },
});
