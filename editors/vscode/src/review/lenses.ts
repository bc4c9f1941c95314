// CodeLenses on each hunk: Accept, Reject, Comment; and on a created or renamed file.
//
// Contract: lenses name hunks by id, because VS Code shows old ones for a moment; the daemon checks each decision. In a document of
// many hunks only those near the visible lines are offered: thousands of lenses slow typing down.

import type { CodeLensProvider, TextDocument } from "vscode";
import { CodeLens, Disposable, EventEmitter, Range, window, workspace } from "vscode";
import { limits } from "../timeLimits";
import type { PlacedHunk } from "./places";
import type { Reviews } from "./reviews";
import type { ReviewState } from "./store";

/** A document with fewer hunks gets all lenses. */
const FEW = 100;
/** How many lines around the visible ones count as near. */
const NEAR = 100;

function lens(line: number, title: string, command: string, argument: object): CodeLens {
  return new CodeLens(new Range(line, 0, line, 0), { title, command, arguments: [argument] });
}

function hunkLenses({ review, hunk, first }: PlacedHunk, lineCount: number): CodeLens[] {
  const line = Math.min(first, lineCount - 1);
  const argument = { hunk: hunk.hunk };
  if (review.writing) {
    return [lens(line, "$(loading~spin) The model writes…", "copydesk.review.reject", argument)];
  }
  const lenses = [
    lens(line, "$(check) Accept", "copydesk.review.accept", argument),
    lens(line, "$(close) Reject", "copydesk.review.reject", argument),
    lens(line, "$(comment) Comment", "copydesk.review.comment", argument),
  ];
  if (review.when === "before") {
    lenses.push(lens(line, "$(diff) Show the proposal", "copydesk.review.showRemoved", argument));
  } else if (hunk.oldLines > 0) {
    lenses.push(lens(line, hunk.oldLines === 1 ? "1 removed line" : `${hunk.oldLines} removed lines`, "copydesk.review.showRemoved", argument));
  }
  return lenses;
}

function fileLenses({ id, file }: ReviewState): CodeLens[] {
  if (!file) {
    return [];
  }
  const what = file.kind === "created" ? "new file" : file.kind === "renamed" ? "renaming" : "deletion";
  return [
    lens(0, `$(check) Accept the ${what}`, "copydesk.review.accept", { hunk: file.hunk }),
    lens(0, `$(close) Reject the ${what}`, "copydesk.review.reject", { hunk: file.hunk }),
    lens(0, "$(check-all) Accept all of this file", "copydesk.review.acceptFile", { review: id }),
  ];
}

export class HunkLenses implements CodeLensProvider, Disposable {
  readonly #changed = new EventEmitter<void>();
  readonly #disposables: Disposable[];
  #timer: NodeJS.Timeout | undefined;

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(private readonly reviews: Reviews) {
    this.#disposables = [
      reviews.onDidChange(() => this.#changed.fire()),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("copydesk.review.codeLens") && this.#changed.fire()),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        if (this.reviews.placed(textEditor.document).length > FEW) {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => this.#changed.fire(), limits.scrollRest);
        }
      }),
    ];
  }

  provideCodeLenses(document: TextDocument): CodeLens[] {
    if (!workspace.getConfiguration("copydesk.review").get("codeLens", true)) {
      return [];
    }
    const placed = this.reviews.placed(document);
    const near = placed.length <= FEW ? placed : this.#near(document, placed);
    const reviews = this.reviews.store.all({ uri: document.uri.toString() });
    return [...reviews.flatMap(fileLenses), ...near.flatMap((one) => hunkLenses(one, document.lineCount))];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.forEach((one) => one.dispose());
    this.#changed.dispose();
  }

  #near(document: TextDocument, placed: PlacedHunk[]): PlacedHunk[] {
    const visible = window.visibleTextEditors.filter((editor) => editor.document === document).flatMap((editor) => editor.visibleRanges);
    return placed.filter(({ first, count }) => {
      return visible.some((range) => first + count >= range.start.line - NEAR && first <= range.end.line + NEAR);
    });
  }
}
