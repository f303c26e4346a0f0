// Builds the page into the Python package. File names are fixed, so that a rebuild changes only what changed.
import preact from "@preact/preset-vite";
import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const plainBoard = {
  // The board's texture has 195 kB; our own style paints the board.
  name: "plain-board",
  enforce: "pre",
  transform: (code, id) => (id.endsWith("goban.css") ? code.replace("url('./board.png')", "") : null),
};

const eager = {
  // Chromium then compiles everything while the page loads, not at the first count. The minifier would drop the line.
  name: "eager",
  generateBundle(_, bundle) {
    bundle["page.js"].code = `//# allFunctionsCalledOnLoad\n${bundle["page.js"].code}`;
  },
};

const licenses = {
  // The licences of the packages in page.js ask to be shipped with it.
  name: "licenses",
  generateBundle() {
    const text = ["preact", "@sabaki/shudan", "classnames"].map((name) => {
      const license = readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8");
      return `${name}\n\n${license.trim()}\n`;
    });
    this.emitFile({ type: "asset", fileName: "licenses.txt", source: text.join("\n\n") });
  },
};

export default defineConfig({
  plugins: [preact({ devToolsEnabled: false }), plainBoard, eager, licenses],
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
