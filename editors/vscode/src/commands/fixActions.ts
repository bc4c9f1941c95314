// "Fix with Copydesk" as a quick fix on every diagnostic.

import type { CodeActionContext, CodeActionProvider, Range, TextDocument } from "vscode";
import { CodeAction, CodeActionKind } from "vscode";
import type { FixArgument } from "./fix";

export class FixActions implements CodeActionProvider {
  provideCodeActions(document: TextDocument, range: Range, { diagnostics }: CodeActionContext): CodeAction[] {
    if (diagnostics.length === 0) {
      return [];
    }
    const title = diagnostics.length === 1 ? "Fix with Copydesk" : `Fix ${diagnostics.length} problems with Copydesk`;
    const action = new CodeAction(title, CodeActionKind.QuickFix);
    const argument: FixArgument = { uri: document.uri.toString(), first: range.start.line, last: range.end.line };
    action.command = { title, command: "copydesk.fix", arguments: [argument] };
    action.diagnostics = [...diagnostics];
    return [action];
  }
}
