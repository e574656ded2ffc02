import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Django serves what is built here, below /static/, and finds the file names in the manifest.
export default defineConfig({
  base: "/static/dashboard/",
  plugins: [react()],
  resolve: { alias: { "@": here("./src") } },
  build: {
    outDir: here("../platform/controlplane/web/dashboard/static/dashboard"),
    emptyOutDir: true,
    manifest: "manifest.json",
    rollupOptions: { input: here("./src/main.tsx") },
    chunkSizeWarningLimit: 900,
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    testTimeout: 120_000,
    setupFiles: [here("./src/test-setup.ts")],
  },
});
