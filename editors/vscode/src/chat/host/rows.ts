// A part of a session as a row of the conversation.
//
// Contract: pure; one part gives one row or none. Steps, media and empty texts have none.

import type { CallInfo, PartInfo, TurnEndInfo } from "copydesk-protocol";
import { compactionText, endText, pruningText } from "../../sessions/partText";
import type { CallRow, Row, RowHunk, RowRemedy } from "../wire/rows";
import { detailsOf, filesOf, hasDetails, tailOf, taskOf, todosOf } from "./callDetails";
import { metadataOf, stateOf, summaryOf } from "./callSummary";
import { labelOf, rowTextOf } from "./plainText";
import { problemsOf } from "./problems";
import type { TaskCalls } from "./subagents";

/** What a row depends on besides its part. */
export interface RowSurroundings {
  /** Whether the user has unfolded the row. */
  isOpen: boolean;
  /** An ask of this call waits for the user. */
  isWaiting: boolean;
  hunks: RowHunk[];
  /** A path for the user. */
  relative: (path: string) => string;
  /** The names of the files that came with a prompt. */
  media: string[];
  /** The calls of the subagent that works on a task. */
  taskCalls: TaskCalls;
}

/** Calls whose duration says nothing: they wait for the user or take no time. */
const TIMELESS = new Set(["todowrite", "todoread", "question", "plan_enter", "plan_exit", "skill"]);

function isOver(part: PartInfo): boolean {
  return part.state.kind !== "pending" && part.state.kind !== "running";
}

function callRow(part: PartInfo, call: CallInfo, around: RowSurroundings): CallRow {
  const { isOpen, isWaiting, hunks, relative } = around;
  const todos = todosOf(call);
  // A new list shows by itself; if only statuses changed, the line above is enough.
  const isNewList = metadataOf(call).isNew !== false;
  const files = filesOf(call, relative);
  return {
    kind: "call",
    id: part.id,
    name: labelOf(call.name, 60),
    summary: summaryOf(call),
    state: stateOf(part, call, isWaiting),
    since: part.created,
    took: call.output && !TIMELESS.has(call.name) ? call.output.milliseconds : undefined,
    isNested: call.parent !== undefined,
    isOpen,
    canOpen: hasDetails(part, call) || todos.length > 0,
    tail: isOpen ? undefined : tailOf(call),
    details: isOpen ? detailsOf(part, call, relative) : [],
    files,
    hunks,
    problems: problemsOf(metadataOf(call)),
    todos: isNewList || isOpen ? todos : [],
    task: taskOf(part, call, around.taskCalls),
    canUndo: call.output !== undefined && !call.output.isError && files.length > 0 && call.name !== "task",
  };
}

function remediesOf(end: TurnEndInfo): RowRemedy[] {
  switch (end.kind) {
    case "stepLimit":
    case "interrupted":
    case "cancelled":
      return ["continue"];
    case "failed":
      // The message of a full context says what to do; the button does it.
      return /context window/i.test(end.message) ? ["newSession"] : ["continue", "model", "log"];
    default:
      return [];
  }
}

function endingRow(part: PartInfo, end: TurnEndInfo): Row | undefined {
  const text = endText(end);
  if (text === undefined) {
    return undefined;
  }
  const tone = end.kind === "failed" ? "error" : end.kind === "interrupted" ? "warning" : "info";
  return { kind: "remark", id: part.id, tone, text: rowTextOf(text), remedies: remediesOf(end) };
}

/** The row of a part; undefined if it shows nothing. */
export function rowOf(part: PartInfo, around: RowSurroundings): Row | undefined {
  const { id, content } = part;
  switch (content.kind) {
    case "prompt": {
      const context = [...(content.context ?? []), ...around.media].slice(0, 100).map((one) => labelOf(one));
      const { text, steers = false } = content;
      return { kind: "prompt", id, text: rowTextOf(text), turn: part.turn, time: part.created, steers, isQueued: false, context };
    }
    case "text": {
      const isRunning = !isOver(part);
      const text = rowTextOf(isRunning ? content.text : content.text.trimEnd());
      return text === "" && !isRunning ? undefined : { kind: "answer", id, text, isRunning, isCutOff: part.state.kind === "interrupted" };
    }
    case "reasoning": {
      const isRunning = !isOver(part);
      if (!isRunning && content.text.trim() === "") {
        return undefined;
      }
      const took = isRunning ? undefined : Math.max(0, part.updated - part.created);
      return {
        kind: "reasoning",
        id,
        isRunning,
        isOpen: around.isOpen,
        since: part.created,
        took,
        text: around.isOpen ? rowTextOf(content.text) : "",
      };
    }
    case "call":
      return callRow(part, content, around);
    case "file":
      return part.state.kind === "error"
        ? {
            kind: "remark",
            id,
            tone: "warning",
            text: rowTextOf(`${labelOf(content.name) || "A file"} is not sent: ${part.state.message}`),
            remedies: ["model"],
          }
        : undefined;
    case "retry":
      return {
        kind: "retry",
        id,
        attempt: content.attempt,
        message: labelOf(content.message, 1_000),
        at: content.at,
        isOver: isOver(part) && content.at < Date.now(),
      };
    case "note":
      return { kind: "remark", id, tone: "info", text: rowTextOf(content.text), remedies: [] };
    case "compaction":
      return { kind: "remark", id, tone: "info", text: rowTextOf(compactionText(part, content)), remedies: [] };
    case "pruning":
      return { kind: "remark", id, tone: "info", text: rowTextOf(pruningText(content)), remedies: [] };
    case "turnEnd":
      return endingRow(part, content.end);
    default:
      return undefined;
  }
}
