// The problems that VS Code shows, and when it last changed them.
//
// VS Code gives neither a version nor a source of the change. It collects changes for 50 ms and then tells of all of them, so an
// event right after a change of the text may be older than that text: it does not count.
//
// Contract: `isAbout` is true only if VS Code changed a document's problems after the document got its present text. Even then they may
// be an older check's.

import type { TextDocument, Uri } from "vscode";
import { Disposable, languages, workspace } from "vscode";
import { documentOf } from "../documents/openDocuments";
import { limits } from "../timeLimits";
import { lspDiagnostic } from "./convert";

/** The problems of a file, as LSP has them. */
export function shownDiagnostics(uri: Uri): object[] {
  return languages.getDiagnostics(uri).map(lspDiagnostic);
}

export class ShownProblems implements Disposable {
  /** When a document's text last changed. */
  readonly #changed = new WeakMap<TextDocument, number>();
  /** The version that a document had when its problems last changed. */
  readonly #shown = new WeakMap<TextDocument, number>();
  readonly #disposables: Disposable[];

  /** `report` is called for each loaded document whose problems changed after its text. */
  constructor(report: (document: TextDocument) => void) {
    this.#disposables = [
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          this.#changed.set(document, Date.now());
        }
      }),
      languages.onDidChangeDiagnostics(({ uris }) => {
        for (const document of uris.map(documentOf)) {
          if (document && Date.now() - (this.#changed.get(document) ?? 0) >= limits.problemsCollected) {
            this.#shown.set(document, document.version);
            report(document);
          }
        }
      }),
    ];
  }

  isAbout(document: TextDocument): boolean {
    return this.#shown.get(document) === document.version;
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }
}
