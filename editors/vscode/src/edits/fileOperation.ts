// Lets a document follow its file: one that the agent moves or deletes.
//
// Contract: text that the user typed and did not save is never lost. A moved document keeps it. The document of a deleted file is
// closed only if it has the text that the file had; the daemon deletes the file. When such a file comes back, so does its tab
// (`ClosedTabs`). No dialog opens.

import { existsSync } from "node:fs";
import { Uri, workspace, WorkspaceEdit } from "vscode";
import { differs } from "../documents/digest";
import { isUnsaved } from "../documents/diskText";
import { documentOf, uriKey } from "../documents/openDocuments";
import { shownPath } from "../documents/save";
import type { DocumentSync } from "../documents/sync";
import type { ClosedTabs } from "./closedTabs";
import type { FileOperation } from "./request";

async function renameFile(sync: DocumentSync, oldUri: string, newUri: string): Promise<string | undefined> {
  const [from, to] = [Uri.parse(oldUri), Uri.parse(newUri)];
  if (from.scheme !== "file" || to.scheme !== "file") {
    return "only files are moved";
  } else if (existsSync(to.fsPath) || documentOf(to)?.isDirty) {
    return "there is a file already where it is to be";
  }
  const forget = sync.expectRename(to.toString());
  const edit = new WorkspaceEdit();
  edit.renameFile(from, to, { overwrite: false });
  if (await workspace.applyEdit(edit)) {
    return undefined;
  }
  forget();
  return "VS Code did not move it";
}

type Deletion = FileOperation & { kind: "delete" };

async function closeDocument(sync: DocumentSync, closed: ClosedTabs, { uri, digest }: Deletion): Promise<string | undefined> {
  const document = sync.get(uriKey(uri));
  if (!document) {
    return undefined;
  } else if (!digest || differs(document.getText(), digest)) {
    return "it has text that is not saved";
  }
  // With the text of its file it may still count as changed, and VS Code would ask before it closes the tab.
  if (isUnsaved(document) && !(await document.save())) {
    return "VS Code did not save it";
  } else if (differs(document.getText(), digest)) {
    return "it has text that is not saved";
  }
  return (await closed.close(document.uri.toString())) ? undefined : "VS Code did not close its tab";
}

/** Carries out an operation; returns why not. */
export async function runFileOperation(sync: DocumentSync, closed: ClosedTabs, operation: FileOperation): Promise<string | undefined> {
  const isRename = operation.kind === "rename";
  const uri = isRename ? operation.oldUri : operation.uri;
  const problem = isRename ? await renameFile(sync, uri, operation.newUri) : await closeDocument(sync, closed, operation);
  return problem && `${shownPath(uri)}: ${problem}`;
}
