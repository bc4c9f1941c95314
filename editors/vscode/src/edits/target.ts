// Resolves the edits of one document to operations on its present text.
//
// Contract: synchronous and without effect, so that the caller can check and edit in one tick. A document that has another version or
// another text than the edit is for is refused.

import type { TextDocument } from "vscode";
import { EndOfLine, Position, Range } from "vscode";
import { differs } from "../documents/digest";
import { readOnlyReason } from "../documents/editable";
import { uriKey } from "../documents/openDocuments";
import { shownPath } from "../documents/save";
import type { DocumentSync } from "../documents/sync";
import type { OffsetEdit } from "./minimal";
import { joinEdits, sortEdits, trimEdit } from "./minimal";
import type { DocumentEdit, WirePlace } from "./request";

export interface EditTarget {
  document: TextDocument;
  /** The text before the edits. */
  text: string;
  /** Sorted, minimal and few. */
  edits: OffsetEdit[];
}

/** Why a document is not edited. `isStale`: the user has typed, and the daemon tries again. `isUnknown`: the daemon has another text. */
export interface Refusal {
  reason: string;
  document?: TextDocument;
  isStale?: boolean;
  isUnknown?: boolean;
}

/** The offset of a place, or undefined if the document has no such place. */
function offsetOf(document: TextDocument, { line, character }: WirePlace): number | undefined {
  const position = line >= 0 && character >= 0 ? new Position(line, character) : undefined;
  if (!position || !document.validatePosition(position).isEqual(position)) {
    return undefined;
  }
  return document.offsetAt(position);
}

function offsetEdits(document: TextDocument, edit: DocumentEdit): OffsetEdit[] | string {
  const edits: OffsetEdit[] = [];
  // VS Code would write its own line ends; so the text after the edits is known.
  const lineEnd = document.eol === EndOfLine.CRLF ? "\r\n" : "\n";
  for (const { range, newText } of edit.edits) {
    const start = offsetOf(document, range.start);
    const end = offsetOf(document, range.end);
    if (start === undefined || end === undefined || end < start) {
      return `there is no place ${range.start.line + 1}:${range.start.character + 1} in it`;
    }
    edits.push({ start, end, text: newText.replace(/\r\n|\r|\n/g, lineEnd) });
  }
  return sortEdits(edits) ?? "the edits overlap";
}

/** Resolves an edit, or says why it is refused. */
export function resolveTarget(sync: DocumentSync, edit: DocumentEdit): EditTarget | Refusal {
  const name = shownPath(edit.uri);
  const document = sync.get(uriKey(edit.uri));
  if (!document || document.isClosed) {
    return { reason: `${name}: it is not open` };
  } else if (document.version !== edit.version) {
    const reason = `${name}: it has changed since: it is at version ${document.version}, the edit is for ${edit.version}`;
    return { reason, document, isStale: true };
  }
  const text = document.getText();
  if (edit.digest && differs(text, edit.digest)) {
    return { reason: `${name}: the daemon had another text of it`, document, isUnknown: true };
  }
  const readOnly = readOnlyReason(document);
  if (readOnly) {
    return { reason: `${name}: ${readOnly}`, document };
  }
  const edits = offsetEdits(document, edit);
  if (typeof edits === "string") {
    return { reason: `${name}: ${edits}`, document };
  }
  const trimmed = edits.map((one) => trimEdit(text, one)).filter((one) => one.start !== one.end || one.text !== "");
  return { document, text, edits: joinEdits(text, trimmed) };
}

/** The range of an edit in its document. */
export function rangeOf(document: TextDocument, edit: OffsetEdit): Range {
  return new Range(document.positionAt(edit.start), document.positionAt(edit.end));
}
