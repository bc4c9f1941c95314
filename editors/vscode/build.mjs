// Builds the extension into out/: our code, the language client, the page of the chat with its style and its icons, and the schema of
// copydesk.jsonc from the daemon's sources.
//
// The language client is a file of its own, because it is larger than our code and is loaded at the first connection: VS Code compiles a
// file as a whole, and activation would wait for it.
//
// Usage: node build.mjs [--watch]

import { cpSync, mkdirSync } from "node:fs";
import { context, build } from "esbuild";

const LIBRARY = "vscode-languageclient/node";
const LIBRARY_FILE = "languageClient";

const shared = { outdir: "out", bundle: true, minify: true, sourcemap: "linked", logLevel: "warning" };

const host = {
  ...shared,
  keepNames: true,
  platform: "node",
  format: "cjs",
  target: "node22",
  external: ["vscode"],
  // Named exports of a CommonJS file are not seen by `import()`.
  supported: { "dynamic-import": false },
};

const librarySplit = {
  name: "library-split",
  setup: ({ onResolve }) => onResolve({ filter: new RegExp(`^${LIBRARY}$`) }, () => ({ path: `./${LIBRARY_FILE}.js`, external: true })),
};

const page = {
  ...shared,
  entryPoints: { chat: "src/chat/page/main.tsx" },
  platform: "browser",
  format: "iife",
  // The Chromium of VS Code 1.106.
  target: "chrome138",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file" },
  assetNames: "[name]",
};

const builds = [
  { ...host, entryPoints: ["src/extension.ts"], plugins: [librarySplit] },
  { ...host, entryPoints: { [LIBRARY_FILE]: LIBRARY } },
  page,
];

mkdirSync("out", { recursive: true });
cpSync("../../daemon/config/copydesk.schema.json", "out/copydesk.schema.json");
if (process.argv.includes("--watch")) {
  await Promise.all(builds.map(async (options) => (await context(options)).watch()));
} else {
  await Promise.all(builds.map((options) => build(options)));
}
