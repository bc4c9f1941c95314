// Draws the hunks in the visible editors: lines, gutter, overview ruler, words.
//
// Contract: VS Code moves decorations with the text, so typing draws nothing. Colours are the theme's own.

import type { DecorationRenderOptions, TextEditor, TextEditorDecorationType, Uri } from "vscode";
import { DecorationRangeBehavior, Disposable, OverviewRulerLane, ThemeColor, Uri as UriClass, window } from "vscode";
import type { MarkKind } from "./marks";
import { markKinds, marksOf } from "./marks";
import type { Reviews } from "./reviews";

function ruler(color: string): DecorationRenderOptions {
  return { overviewRulerColor: new ThemeColor(color), overviewRulerLane: OverviewRulerLane.Left };
}

/** The style of a text after the line's end. */
const NOTE: DecorationRenderOptions = { after: { color: new ThemeColor("editorCodeLens.foreground"), margin: "0 0 0 2em" } };

function looks(icon: (name: string) => Uri): Record<MarkKind, DecorationRenderOptions> {
  const line = (background: string): DecorationRenderOptions => ({
    isWholeLine: true,
    backgroundColor: new ThemeColor(background),
    rangeBehavior: DecorationRangeBehavior.ClosedOpen,
  });
  const border = (color: string, width: string): DecorationRenderOptions => ({
    isWholeLine: true,
    borderColor: new ThemeColor(color),
    borderStyle: "dashed",
    borderWidth: width,
  });
  const removed = { ...NOTE, ...ruler("editorOverviewRuler.deletedForeground"), gutterIconPath: icon("removed") };
  const proposed = { ...NOTE, ...ruler("editorOverviewRuler.warningForeground"), gutterIconPath: icon("proposed") };
  return {
    added: { ...line("diffEditor.insertedLineBackground"), ...ruler("editorOverviewRuler.addedForeground"), gutterIconPath: icon("added") },
    changed: { ...line("diffEditor.insertedLineBackground"), ...ruler("editorOverviewRuler.modifiedForeground"), gutterIconPath: icon("changed") },
    removedAbove: { ...border("editorGutter.deletedBackground", "1px 0 0 0"), ...removed },
    removedBelow: { ...border("editorGutter.deletedBackground", "0 0 1px 0"), ...removed },
    word: { backgroundColor: new ThemeColor("diffEditor.insertedTextBackground") },
    proposed: { ...line("diffEditor.removedLineBackground"), ...proposed },
    proposedHere: { ...border("editorWarning.foreground", "1px 0 0 0"), ...proposed },
  };
}

export class Decorations implements Disposable {
  #types: Record<MarkKind, TextEditorDecorationType> | undefined;
  /** Editors that have marks, which must be removed when the last hunk is gone. */
  readonly #drawn = new WeakSet<TextEditor>();
  readonly #disposables: Disposable[];

  constructor(
    private readonly reviews: Reviews,
    private readonly extensionUri: Uri,
  ) {
    this.#disposables = [
      reviews.onDidChange(({ uris }) => {
        window.visibleTextEditors.filter((editor) => uris.has(editor.document.uri.toString())).forEach((editor) => this.#draw(editor));
      }),
      window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.#draw(editor))),
    ];
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
    Object.values(this.#types ?? {}).forEach((type) => type.dispose());
  }

  #draw(editor: TextEditor): void {
    const placed = this.reviews.placed(editor.document);
    if (placed.length === 0 && !this.#drawn.has(editor)) {
      return;
    }
    this.#types ??= this.#create();
    const marks = marksOf(editor.document, placed);
    for (const kind of markKinds) {
      editor.setDecorations(this.#types[kind], marks[kind]);
    }
    if (placed.length > 0) {
      this.#drawn.add(editor);
    } else {
      this.#drawn.delete(editor);
    }
  }

  #create(): Record<MarkKind, TextEditorDecorationType> {
    const styles = looks((name) => UriClass.joinPath(this.extensionUri, "media", `${name}.svg`));
    const type = (kind: MarkKind) => window.createTextEditorDecorationType(styles[kind]);
    return {
      added: type("added"),
      changed: type("changed"),
      removedAbove: type("removedAbove"),
      removedBelow: type("removedBelow"),
      word: type("word"),
      proposed: type("proposed"),
      proposedHere: type("proposedHere"),
    };
  }
}
