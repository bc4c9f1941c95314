// What the user has on the screen, for the daemon: the selection, the open files, and showing a place.
//
// Contract: only documents count. Questions change nothing. Showing a place takes the focus only if the daemon says so.

import type { OpenFilesResult, SelectionResult, ShowParams, ShowResult } from "copydesk-protocol";
import type { TextEditor } from "vscode";
import { Disposable, Range, Selection, TabInputText, TextEditorRevealType, Uri, ViewColumn, window } from "vscode";
import type { Connection } from "../daemon/connection";
import { isUnsaved } from "./diskText";
import { documentOf, isDocument } from "./openDocuments";

export class Screen implements Disposable {
  /** The editor of a document that has the focus, or had it last. */
  #last: TextEditor | undefined = window.activeTextEditor;
  readonly #listener: Disposable;

  constructor(connection: Connection) {
    this.#listener = window.onDidChangeActiveTextEditor((editor) => {
      if (editor && isDocument(editor.document)) {
        this.#last = editor;
      }
    });
    connection.handle("copydesk/editor/selection", async () => this.#selection(), () => ({}));
    connection.handle("copydesk/editor/openFiles", async () => this.#openFiles(), () => ({}));
    connection.handle("copydesk/editor/show", (params) => this.#show(params), () => ({ shown: false }));
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** The editor of a document that the user works in. The focus may be in a panel or in an input meanwhile, which VS Code counts as editors. */
  editor(): TextEditor | undefined {
    return this.#last && window.visibleTextEditors.includes(this.#last) && isDocument(this.#last.document) ? this.#last : undefined;
  }

  #selection(): SelectionResult {
    const editor = this.editor();
    if (!editor) {
      return {};
    }
    const { start, end } = editor.selection;
    const range = { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
    return { selection: { uri: editor.document.uri.toString(), range, text: editor.document.getText(editor.selection) } };
  }

  #openFiles(): OpenFilesResult {
    const active = this.editor()?.document.uri.toString();
    const visible = new Set(window.visibleTextEditors.map((editor) => editor.document.uri.toString()));
    const inputs = window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.input));
    const uris = new Set(inputs.filter((input) => input instanceof TabInputText).map((input) => input.uri.toString()));
    const files = [...uris].map((uri) => {
      const document = documentOf(uri);
      return { uri, active: uri === active, visible: visible.has(uri), dirty: document !== undefined && isUnsaved(document), language: document?.languageId };
    });
    return { files: files.sort((a, b) => Number(b.active) - Number(a.active) || Number(b.visible) - Number(a.visible)) };
  }

  async #show({ uri, range, focus }: ShowParams): Promise<ShowResult> {
    const place = range && new Range(range.start.line, range.start.character, range.end.line, range.end.character);
    const shown = window.visibleTextEditors.find((editor) => editor.document.uri.toString() === Uri.parse(uri).toString());
    // Without the focus, the editor that the user works in keeps its document.
    const viewColumn = shown?.viewColumn ?? (focus || !window.activeTextEditor ? ViewColumn.Active : ViewColumn.Beside);
    const editor = await window.showTextDocument(Uri.parse(uri), { viewColumn, preserveFocus: !focus, preview: true });
    if (place) {
      editor.revealRange(place, TextEditorRevealType.InCenterIfOutsideViewport);
      if (focus) {
        editor.selection = new Selection(place.start, place.end);
      }
    }
    return { shown: true };
  }
}
