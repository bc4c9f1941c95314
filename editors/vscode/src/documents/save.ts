// Saves a document for the daemon, as the user would (`copydesk/document/save`).
//
// Contract: no dialog opens. A failure is a result with its reason.

import { relative } from "node:path";
import type { DocumentSaveParams, DocumentSaveResult } from "copydesk-protocol";
import { Uri, workspace } from "vscode";
import { documentOf } from "./openDocuments";
import { readOnlyReason } from "./editable";

/** The path of a document for the user. */
export function shownPath(uri: string): string {
  const parsed = Uri.parse(uri);
  const folder = workspace.getWorkspaceFolder(parsed);
  return folder ? relative(folder.uri.fsPath, parsed.fsPath) : parsed.scheme === "file" ? parsed.fsPath : parsed.path;
}

export async function saveDocument({ uri }: DocumentSaveParams): Promise<DocumentSaveResult> {
  const refuse = (why: string): DocumentSaveResult => ({ saved: false, message: `${shownPath(uri)}: ${why}` });
  const document = documentOf(uri);
  if (!document) {
    return refuse("it is not open");
  } else if (document.isUntitled) {
    return refuse("it has no file name yet");
  } else if (!document.isDirty) {
    return { saved: true };
  }
  const problem = readOnlyReason(document);
  if (problem) {
    return refuse(problem);
  }
  const isSaved = await document.save();
  return isSaved ? { saved: true } : refuse("VS Code did not save it; its file may have changed on disk");
}
