// The built-in TypeScript: its extension passes requests on to tsserver, which answers for the texts as they are at that moment.
//
// Contract: only requests for diagnostics go through. The response is tsserver's own. The command is not documented, so whether it
// exists is looked up; without it, TypeScript is a language like any other.

import { commands, extensions, Uri } from "vscode";
import { limits } from "../timeLimits";
import { late, within } from "./deadline";
import { RequestProblem } from "./requestProblem";

export const typescriptLanguages: ReadonlySet<string> = new Set([
  "javascript",
  "javascriptreact",
  "typescript",
  "typescriptreact",
]);

const EXTENSION = "vscode.typescript-language-features";
export const TSSERVER_COMMAND = "typescript.tsserverRequest";
const REQUESTS: ReadonlySet<unknown> = new Set(["syntacticDiagnosticsSync", "semanticDiagnosticsSync"]);

/** Whether tsserver can be asked. VS Code starts the extension for any TypeScript document; this waits for it. */
export async function canAskTsserver(): Promise<boolean> {
  await extensions.getExtension(EXTENSION)?.activate();
  return (await commands.getCommands(true)).includes(TSSERVER_COMMAND);
}

/** Asks tsserver; `args` are the arguments of the command. */
export async function askTsserver(args: unknown, end: AbortSignal): Promise<unknown> {
  const [request, target] = Array.isArray(args) ? args : [];
  const file: unknown = Object(target).file;
  if (!REQUESTS.has(request) || typeof file !== "string") {
    throw new RequestProblem("only tsserver's diagnostics can be asked for");
  }
  // The daemon sends a path, or a URI if the path has a `%`.
  const uri = file.startsWith("file:") ? Uri.parse(file) : Uri.file(file);
  const answer = await within(commands.executeCommand(TSSERVER_COMMAND, request, { file: uri }), limits.tsserver, end);
  if (answer === late) {
    throw new RequestProblem("TypeScript did not answer in time");
  }
  return answer;
}
