// Whether a document can take an edit, and can be saved.
//
// VS Code answers yes to an edit of a read-only document, and saves a file with a wrong encoding so that its bytes are lost. So the
// extension checks first. The checks are synchronous: they run in the tick in which the edit is made.

import { accessSync, constants, readFileSync, statSync } from "node:fs";
import type { TextDocument } from "vscode";
import { languages, RelativePattern, workspace } from "vscode";

/** Whether one of the patterns that are on in a setting such as `files.readonlyInclude` matches the file. */
function isListed(setting: string, document: TextDocument): boolean {
  const patterns = workspace.getConfiguration("files", document.uri).get<Record<string, boolean>>(setting, {});
  const folder = workspace.getWorkspaceFolder(document.uri);
  return Object.entries(patterns).some(([pattern, isOn]) => {
    const places = folder ? [{ pattern }, { pattern: new RelativePattern(folder, pattern) }] : [{ pattern }];
    return isOn && languages.match(places, document) > 0;
  });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    // A file that does not exist yet, or no longer, is written by saving it.
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}

/** Whether the file's permissions forbid writing. Root may write anyway, but the owner did not mean that. */
function isReadOnlyMode(path: string): boolean {
  try {
    return (statSync(path).mode & 0o222) === 0;
  } catch {
    return false;
  }
}

/** Whether the document has replacement characters because its file is not UTF-8. Saving would write those instead of the bytes. */
function isMisread(document: TextDocument): boolean {
  if (!document.encoding.startsWith("utf8") || !document.getText().includes("\uFFFD")) {
    return false;
  }
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(document.uri.fsPath));
    return false;
  } catch (error) {
    return error instanceof TypeError;
  }
}

/** Why a document cannot be changed, or undefined. */
export function readOnlyReason(document: TextDocument): string | undefined {
  if (document.uri.scheme !== "file") {
    return undefined;
  }
  const path = document.uri.fsPath;
  if (isListed("readonlyInclude", document) && !isListed("readonlyExclude", document)) {
    return "it is read-only by the setting files.readonlyInclude";
  } else if (!isWritable(path) || isReadOnlyMode(path)) {
    return "its file may not be written";
  } else if (isMisread(document)) {
    return "its file is not UTF-8: reopen it in VS Code with its encoding first, because saving it would destroy characters";
  }
  return undefined;
}
