// A call in one line: what it does, to what, and what came of it.
//
// Contract: pure; never throws, whatever arguments a model wrote and whatever metadata a tool of another program sent.

import type { CallInfo, PartInfo } from "copydesk-protocol";
import type { CallRow } from "../wire/rows";
import { costText, plural } from "../words";
import { countOf, labelOf } from "./plainText";

/** How much of the arguments is read while the model writes them. */
const MAX_PARSED = 4_096;

/** The most telling argument of each tool. */
const TELLING: Record<string, string> = {
  read: "filePath",
  write: "filePath",
  edit: "filePath",
  multiedit: "filePath",
  list: "path",
  glob: "pattern",
  grep: "pattern",
  bash: "command",
  task: "description",
  webfetch: "url",
  websearch: "query",
  codesearch: "query",
  skill: "name",
  invalid: "tool",
};

export type Fields = Record<string, unknown>;

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** What a call shows: of its output, else of its progress. */
export function metadataOf(call: CallInfo): Fields {
  return fieldsOf(call.output?.metadata ?? call.progress);
}

/** The arguments, as far as they parse. */
export function argumentsOf(call: CallInfo): Fields {
  try {
    return fieldsOf(JSON.parse(call.arguments));
  } catch {
    return {};
  }
}

/** The value of one argument that is still being written. */
function writtenArgument(call: CallInfo, name: string): string {
  const found = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(call.arguments.slice(0, MAX_PARSED))?.[1] ?? "";
  return found.replace(/\\(["\\/])/g, "$1").replace(/\\[nrt]/g, " ");
}

/** The first file that a patch names, and how many more. */
function patchedFiles(call: CallInfo): string {
  const names = [...call.arguments.slice(0, MAX_PARSED).matchAll(/\*\*\* [A-Z][a-z]+ File: ([^\n\r\\"]+)/g)].map((match) => match[1]);
  return names.length > 1 ? `${names[0]} and ${names.length - 1} more` : (names[0] ?? "");
}

/** What a call is about, by its arguments. */
function subjectOf(call: CallInfo): string {
  const name = TELLING[call.name];
  if (call.name === "apply_patch") {
    return patchedFiles(call);
  }
  const written = argumentsOf(call);
  if (call.name === "lsp" || call.name === "refactor") {
    return [written.operation, written.symbol ?? written.filePath].filter((one) => typeof one === "string").join(" ");
  } else if (name !== undefined) {
    const value = written[name];
    return typeof value === "string" ? value : writtenArgument(call, name);
  }
  // A tool of another program: the first text in the order of the names, so that it is always the same one.
  const texts = Object.keys(written)
    .sort()
    .map((key) => written[key]);
  return String(texts.find((one) => typeof one === "string") ?? "");
}

function taskOutcome(call: CallInfo): string {
  const { calls, cost, state } = metadataOf(call);
  const dollars = typeof cost === "number" && cost > 0 ? costText(cost) : undefined;
  const ended = typeof state === "string" && state !== "completed" ? state : undefined;
  return [ended, plural(countOf(calls), "call"), call.output ? dollars : undefined].filter(Boolean).join(", ");
}

/** What came of a call, by its metadata. */
function outcomeOf(call: CallInfo): string {
  const shown = metadataOf(call);
  const found = shown.matches ?? shown.count;
  if (call.name === "task") {
    return taskOutcome(call);
  } else if (!call.output) {
    return typeof shown.waiting === "string" ? shown.waiting : "";
  } else if (call.name === "read" && typeof shown.first === "number") {
    return `lines ${countOf(shown.first)}–${countOf(shown.last)}${countOf(shown.total) > countOf(shown.last) ? ` of ${countOf(shown.total)}` : ""}`;
  } else if (typeof found === "number") {
    return `${countOf(found)} found${shown.truncated === true ? ", there are more" : ""}`;
  }
  return [commandEnd(shown), sandboxWords(shown)].filter((one) => one !== "").join(", ");
}

function commandEnd(shown: Fields): string {
  if (typeof shown.exit === "number" && shown.exit !== 0) {
    return `exit code ${shown.exit}`;
  } else if (shown.timedOut === true) {
    return "timed out";
  }
  return typeof shown.signal === "number" ? `ended by signal ${shown.signal}` : "";
}

/** Whether a command ran in the sandbox, and why not or what the sandbox probably stopped; nothing if the sandbox is off. */
function sandboxWords({ sandboxed, sandboxNote }: Fields): string {
  const note = typeof sandboxNote === "string" ? sandboxNote : "";
  if (sandboxed === false) {
    return note === "" ? "not sandboxed" : `not sandboxed: ${note}`;
  }
  return sandboxed === true ? note || "sandboxed" : "";
}

function todoSummary(call: CallInfo): string {
  const { todos, isNew } = metadataOf(call);
  const now = Array.isArray(todos) ? todos.map(fieldsOf).find((todo) => todo.status === "in_progress") : undefined;
  const rest = isNew === false && typeof now?.content === "string" ? `, now: ${now.content}` : "";
  return `To do: ${call.output?.title ?? ""}${rest}`;
}

/** The state of a call as it is shown: a command that failed is no success, although its call is complete. */
export function stateOf(part: PartInfo, call: CallInfo, isWaiting: boolean): CallRow["state"] {
  const { exit } = metadataOf(call);
  if (part.state.kind === "interrupted") {
    return "stopped";
  } else if (call.output?.isError || part.state.kind === "error" || (call.output && typeof exit === "number" && exit !== 0)) {
    return "failed";
  } else if (part.state.kind === "completed") {
    return "done";
  }
  return isWaiting ? "waiting" : part.state.kind === "running" ? "running" : "pending";
}

export function summaryOf(call: CallInfo): string {
  const title = call.output?.title ?? "";
  const subject = subjectOf(call);
  if (call.name.startsWith("todo") && call.output && !call.output.isError) {
    return labelOf(todoSummary(call), 200);
  } else if (call.output?.isError) {
    return labelOf(title.includes(subject) ? title : `${subject}: ${title}`, 200);
  }
  const what = title !== "" ? title : subject;
  return labelOf([what, outcomeOf(call)].filter((one) => one !== "").join(" · "), 200);
}
