// Builds the extension into out/: our code, the language client, and the schema of copydesk.jsonc from the daemon's sources.
//
// The language client is a file of its own, because it is four times as large as our code and is loaded at the first connection: VS Code
// compiles a file as a whole, and activation would wait for it.
//
// Usage: node build.mjs [--watch]

import { cpSync, mkdirSync } from "node:fs";
import { context, build } from "esbuild";

const LIBRARY = "vscode-languageclient/node";
const LIBRARY_FILE = "languageClient";

const shared = {
  outdir: "out",
  bundle: true,
  minify: true,
  keepNames: true,
  sourcemap: "linked",
  platform: "node",
  format: "cjs",
  target: "node22",
  external: ["vscode"],
  // Named exports of a CommonJS file are not seen by `import()`.
  supported: { "dynamic-import": false },
  logLevel: "warning",
};
const librarySplit = {
  name: "library-split",
  setup: ({ onResolve }) => onResolve({ filter: new RegExp(`^${LIBRARY}$`) }, () => ({ path: `./${LIBRARY_FILE}.js`, external: true })),
};
const builds = [
  { ...shared, entryPoints: ["src/extension.ts"], plugins: [librarySplit] },
  { ...shared, entryPoints: { [LIBRARY_FILE]: LIBRARY } },
];

mkdirSync("out", { recursive: true });
cpSync("../../daemon/config/copydesk.schema.json", "out/copydesk.schema.json");
if (process.argv.includes("--watch")) {
  await Promise.all(builds.map(async (options) => (await context(options)).watch()));
} else {
  await Promise.all(builds.map((options) => build(options)));
}
