// Whether documents without a tab have the text that is on the disk.
//
// VS Code reads a file again some tenths of a second after it has changed. Until then a language server has an old text of it, while
// the daemon, which does not know such documents, takes the disk's.
//
// Contract: a document counts as current only if its text was compared with the file in its present state.

import { readFile, stat } from "node:fs/promises";
import type { TextDocument } from "vscode";
import { normalized } from "../documents/diskText";

interface ComparedFile {
  version: number;
  modified: number;
  changed: number;
  size: number;
}

export class DiskTexts {
  readonly #same = new WeakMap<TextDocument, ComparedFile>();

  async areCurrent(documents: readonly TextDocument[]): Promise<boolean> {
    const current = await Promise.all(documents.map((document) => this.#isCurrent(document)));
    return current.every(Boolean);
  }

  async #isCurrent(document: TextDocument): Promise<boolean> {
    try {
      const { version } = document;
      const { mtimeMs: modified, ctimeMs: changed, size } = await stat(document.uri.fsPath);
      const same = this.#same.get(document);
      if (same?.version === version && same.modified === modified && same.changed === changed && same.size === size) {
        return true;
      }
      const text = await readFile(document.uri.fsPath, "utf8");
      if (document.version !== version || normalized(text) !== normalized(document.getText())) {
        return false;
      }
      this.#same.set(document, { version, modified, changed, size });
      return true;
    } catch {
      // It is gone, and VS Code has not seen that yet.
      return false;
    }
  }
}
