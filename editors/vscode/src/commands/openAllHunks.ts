// `copydesk.review.openAll`: one diff of all files with undecided hunks.
//
// Made edits compare the text before them with the live document, which can be edited there; proposals compare the document with the
// proposal.

import { commands, Uri, window } from "vscode";
import type { Desk } from "../desk";
import type { ReviewState } from "../review/store";
import { baseUri, proposalUri } from "../review/virtualTexts";

function sidesOf({ uri, when, file }: ReviewState): [Uri, Uri | undefined, Uri | undefined] {
  const real = Uri.parse(uri);
  if (when === "before") {
    return [real, file?.kind === "created" ? undefined : real, proposalUri(uri)];
  }
  return [real, file?.kind === "created" ? undefined : baseUri(uri), file?.kind === "deleted" ? undefined : real];
}

export async function openAllHunks(desk: Desk): Promise<void> {
  const all = desk.review.reviews.store.all();
  if (all.length === 0) {
    void window.showInformationMessage("Nothing is undecided.");
    return;
  }
  await commands.executeCommand("vscode.changes", "Copydesk: undecided edits", all.map(sidesOf));
}
