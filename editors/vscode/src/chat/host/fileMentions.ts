// Files that a prompt mentions as `@path`.
//
// Contract: only files of the workspace. Searching is bounded and is cancelled by the next one.

import { resolve } from "node:path";
import { CancellationTokenSource, FileType, TabInputText, Uri, window, workspace } from "vscode";
import { promptPath, shownPath } from "../../documents/save";
import type { ContextPiece } from "../../sessions/context";
import { filePiece } from "../../sessions/context";
import { MAX_COMPLETIONS } from "../wire/messages";
import { labelOf } from "./plainText";

/** How many files are found and ranked. */
const MAX_FOUND = 400;

/** A glob that matches a text anywhere, whatever its case. */
function looseGlob(text: string): string {
  const loose = (letter: string) => {
    const [low, high] = [letter.toLowerCase(), letter.toUpperCase()];
    return low !== high ? `[${low}${high}]` : "*?{}[],!\\".includes(letter) ? "?" : letter;
  };
  const pattern = [...text].map(loose).join("");
  return `{**/*${pattern}*,**/*${pattern}*/**}`;
}

/** The files in tabs, which are what the user most likely means. */
function openFiles(): Uri[] {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap(({ input }) => (input instanceof TabInputText && input.uri.scheme === "file" ? [input.uri] : []));
}

/** Names that begin with the text come first, then short paths. */
function rank(path: string, text: string): number {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  const wanted = text.split("/").at(-1)?.toLowerCase() ?? "";
  return (name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1_000 : 2_000) + Math.min(path.length, 999);
}

export class FileSearch {
  #search: CancellationTokenSource | undefined;

  /** Paths that complete a text, the best first. */
  async complete(text: string): Promise<string[]> {
    this.#search?.cancel();
    const search = (this.#search = new CancellationTokenSource());
    const found = text === "" ? openFiles() : await workspace.findFiles(looseGlob(text), undefined, MAX_FOUND, search.token);
    const paths = [...new Set(found.map((uri) => labelOf(shownPath(uri.toString()), 1_000)))].filter((path) => !/\s/.test(path));
    const sorted = text === "" ? paths : paths.sort((a, b) => rank(a, text) - rank(b, text));
    return sorted.slice(0, MAX_COMPLETIONS);
  }
}

export async function filePieceOf(name: string): Promise<ContextPiece | undefined> {
  const file = await fileOf(name);
  return file && filePiece(file);
}

/** The file of a mention; undefined if there is none. */
export async function fileOf(name: string): Promise<Uri | undefined> {
  for (const { uri } of workspace.workspaceFolders?.filter((folder) => folder.uri.scheme === "file") ?? []) {
    for (const candidate of [resolve(uri.fsPath, name), resolve(uri.fsPath, "..", name)].map((path) => Uri.file(path))) {
      const isOwn =
        workspace.getWorkspaceFolder(candidate) !== undefined && [shownPath, promptPath].some((path) => path(candidate.toString()) === name);
      const type = isOwn
        ? await workspace.fs.stat(candidate).then(
            ({ type }) => type,
            () => undefined,
          )
        : undefined;
      if (type !== undefined && type & FileType.File) {
        return candidate;
      }
    }
  }
  return undefined;
}
