// Goes from the chat into an editor: opens a place, inserts a text.
//
// Contract: a path in a model's text leads only to an existing file of the workspace or of the session's folder. Inserting is one
// undo step in the editor that the user used last.

import { isAbsolute, relative, resolve } from "node:path";
import { Range, Uri, window, workspace } from "vscode";
import { DaemonError } from "../../daemon/requests";
import { show } from "../../review/navigate";

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

/** Opens a file at a line, from 1. */
export async function openPlace(path: string, line: number | undefined, folder: string | undefined): Promise<void> {
  const open = workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath) ?? [];
  const folders = [...(folder === undefined || folder === "" ? [] : [folder]), ...open];
  const candidates = folders.map((one) => resolve(one, path)).filter((one) => folders.some((other) => isInside(other, one)));
  for (const candidate of new Set(candidates)) {
    const uri = Uri.file(candidate);
    const isFile = await workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (isFile) {
      const editor = await window.showTextDocument(uri, { preview: true });
      if (line !== undefined) {
        show(editor, Math.max(0, line - 1));
      }
      return;
    }
  }
  throw new DaemonError(`There is no file ${path} in this workspace.`);
}

/** Inserts a text at the cursor, or over the selection. */
export async function insertAtCursor(text: string): Promise<void> {
  const editor = window.activeTextEditor ?? window.visibleTextEditors.find(({ document }) => document.uri.scheme === "file");
  if (!editor) {
    throw new DaemonError("Open a file to insert the code into.");
  }
  const places = editor.selections.map(({ start, end }) => new Range(start, end));
  const isDone = await editor.edit((edit) => places.forEach((place) => edit.replace(place, text)));
  if (!isDone) {
    throw new DaemonError("The editor did not take the code; try again.");
  }
  await window.showTextDocument(editor.document, { viewColumn: editor.viewColumn });
}
