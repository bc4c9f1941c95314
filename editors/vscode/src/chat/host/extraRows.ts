// Rows that are no parts: warnings, feedback that the model has not read, prompts that wait.
//
// Contract: pure.

import type { FeedbackInfo } from "copydesk-protocol";
import type { Row } from "../wire/rows";
import { labelOf, rowTextOf } from "./plainText";

/** How many places a line names. */
const MAX_PLACES = 8;

export function warningRow(message: string, at: number): Row {
  return { kind: "remark", id: `warning-${at}`, tone: "warning", text: labelOf(message, 1_000), remedies: [] };
}

/** A prompt that the daemon has and that is no part yet. */
export interface QueuedPrompt {
  id: string;
  text: string;
  /** The model reads it at its next step, not after the turn. */
  steers: boolean;
}

export function queuedRow({ id, text, steers }: QueuedPrompt): Row {
  return { kind: "prompt", id, text: rowTextOf(text), turn: 0, time: 0, steers, isQueued: true, context: [] };
}

function placeOf({ path, line, lines }: FeedbackInfo): string {
  return line === 0 ? path : lines > 1 ? `${path}:${line}-${line + lines - 1}` : `${path}:${line}`;
}

/** What the user decided or said about edits, as far as the model has not read it: one row, or none. */
export function feedbackRows(items: readonly FeedbackInfo[]): Row[] {
  if (items.length === 0) {
    return [];
  }
  const decided = (["accepted", "rejected"] as const).flatMap((kind) => {
    const places = items.filter((item) => item.kind === kind && item.comment === undefined).map(placeOf);
    const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : "";
    return places.length > 0 ? [`You ${kind} ${places.slice(0, MAX_PLACES).join(", ")}${more}`] : [];
  });
  const said = items.filter((item) => item.comment !== undefined).map((item) => `You ${item.kind} ${placeOf(item)}: ${item.comment ?? ""}`);
  const text = [...decided, ...said.map((line) => labelOf(line, 500)), "The agent has not read this yet."].join("\n");
  return [{ kind: "remark", id: "feedback", tone: "info", text: rowTextOf(text), remedies: [] }];
}
