// Converts VS Code's values to LSP's. Positions count UTF-16 code units in both.
//
// Contract: pure. What VS Code hides, such as the file operations of an edit, is not guessed.

import type {
  CallHierarchyItem,
  Diagnostic,
  DocumentSymbol,
  Hover,
  Location,
  LocationLink,
  MarkdownString,
  SymbolInformation,
  TextEdit,
  TypeHierarchyItem,
  WorkspaceEdit,
} from "vscode";
import { Position, Range } from "vscode";

export function lspPosition({ line, character }: Position): { line: number; character: number } {
  return { line, character };
}

export function lspRange(range: Range): { start: object; end: object } {
  return { start: lspPosition(range.start), end: lspPosition(range.end) };
}

/** Reads a position that the daemon sent. */
export function positionOf(value: unknown): Position {
  const { line, character } = Object(value);
  if (!Number.isInteger(line) || !Number.isInteger(character) || line < 0 || character < 0) {
    throw new Error("the request has no position");
  }
  return new Position(line, character);
}

export function rangeOf(value: unknown): Range {
  const { start, end } = Object(value);
  return new Range(positionOf(start), positionOf(end));
}

export function lspLocation(found: Location | LocationLink): object {
  if ("targetUri" in found) {
    return { uri: found.targetUri.toString(), range: lspRange(found.targetSelectionRange ?? found.targetRange) };
  }
  return { uri: found.uri.toString(), range: lspRange(found.range) };
}

export function lspHover(found: Hover[]): object | undefined {
  const text = (content: MarkdownString | { language: string; value: string } | string) => {
    if (typeof content === "string") {
      return content;
    }
    return "language" in content ? `\`\`\`${content.language}\n${content.value}\n\`\`\`` : content.value;
  };
  const parts = found.flatMap(({ contents }) => contents.map(text)).filter((part) => part.trim() !== "");
  return parts.length > 0 ? { contents: { kind: "markdown", value: parts.join("\n\n") } } : undefined;
}

/** VS Code counts the kinds of symbols from 0, LSP from 1. */
export function lspSymbol(symbol: DocumentSymbol | SymbolInformation): object {
  const { name, kind } = symbol;
  if ("selectionRange" in symbol) {
    const { detail, range, selectionRange, children } = symbol;
    const ranges = { range: lspRange(range), selectionRange: lspRange(selectionRange) };
    return { name, kind: kind + 1, detail, ...ranges, children: children.map(lspSymbol) };
  }
  return { name, kind: kind + 1, containerName: symbol.containerName, location: lspLocation(symbol.location) };
}

/** An item of a hierarchy. `id` finds the original again. */
export function lspHierarchyItem(item: CallHierarchyItem | TypeHierarchyItem, id: number): object {
  const { name, kind, detail, uri, range, selectionRange } = item;
  const ranges = { range: lspRange(range), selectionRange: lspRange(selectionRange) };
  return { name, kind: kind + 1, detail, uri: uri.toString(), ...ranges, data: id };
}

export function lspDiagnostic(problem: Diagnostic): object {
  const { code } = problem;
  const related = problem.relatedInformation?.map(({ location, message }) => ({ location: lspLocation(location), message }));
  return {
    range: lspRange(problem.range),
    severity: problem.severity + 1,
    code: typeof code === "object" ? code.value : code,
    source: problem.source,
    message: problem.message,
    relatedInformation: related,
  };
}

export function lspTextEdit({ range, newText }: TextEdit): object {
  return { range: lspRange(range), newText };
}

/** Undefined if the edit also creates, renames or deletes files, which VS Code does not tell. */
export function lspWorkspaceEdit(edit: WorkspaceEdit): object | undefined {
  const entries = edit.entries();
  if (entries.length !== edit.size) {
    return undefined;
  }
  return { changes: Object.fromEntries(entries.map(([uri, edits]) => [uri.toString(), edits.map(lspTextEdit)])) };
}
