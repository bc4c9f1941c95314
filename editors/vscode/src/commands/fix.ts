// `copydesk.fix`: asks the agent to fix the problems at the cursor, in the selection, or those that a quick fix hands over.

import type { Diagnostic, TextDocument } from "vscode";
import { DiagnosticSeverity, languages, Range, Uri, window } from "vscode";
import { documentOf } from "../documents/openDocuments";
import { promptPath, shownPath } from "../documents/save";
import type { Desk } from "../desk";
import { wireRange } from "../sessions/context";
import { oneLine } from "../sessions/partText";
import { sendAndShow } from "./ask";

/** How many problems a prompt names. */
const MAX_PROBLEMS = 20;

/** What a quick fix hands over: the document and the lines. */
export interface FixArgument {
  uri: string;
  first: number;
  last: number;
}

function isFixArgument(argument: unknown): argument is FixArgument {
  const given = typeof argument === "object" && argument !== null ? (argument as Record<string, unknown>) : {};
  return typeof given["uri"] === "string" && Number.isInteger(given["first"]) && Number.isInteger(given["last"]);
}

function placeOf(argument: unknown): { document: TextDocument; range: Range } | undefined {
  if (isFixArgument(argument)) {
    const document = documentOf(Uri.parse(argument.uri));
    return document && { document, range: document.validateRange(new Range(argument.first, 0, argument.last, Number.MAX_SAFE_INTEGER)) };
  }
  // A walkthrough or the chat may have the focus.
  const editor = window.activeTextEditor ?? window.visibleTextEditors.find(({ document }) => languages.getDiagnostics(document.uri).length > 0);
  return editor && { document: editor.document, range: editor.selection };
}

function problemLine(document: TextDocument, { range, message, source, severity }: Diagnostic): string {
  const where = `${promptPath(document.uri.toString())}:${range.start.line + 1}:${range.start.character + 1}`;
  return `- ${where} ${DiagnosticSeverity[severity]?.toLowerCase()}: ${oneLine(message, 400)}${source ? ` (${oneLine(source, 40)})` : ""}`;
}

export async function fix(desk: Desk, argument?: unknown): Promise<void> {
  const place = placeOf(argument);
  if (!place) {
    void window.showInformationMessage("Open the file whose problems the agent should fix.");
    return;
  }
  const { document, range } = place;
  const all = languages.getDiagnostics(document.uri);
  const lines = range.with(range.start.with({ character: 0 }), document.lineAt(range.end.line).range.end);
  const here = all.filter((one) => one.range.intersection(lines));
  const problems = (here.length > 0 ? here : all).slice(0, MAX_PROBLEMS);
  if (problems.length === 0) {
    void window.showInformationMessage("VS Code reports no problems in this file.");
    return;
  }
  const about = problems.reduce((sum, one) => sum.union(one.range), problems[0]?.range ?? range);
  const text = `Fix these problems:\n${problems.map((one) => problemLine(document, one)).join("\n")}`;
  const label = `${shownPath(document.uri.toString())}:${about.start.line + 1}-${about.end.line + 1}`;
  const item = { uri: document.uri.toString(), range: wireRange(about), text: document.getText(about) };
  await sendAndShow(desk, text, [{ label, item }]);
}
