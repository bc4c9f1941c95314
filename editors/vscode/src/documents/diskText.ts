// Whether a document has the text of its file, and whether it is saved.

import { readFileSync, statSync } from "node:fs";
import type { TextDocument } from "vscode";

/** The bytes of a byte order mark in UTF-8. */
const MARK_BYTES = 3;

/** VS Code hides a byte order mark and makes line ends uniform. */
export function normalized(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

/** Reads the file at once, for answers that cannot wait. A file in another encoding than UTF-8, or with mixed line ends, counts as different. */
export function hasDiskText(document: TextDocument): boolean {
  if (document.uri.scheme !== "file") {
    return false;
  }
  try {
    const text = document.getText();
    const { size } = statSync(document.uri.fsPath);
    const bytes = Buffer.byteLength(text);
    // Nearly every file that differs has another size, and is not read.
    return (size === bytes || size === bytes + MARK_BYTES) && normalized(readFileSync(document.uri.fsPath, "utf8")) === normalized(text);
  } catch {
    return false;
  }
}

/** Whether VS Code stores the document as UTF-8. Only then can its text be compared with the file's bytes. */
function isUtf8(document: TextDocument): boolean {
  return document.encoding === "utf8" || document.encoding === "utf8bom";
}

/**
 * Whether a document has text that its file does not have. VS Code tells extensions that a document is clean after every save, also if
 * the document changed while the save was under way; so a clean document is compared with its file.
 */
export function isUnsaved(document: TextDocument): boolean {
  return document.isDirty || (document.uri.scheme === "file" && isUtf8(document) && !hasDiskText(document));
}
