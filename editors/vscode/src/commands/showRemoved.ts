// `copydesk.review.showRemoved`: what was removed, in a peek at its place; of a proposal, the diff.

import { commands, window } from "vscode";
import type { Desk } from "../desk";
import { openReview, show } from "../review/navigate";
import { hunkArgument } from "../review/target";

export async function showRemoved(desk: Desk, argument?: unknown): Promise<void> {
  const { reviews, targets } = desk.review;
  const editor = window.activeTextEditor;
  const id = hunkArgument(argument);
  const given = editor && reviews.placed(editor.document).find(({ hunk }) => hunk.hunk === id);
  const one = given ?? (editor && (await targets.atCursor(editor)));
  if (!editor || !one) {
    void window.showInformationMessage('There is no hunk here. "Copydesk: Next Hunk" goes to the next one.');
  } else if (one.review.when === "before") {
    await openReview(reviews, one.review, one.hunk.hunk);
  } else {
    // The peek opens at the change that is nearest to the cursor.
    show(editor, one.first);
    await commands.executeCommand("editor.action.dirtydiff.next");
  }
}
