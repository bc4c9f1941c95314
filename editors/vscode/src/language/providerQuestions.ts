// The questions about code that VS Code's providers answer, by LSP's method.
//
// Contract: one row per method; an answer has LSP's shape. An empty answer is `undefined` or an empty list: VS Code does not tell
// "nothing found" from "no provider", so the caller decides what it means.

import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  DocumentSymbol,
  FormattingOptions,
  Hover,
  Location,
  LocationLink,
  SymbolInformation,
  TextEdit,
  TypeHierarchyItem,
  WorkspaceEdit,
} from "vscode";
import { commands, Uri } from "vscode";
import { codeActions } from "./codeActions";
import {
  lspHierarchyItem,
  lspHover,
  lspLocation,
  lspRange,
  lspSymbol,
  lspTextEdit,
  lspWorkspaceEdit,
  positionOf,
  rangeOf,
} from "./convert";
import type { HierarchyItems } from "./hierarchyItems";

/** The params of a request, as they came over the wire. */
export type WireParams = Record<string, unknown>;
export type Question = (params: WireParams, items: HierarchyItems) => Promise<unknown>;

/** The document of a request. */
export function uriOf(params: WireParams): Uri {
  const uri: unknown = Object(params.textDocument).uri;
  if (typeof uri !== "string") {
    throw new Error("the request names no document");
  }
  return Uri.parse(uri);
}

/** A question about a place, answered by places. */
function places(command: string): Question {
  return async (params) => {
    const found = await commands.executeCommand<(Location | LocationLink)[]>(command, uriOf(params), positionOf(params.position));
    return found?.map(lspLocation);
  };
}

/** The first step of a hierarchy. */
function prepare(command: string): Question {
  return async (params, items) => {
    const found = await commands.executeCommand<(CallHierarchyItem | TypeHierarchyItem)[]>(
      command,
      uriOf(params),
      positionOf(params.position),
    );
    return found?.map((item) => lspHierarchyItem(item, items.add(item)));
  };
}

/** The next level of a hierarchy of types. */
function types(command: string): Question {
  return async (params, items) => {
    const found = await commands.executeCommand<TypeHierarchyItem[]>(command, items.get(Object(params.item).data));
    return found?.map((item) => lspHierarchyItem(item, items.add(item)));
  };
}

async function hover(params: WireParams): Promise<unknown> {
  const found = await commands.executeCommand<Hover[]>("vscode.executeHoverProvider", uriOf(params), positionOf(params.position));
  return lspHover(found ?? []);
}

async function documentSymbols(params: WireParams): Promise<unknown> {
  const found = await symbolsOf(uriOf(params));
  return found.map(lspSymbol);
}

export async function symbolsOf(uri: Uri): Promise<(DocumentSymbol | SymbolInformation)[]> {
  const command = "vscode.executeDocumentSymbolProvider";
  return (await commands.executeCommand<(DocumentSymbol | SymbolInformation)[]>(command, uri)) ?? [];
}

async function workspaceSymbols(params: WireParams): Promise<unknown> {
  const command = "vscode.executeWorkspaceSymbolProvider";
  const found = await commands.executeCommand<SymbolInformation[]>(command, String(params.query ?? ""));
  return found?.map(lspSymbol);
}

async function incomingCalls(params: WireParams, items: HierarchyItems): Promise<unknown> {
  const item = items.get(Object(params.item).data);
  const found = await commands.executeCommand<CallHierarchyIncomingCall[]>("vscode.provideIncomingCalls", item);
  return found?.map(({ from, fromRanges }) => ({
    from: lspHierarchyItem(from, items.add(from)),
    fromRanges: fromRanges.map(lspRange),
  }));
}

async function outgoingCalls(params: WireParams, items: HierarchyItems): Promise<unknown> {
  const item = items.get(Object(params.item).data);
  const found = await commands.executeCommand<CallHierarchyOutgoingCall[]>("vscode.provideOutgoingCalls", item);
  return found?.map(({ to, fromRanges }) => ({
    to: lspHierarchyItem(to, items.add(to)),
    fromRanges: fromRanges.map(lspRange),
  }));
}

/** VS Code gives an empty edit where it cannot rename, so that is always a failure. */
async function rename(params: WireParams): Promise<unknown> {
  const command = "vscode.executeDocumentRenameProvider";
  const place = [uriOf(params), positionOf(params.position)];
  const edit = await commands.executeCommand<WorkspaceEdit>(command, ...place, String(params.newName));
  if (!edit || edit.size === 0) {
    throw new Error("VS Code cannot rename this, or has no extension that renames in this language");
  }
  const whole = lspWorkspaceEdit(edit);
  if (!whole) {
    throw new Error("the rename also moves files, which VS Code does not tell");
  }
  return whole;
}

/** The list may be empty: the text is formatted. Without a formatter, VS Code gives none. */
function formatting(command: string, hasRange: boolean): Question {
  return async (params) => {
    const place = hasRange ? [uriOf(params), rangeOf(params.range)] : [uriOf(params)];
    const edits = await commands.executeCommand<TextEdit[]>(command, ...place, params.options as FormattingOptions);
    if (!edits) {
      throw new Error("VS Code has no formatter for this language");
    }
    return edits.map(lspTextEdit);
  };
}

export const questions: Readonly<Record<string, Question>> = {
  "textDocument/definition": places("vscode.executeDefinitionProvider"),
  "textDocument/declaration": places("vscode.executeDeclarationProvider"),
  "textDocument/typeDefinition": places("vscode.executeTypeDefinitionProvider"),
  "textDocument/implementation": places("vscode.executeImplementationProvider"),
  "textDocument/references": places("vscode.executeReferenceProvider"),
  "textDocument/hover": hover,
  "textDocument/documentSymbol": documentSymbols,
  "workspace/symbol": workspaceSymbols,
  "textDocument/prepareCallHierarchy": prepare("vscode.prepareCallHierarchy"),
  "callHierarchy/incomingCalls": incomingCalls,
  "callHierarchy/outgoingCalls": outgoingCalls,
  "textDocument/prepareTypeHierarchy": prepare("vscode.prepareTypeHierarchy"),
  "typeHierarchy/supertypes": types("vscode.provideSupertypes"),
  "typeHierarchy/subtypes": types("vscode.provideSubtypes"),
  "textDocument/rename": rename,
  "textDocument/codeAction": codeActions,
  "textDocument/formatting": formatting("vscode.executeFormatDocumentProvider", false),
  "textDocument/rangeFormatting": formatting("vscode.executeFormatRangeProvider", true),
};

/** Methods whose empty answer means "nothing": the provider exists, or its lack is an error of its own. */
export const unambiguous: ReadonlySet<string> = new Set([
  "callHierarchy/incomingCalls",
  "callHierarchy/outgoingCalls",
  "typeHierarchy/supertypes",
  "typeHierarchy/subtypes",
  "textDocument/rename",
  "textDocument/formatting",
  "textDocument/rangeFormatting",
]);
