// Builds the page into the Python package. File names are fixed, so that a rebuild changes only what changed.
import preact from "@preact/preset-vite";
import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const eager = {
  // Chromium then compiles everything while the page loads, not at the first count. The minifier would drop the line.
  name: "eager",
  generateBundle(_, bundle) {
    bundle["page.js"].code = `//# allFunctionsCalledOnLoad\n${bundle["page.js"].code}`;
  },
};

const licenses = {
  // The licence of the package in page.js asks to be shipped with it.
  name: "licenses",
  generateBundle() {
    const license = readFileSync(new URL("node_modules/preact/LICENSE", import.meta.url), "utf8");
    this.emitFile({ type: "asset", fileName: "licenses.txt", source: `preact\n\n${license.trim()}\n` });
  },
};

export default defineConfig({
  plugins: [preact({ devToolsEnabled: false }), eager, licenses],
  base: "./",
  build: {
    outDir: "../src/tengen/protocols/http/page",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: { entryFileNames: "page.js", assetFileNames: "page.[ext]", inlineDynamicImports: true },
    },
  },
});
