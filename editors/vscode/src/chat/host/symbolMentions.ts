// Symbols that a prompt mentions as `@path#name`: VS Code's language extensions find them, and the lines of their definitions go along.
//
// Contract: only files of the workspace. An extension that does not answer in time finds nothing.

import { commands, type DocumentSymbol, Range, type SymbolInformation, type Uri, workspace } from "vscode";
import { shownPath } from "../../documents/save";
import { late, within } from "../../language/deadline";
import { symbolsOf } from "../../language/providerQuestions";
import type { ContextPiece } from "../../sessions/context";
import { wireRange } from "../../sessions/context";
import { limits } from "../../timeLimits";
import { MAX_COMPLETIONS } from "../wire/messages";
import { fileOf } from "./fileMentions";
import { labelOf } from "./plainText";

/** Extensions add the parameters of functions, some of them. */
function plainName(name: string): string {
  return name.replace(/\(.*$/s, "").trim();
}

function isMentionable(text: string): boolean {
  return text !== "" && !/[\s@]/.test(text);
}

/** Symbols whose names match what follows `#`: those of a file, or all. */
export async function completeSymbols(text: string): Promise<string[]> {
  const at = text.lastIndexOf("#");
  const [path, wanted] = [text.slice(0, at), text.slice(at + 1).toLowerCase()];
  const file = path === "" ? undefined : await fileOf(path);
  const names = file
    ? (await symbolsIn(file)).map(({ name }) => `${path}#${name}`)
    : (await workspaceSymbols(wanted)).map(({ name, location }) => `${shownPath(location.uri.toString())}#${plainName(name)}`);
  const matching = names.filter((name) => isMentionable(name) && name.slice(name.lastIndexOf("#") + 1).toLowerCase().includes(wanted));
  return [...new Set(matching.map((name) => labelOf(name, 1_000)))].slice(0, MAX_COMPLETIONS);
}

/** The symbol of a mention; undefined if there is none. */
export async function symbolPieceOf(mention: string): Promise<ContextPiece | undefined> {
  const at = mention.lastIndexOf("#");
  const file = at > 0 ? await fileOf(mention.slice(0, at)) : undefined;
  const range = file && (await symbolsIn(file)).find(({ name }) => name === mention.slice(at + 1))?.range;
  if (!file || !range) {
    return undefined;
  }
  const document = await workspace.openTextDocument(file);
  const lines = document.validateRange(new Range(range.start.line, 0, range.end.line, Number.MAX_SAFE_INTEGER));
  return { label: mention, item: { uri: file.toString(), range: wireRange(lines), text: document.getText(lines) } };
}

async function workspaceSymbols(query: string): Promise<SymbolInformation[]> {
  const asked = commands.executeCommand<SymbolInformation[] | undefined>("vscode.executeWorkspaceSymbolProvider", query);
  const found = await within(asked, limits.provider);
  const isOwn = ({ location }: SymbolInformation) => location.uri.scheme === "file" && workspace.getWorkspaceFolder(location.uri) !== undefined;
  return found === late ? [] : (found ?? []).filter(isOwn);
}

/** All symbols of a file, also those inside of others. */
async function symbolsIn(uri: Uri): Promise<{ name: string; range: Range }[]> {
  const found = await within(symbolsOf(uri), limits.provider);
  // VS Code's own class is both kinds at once, so that `instanceof` says nothing.
  const flat = (symbol: DocumentSymbol | SymbolInformation): { name: string; range: Range }[] =>
    "children" in symbol
      ? [{ name: plainName(symbol.name), range: symbol.range }, ...symbol.children.flatMap(flat)]
      : [{ name: plainName(symbol.name), range: symbol.location.range }];
  return found === late ? [] : found.flatMap(flat);
}
