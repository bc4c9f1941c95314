// What the user points at: documents and selections that go with the next prompt.
//
// Contract: an item that was added goes with the next prompt, once. Texts are the documents' current ones, saved or not; the daemon
// reads whole documents itself.

import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ContextItem, WireRange } from "copydesk-protocol";
import type { TextEditor, Uri } from "vscode";
import { EventEmitter, Range } from "vscode";
import { promptPath, shownPath } from "../documents/save";

export interface ContextPiece {
  /** The path and lines for the user. */
  label: string;
  item: ContextItem;
}

/** Whether two pieces are the same place. Labels may be alike: two folders of a workspace may have one name. */
export function isSamePlace({ item: a }: ContextPiece, { item: b }: ContextPiece): boolean {
  return a.uri === b.uri && isDeepStrictEqual(a.range, b.range);
}

function linesOf({ start, end }: Range): string {
  const isAtLineStart = end.character === 0 && end.line > start.line;
  const [first, last] = [start.line + 1, end.line + (isAtLineStart ? 0 : 1)];
  return first === last ? `${first}` : `${first}-${last}`;
}

/** The path and lines of what an editor has selected, for the model; without a selection, the path. */
export function promptPlace({ document, selection }: TextEditor): string {
  const path = promptPath(document.uri.toString()) || basename(document.uri.path);
  return selection.isEmpty ? path : `${path}:${linesOf(selection)}`;
}

export function wireRange(range: Range): WireRange {
  const { start, end } = range;
  return { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
}

/** A whole document. */
export function filePiece(uri: Uri): ContextPiece {
  return { label: shownPath(uri.toString()) || basename(uri.path), item: { uri: uri.toString() } };
}

/** The selection of an editor; undefined if nothing is selected. */
export function selectionPiece({ document, selection }: TextEditor): ContextPiece | undefined {
  if (selection.isEmpty) {
    return undefined;
  }
  const item = { uri: document.uri.toString(), range: wireRange(selection), text: document.getText(selection) };
  return { label: `${shownPath(item.uri)}:${linesOf(selection)}`, item };
}

/** The items that go with the next prompt. */
export class PromptContext {
  #pieces: ContextPiece[] = [];
  readonly #changed = new EventEmitter<void>();
  readonly onDidChange = this.#changed.event;

  get pieces(): readonly ContextPiece[] {
    return this.#pieces;
  }

  add(piece: ContextPiece): void {
    this.#pieces = [...this.#pieces.filter((one) => !isSamePlace(one, piece)), piece];
    this.#changed.fire();
  }

  /** Drops the pieces that a prompt took along. */
  remove(pieces: readonly ContextPiece[]): void {
    this.#pieces = this.#pieces.filter((one) => !pieces.includes(one));
    this.#changed.fire();
  }
}
