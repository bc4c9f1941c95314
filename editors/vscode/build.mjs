// Builds the extension into out/: one minified file, and the schema of copydesk.jsonc from the daemon's sources.
//
// Usage: node build.mjs [--watch]

import { cpSync, mkdirSync } from "node:fs";
import { context, build } from "esbuild";

const options = {
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  minify: true,
  keepNames: true,
  sourcemap: "linked",
  platform: "node",
  format: "cjs",
  target: "node22",
  external: ["vscode"],
  logLevel: "warning",
};

mkdirSync("out", { recursive: true });
cpSync("../../daemon/config/copydesk.schema.json", "out/copydesk.schema.json");
if (process.argv.includes("--watch")) {
  await (await context(options)).watch();
} else {
  await build(options);
}
