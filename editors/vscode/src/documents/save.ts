// Saves a document for the daemon, as the user would (`copydesk/document/save`).
//
// Contract: no dialog opens. A failure is a result with its reason.

import { join, relative } from "node:path";
import type { DocumentSaveParams, DocumentSaveResult } from "copydesk-protocol";
import { Uri, workspace } from "vscode";
import { isUnsaved } from "./diskText";
import { documentOf } from "./openDocuments";
import { readOnlyReason } from "./editable";

function hasSeveralFolders(): boolean {
  return (workspace.workspaceFolders?.length ?? 0) > 1;
}

/** The path of a document for the user. In a workspace of several folders it begins with the folder's name. */
export function shownPath(uri: string): string {
  const parsed = Uri.parse(uri);
  const folder = workspace.getWorkspaceFolder(parsed);
  const inFolder = folder && relative(folder.uri.fsPath, parsed.fsPath);
  if (folder && inFolder !== undefined) {
    return hasSeveralFolders() ? join(folder.name, inFolder) : inFolder;
  }
  return parsed.scheme === "file" ? parsed.fsPath : parsed.path;
}

/** The path of a document for the model, which works in one folder: in a workspace of several folders it is absolute. */
export function promptPath(uri: string): string {
  const parsed = Uri.parse(uri);
  return parsed.scheme === "file" && hasSeveralFolders() ? parsed.fsPath : shownPath(uri);
}

export async function saveDocument({ uri }: DocumentSaveParams): Promise<DocumentSaveResult> {
  const refuse = (why: string): DocumentSaveResult => ({ saved: false, message: `${shownPath(uri)}: ${why}` });
  const document = documentOf(uri);
  if (!document) {
    return refuse("it is not open");
  } else if (document.isUntitled) {
    return refuse("it has no file name yet");
  } else if (!isUnsaved(document)) {
    return { saved: true };
  }
  const problem = readOnlyReason(document);
  if (problem) {
    return refuse(problem);
  }
  const isSaved = await document.save();
  return isSaved ? { saved: true } : refuse("VS Code did not save it; its file may have changed on disk");
}
