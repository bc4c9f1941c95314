// Which documents the daemon knows: those that the user has open in a tab, sees, or has not saved.
//
// Other extensions load documents without a tab. The daemon must not edit those through VS Code, which would open a tab for each; it
// changes their files, and VS Code reads them again. So they are not synced.

import type { TextDocument } from "vscode";
import { TabInputNotebook, TabInputNotebookDiff, TabInputText, TabInputTextDiff, Uri, window, workspace } from "vscode";

/** The kinds of documents that have a text of the user. Others, such as the sides of a git diff, are views. */
const SCHEMES = new Set(["file", "untitled", "vscode-notebook-cell"]);

export function isDocument(document: TextDocument): boolean {
  return SCHEMES.has(document.uri.scheme);
}

/** One spelling for each URI: VS Code and the daemon escape different characters. */
export function uriKey(uri: string | Uri): string {
  return (typeof uri === "string" ? Uri.parse(uri) : uri).toString();
}

/** The loaded document of a URI. */
export function documentOf(uri: string | Uri): TextDocument | undefined {
  const key = uriKey(uri);
  return workspace.textDocuments.find((document) => document.uri.toString() === key);
}

function urisOf(input: unknown): Uri[] {
  if (input instanceof TabInputText) {
    return [input.uri];
  } else if (input instanceof TabInputTextDiff) {
    return [input.original, input.modified];
  } else if (input instanceof TabInputNotebook || input instanceof TabInputNotebookDiff) {
    const key = (input instanceof TabInputNotebook ? input.uri : input.modified).toString();
    const notebooks = workspace.notebookDocuments.filter((notebook) => notebook.uri.toString() === key);
    return notebooks.flatMap((notebook) => notebook.getCells().map((cell) => cell.document.uri));
  }
  return [];
}

/** The URIs in all tabs and visible editors. (A multi-file diff has no public tab input, but its visible editors are listed.) */
export function shownUris(): Set<string> {
  const shown = new Set<string>();
  for (const group of window.tabGroups.all) {
    for (const tab of group.tabs) {
      urisOf(tab.input).forEach((uri) => shown.add(uri.toString()));
    }
  }
  window.visibleTextEditors.forEach((editor) => shown.add(editor.document.uri.toString()));
  return shown;
}
