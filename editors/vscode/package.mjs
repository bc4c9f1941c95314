// Checks the types, and packages the extension as copydesk.vsix, or with --bundled as copydesk-TARGET.vsix with the binary of this platform inside.
//
// The binary is `$COPYDESK_BINARY`, or the release build of this clone. The binary is copied to bin/ and removed afterwards.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const isBundled = process.argv.includes("--bundled");
const isWindows = process.platform === "win32";
const target = `${process.platform === "linux" ? "linux" : process.platform}-${process.arch}`;
const output = isBundled ? `copydesk-${target}.vsix` : "copydesk.vsix";
const program = isWindows ? "copydesk.exe" : "copydesk";

function run(command, args) {
  const done = spawnSync(command, args, { stdio: "inherit", shell: isWindows });
  if (done.status !== 0) {
    process.exitCode = done.status ?? 1;
    throw new Error(`${command} ${args.join(" ")} failed`);
  }
}

function copyBinary() {
  const binary = process.env.COPYDESK_BINARY ?? join("..", "..", "target", "release", program);
  if (!existsSync(binary)) {
    throw new Error(`there is no ${binary}: run \`cargo build --release\` first, or set COPYDESK_BINARY`);
  }
  mkdirSync("bin", { recursive: true });
  copyFileSync(binary, join("bin", program));
}

for (const project of [".", "tsconfig.page.json"]) {
  run(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-p", project]);
}
run(process.execPath, ["build.mjs"]);
copyFileSync("../../LICENSE", "LICENSE");
try {
  if (isBundled) {
    copyBinary();
  }
  const vsce = join("node_modules", ".bin", isWindows ? "vsce.cmd" : "vsce");
  run(vsce, ["package", "--no-dependencies", "--allow-missing-repository", "--out", output, ...(isBundled ? ["--target", target] : [])]);
} finally {
  rmSync("bin", { recursive: true, force: true });
  rmSync("LICENSE", { force: true });
}
console.log(`${output}: ${Math.ceil(statSync(output).size / 1024)} KB`);
