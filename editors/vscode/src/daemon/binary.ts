// Finds the program `copydesk`: by the setting `copydesk.path`, on PATH, or inside the extension.
//
// Contract: finding it runs nothing. A relative path or one with a variable in a repository's settings is never used: VS Code ignores
// the setting in folders that are not trusted (`restrictedConfigurations`), and only absolute paths and names on PATH count.

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { workspace } from "vscode";
import { limits } from "../timeLimits";

const PROGRAM = process.platform === "win32" ? "copydesk.exe" : "copydesk";

export type FoundBinary = { path: string } | { problem: string };

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** The path of the program, or why there is none. */
export function findBinary(extensionFolder: string): FoundBinary {
  const wanted = workspace.getConfiguration("copydesk").get<string>("path", "").trim();
  if (wanted !== "") {
    const path = wanted.startsWith("~/") ? join(homedir(), wanted.slice(2)) : wanted;
    if (!isAbsolute(path)) {
      return { problem: `The setting copydesk.path is \`${wanted}\`; it must be an absolute path.` };
    }
    return isProgram(path) ? { path } : { problem: `The setting copydesk.path names \`${path}\`, which is no program.` };
  }
  const path = onPath(PROGRAM) ?? [join(extensionFolder, "bin", PROGRAM)].find(isProgram);
  return path ? { path } : { problem: "Copydesk's program `copydesk` is not on PATH." };
}

/** The output of a command of the program; its exit code is a verdict, not a failure. Rejects if it prints nothing or takes too long. */
export function runBinary(path: string, args: string[], folder: string | undefined, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: limit, cwd: folder, env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 16 * 1024 * 1024 };
    execFile(path, args, options, (error, stdout, stderr) => {
      if (error?.killed) {
        reject(new Error(`\`copydesk ${args[0]}\` did not finish in ${limit / 1000} seconds.`));
      } else if (stdout.trim() === "") {
        reject(new Error(`\`copydesk ${args[0]}\` failed: ${stderr.trim() || error?.message || "it printed nothing"}`));
      } else {
        resolve(stdout);
      }
    });
  });
}

/** The version that the program reports. */
export async function binaryVersion(path: string): Promise<string> {
  const output = await runBinary(path, ["--version"], undefined, limits.versionCommand);
  const version = /\d+\.\d+\.\d+\S*/.exec(output)?.[0];
  if (!version) {
    throw new Error(`\`${path} --version\` printed no version.`);
  }
  return version;
}
