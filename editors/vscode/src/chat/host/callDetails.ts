// What an unfolded call shows: its command, its output, its diff; and what always shows: its files, its to-do list, its subagent.
//
// Contract: pure; never throws. Texts are harmless and cut.

import type { CallInfo, PartInfo } from "copydesk-protocol";
import type { CallRow, RowDetail, RowTodo } from "../wire/rows";
import { argumentsOf, fieldsOf, metadataOf, type Fields } from "./callSummary";
import { countOf, detailTextOf, labelOf, plainText, terminalText } from "./plainText";
import type { TaskCalls } from "./subagents";

/** How many lines of a running command show without unfolding. */
const TAIL_LINES = 8;
/** How many files, to-dos and details a row lists. */
const MAX_ENTRIES = 100;

const STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;

/** The files of an edit: one, or a list. */
function fileFields(shown: Fields): Fields[] {
  const files = Array.isArray(shown.files) ? shown.files.map(fieldsOf) : [shown];
  return files.filter((file) => typeof file.filepath === "string").slice(0, MAX_ENTRIES);
}

export function filesOf(call: CallInfo, relative: (path: string) => string): CallRow["files"] {
  return fileFields(metadataOf(call)).map((file) => ({
    path: labelOf(file.path ?? relative(String(file.filepath))),
    filepath: labelOf(file.filepath, 2_000),
    additions: countOf(file.additions),
    deletions: countOf(file.deletions),
  }));
}

export function todosOf(call: CallInfo): RowTodo[] {
  const { todos } = metadataOf(call);
  const list = call.name.startsWith("todo") && Array.isArray(todos) ? todos.map(fieldsOf) : [];
  return list
    .filter((todo) => typeof todo.content === "string")
    .slice(0, MAX_ENTRIES)
    .map((todo) => ({ text: labelOf(todo.content), status: STATUSES.find((one) => one === todo.status) ?? "pending" }));
}

/** The session of a subagent. Of an interrupted call only its id is left; the session has the same one, or that of the task it resumed. */
function taskSession(part: PartInfo, call: CallInfo): unknown {
  const { session } = metadataOf(call);
  return session ?? (part.state.kind === "interrupted" ? (argumentsOf(call).task_id ?? part.id) : undefined);
}

export function taskOf(part: PartInfo, call: CallInfo, known: TaskCalls): CallRow["task"] {
  const { agent = argumentsOf(call).subagent_type, now } = metadataOf(call);
  const session = taskSession(part, call);
  if (call.name !== "task" || (typeof agent !== "string" && session === undefined)) {
    return undefined;
  }
  return {
    session: typeof session === "string" && session.length <= 200 ? session : undefined,
    agent: labelOf(agent, 60),
    now: labelOf(now) || undefined,
    ...known,
  };
}

/** The last lines that a running command printed. */
export function tailOf(call: CallInfo): string | undefined {
  const { output } = metadataOf(call);
  if (call.output || typeof output !== "string" || output === "") {
    return undefined;
  }
  const lines = terminalText(output.slice(-8_000)).trimEnd().split("\n");
  return lines.slice(-TAIL_LINES).join("\n").slice(-4_000);
}

/** A diff without the names of its file, which stand above it. */
function diffDetail(file: Fields, isOnly: boolean, relative: (path: string) => string): RowDetail {
  const diff = String(file.diff).replace(/^--- [^\n]*\n\+\+\+ [^\n]*\n/, "");
  const title = isOnly ? undefined : labelOf(file.path ?? relative(String(file.filepath)));
  return { title, text: detailTextOf(plainText(diff)), language: "diff" };
}

/** Whether a call has details, without making them. */
export function hasDetails(part: PartInfo, call: CallInfo): boolean {
  return call.output !== undefined || call.name === "bash" || part.state.kind === "error" || typeof metadataOf(call).output === "string";
}

export function detailsOf(part: PartInfo, call: CallInfo, relative: (path: string) => string): RowDetail[] {
  const shown = metadataOf(call);
  const { output } = call;
  const details: RowDetail[] = [];
  const command = call.name === "bash" ? argumentsOf(call).command : undefined;
  if (typeof command === "string") {
    details.push({ text: detailTextOf(plainText(command)), language: "sh" });
  } else if (call.name === "task" && typeof argumentsOf(call).prompt === "string") {
    details.push({ title: "The subagent was told", text: detailTextOf(plainText(String(argumentsOf(call).prompt))), language: "markdown" });
  }
  const files = fileFields(shown).filter((file) => typeof file.diff === "string" && file.diff !== "");
  const said = output?.output ?? shown.output;
  if (files.length > 0 && !output?.isError) {
    // A diff tells more than the output.
    details.push(...files.map((file) => diffDetail(file, files.length === 1, relative)));
  } else if (typeof said === "string" && said !== "") {
    const isMarkdown = call.name === "webfetch" || call.name === "task";
    details.push({ text: detailTextOf(terminalText(said)), language: isMarkdown ? "markdown" : "text" });
  }
  if (part.state.kind === "error" && !output) {
    details.push({ text: detailTextOf(plainText(part.state.message)), language: "text" });
  }
  return details;
}
