// Code actions of VS Code's providers, with their edits.
//
// Contract: only actions with an edit are given. VS Code runs commands of actions itself and their edits would reach the files
// without a review, so an action that is only a command is left out, and the command beside an edit does not run.

import type { CodeAction } from "vscode";
import { commands, languages, Uri } from "vscode";
import { limits } from "../timeLimits";
import { lspWorkspaceEdit, rangeOf } from "./convert";
import { within } from "./deadline";
import type { WireParams } from "./providerQuestions";

/** How many actions are resolved, which works out their edits. */
const MAX_RESOLVED = 32;

export async function codeActions(params: WireParams): Promise<unknown> {
  const uri = Uri.parse(String(Object(params.textDocument).uri));
  const range = rangeOf(params.range);
  const context: { diagnostics?: unknown; only?: unknown } = Object(params.context);
  await shown(uri, context.diagnostics);
  const kinds: (string | undefined)[] = Array.isArray(context.only) && context.only.length > 0 ? context.only.map(String) : [undefined];
  const found: CodeAction[] = [];
  for (const kind of kinds) {
    const command = "vscode.executeCodeActionProvider";
    found.push(...((await commands.executeCommand<CodeAction[]>(command, uri, range, kind, MAX_RESOLVED)) ?? []));
  }
  return found.flatMap((action) => {
    const edit = action.edit && action.edit.size > 0 ? lspWorkspaceEdit(action.edit) : undefined;
    const { title, kind, isPreferred } = action;
    return edit && !action.disabled ? [{ title, kind: kind?.value, isPreferred, edit }] : [];
  });
}

/** Waits until VS Code shows the problems that are to be fixed: it offers fixes only for those. */
async function shown(uri: Uri, wanted: unknown): Promise<void> {
  const lines = (Array.isArray(wanted) ? wanted : []).map((problem): unknown => Object(Object(Object(problem).range).start).line);
  const isShown = () => {
    const known = new Set<unknown>(languages.getDiagnostics(uri).map(({ range }) => range.start.line));
    return lines.every((line) => known.has(line));
  };
  if (isShown()) {
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = languages.onDidChangeDiagnostics(() => isShown() && resolve());
  await within(promise, limits.problemShown);
  listener.dispose();
}
