// Reads `workspace/applyEdit` with the members that the daemon adds.
//
// Contract: pure. Whatever is not as the protocol says is a `problem`; nothing is guessed.

import type { ApplyWorkspaceEditParams } from "vscode-languageclient/node";
import type { TextDigest } from "../documents/digest";

export interface WirePlace {
  line: number;
  character: number;
}

export interface WireEdit {
  range: { start: WirePlace; end: WirePlace };
  newText: string;
}

export interface DocumentEdit {
  uri: string;
  version: number;
  edits: WireEdit[];
  /** The text that the edits are for, if the daemon says it. */
  digest?: Partial<TextDigest>;
}

export type FileOperation =
  | { kind: "rename"; oldUri: string; newUri: string }
  | { kind: "delete"; uri: string; digest?: Partial<TextDigest> };

export interface EditRequest {
  /** The time in milliseconds after which the daemon has given the edit up. */
  until?: number;
  documents: DocumentEdit[];
  operation?: FileOperation;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isPlace(value: unknown): value is WirePlace {
  return isObject(value) && Number.isInteger(value["line"]) && Number.isInteger(value["character"]);
}

function isEdit(value: unknown): value is WireEdit {
  const range = isObject(value) ? value["range"] : undefined;
  return isObject(value) && typeof value["newText"] === "string" && isObject(range) && isPlace(range["start"]) && isPlace(range["end"]);
}

function digestOf(value: unknown): Partial<TextDigest> | undefined {
  if (!isObject(value) || typeof value["bytes"] !== "number") {
    return undefined;
  }
  const sha256 = value["sha256"];
  return typeof sha256 === "string" ? { bytes: value["bytes"], sha256 } : { bytes: value["bytes"] };
}

function operationOf(change: Record<string, unknown>, digest: Partial<TextDigest> | undefined): FileOperation | undefined {
  const { kind, oldUri, newUri, uri } = change;
  if (kind === "rename" && typeof oldUri === "string" && typeof newUri === "string") {
    return { kind, oldUri, newUri };
  }
  return kind === "delete" && typeof uri === "string" ? { kind, uri, digest } : undefined;
}

function documentOf(change: Record<string, unknown>, digest: Partial<TextDigest> | undefined): DocumentEdit | undefined {
  const { textDocument, edits } = change;
  if (!isObject(textDocument) || !Array.isArray(edits) || !edits.every(isEdit)) {
    return undefined;
  }
  const { uri, version } = textDocument;
  return typeof uri === "string" && typeof version === "number" ? { uri, version, edits, digest } : undefined;
}

/** The request, or why it is not made. */
export function readRequest(params: ApplyWorkspaceEditParams): EditRequest | { problem: string } {
  const own: unknown = "copydesk" in params ? params.copydesk : undefined;
  const texts: unknown[] = isObject(own) && Array.isArray(own["texts"]) ? own["texts"] : [];
  const until = isObject(own) && typeof own["until"] === "number" ? own["until"] : undefined;
  const changes: unknown = isObject(params.edit) ? params.edit.documentChanges : undefined;
  if (!Array.isArray(changes) || changes.length === 0) {
    return { problem: "an edit without the versions of its documents is not made" };
  }
  const request: EditRequest = { until, documents: [] };
  for (const [index, change] of changes.entries()) {
    if (!isObject(change)) {
      return { problem: "the edit is malformed" };
    } else if ("kind" in change) {
      request.operation = operationOf(change, digestOf(texts[index]));
      if (changes.length > 1 || !request.operation) {
        return { problem: "a file is moved or deleted by itself, and none is created" };
      }
    } else {
      const document = documentOf(change, digestOf(texts[index]));
      if (!document) {
        return { problem: "the edit is malformed, or names no version" };
      }
      request.documents.push(document);
    }
  }
  return request;
}
