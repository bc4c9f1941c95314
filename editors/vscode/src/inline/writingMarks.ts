// A mark at lines that the model is about to rewrite: there is nothing of the proposal to see yet.

import type { DecorationOptions } from "vscode";
import { Disposable, Range, ThemeColor, window } from "vscode";
import type { EditLines } from "./place";

export interface MarkedLines {
  uri: string;
  lines: EditLines;
}

export class WritingMarks implements Disposable {
  readonly #type = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor("editor.rangeHighlightBackground"),
    after: { color: new ThemeColor("editorCodeLens.foreground"), margin: "0 0 0 2em" },
  });

  /** Draws the marks in the visible editors. VS Code moves them with the text. */
  draw(marked: readonly MarkedLines[]): void {
    for (const editor of window.visibleTextEditors) {
      const uri = editor.document.uri.toString();
      const here = marked.filter((one) => one.uri === uri);
      editor.setDecorations(this.#type, here.flatMap(({ lines }) => optionsOf(lines)));
    }
  }

  dispose(): void {
    this.#type.dispose();
  }
}

function optionsOf({ first, last }: EditLines): DecorationOptions[] {
  const name = { range: new Range(first, 0, first, 0), renderOptions: { after: { contentText: "is being rewritten" } } };
  return last > first ? [name, { range: new Range(first + 1, 0, last, 0) }] : [name];
}
