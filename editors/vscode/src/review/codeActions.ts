// Accepting and rejecting as code actions, for those who work with the light bulb.

import type { CodeActionProvider, Range, TextDocument } from "vscode";
import { CodeAction, CodeActionKind } from "vscode";
import { hunksWithin } from "./places";
import type { Reviews } from "./reviews";

export const actionKind = CodeActionKind.QuickFix.append("copydesk");

export class HunkActions implements CodeActionProvider {
  constructor(private readonly reviews: Reviews) {}

  provideCodeActions(document: TextDocument, range: Range): CodeAction[] {
    if (hunksWithin(this.reviews.placed(document), range.start.line, range.end.line).length === 0) {
      return [];
    }
    const what = range.isEmpty ? "this edit" : "the selected lines";
    const rows = [
      [`Copydesk: accept ${what}`, "copydesk.review.accept"],
      [`Copydesk: reject ${what}`, "copydesk.review.reject"],
      [`Copydesk: comment on ${what}`, "copydesk.review.comment"],
    ] as const;
    return rows.map(([title, command]) => {
      const action = new CodeAction(title, actionKind);
      action.command = { title, command };
      return action;
    });
  }
}
