// The rows of the conversation, as they cross from the extension host to the page.
//
// Contract: a schema is the type and its check at once; both sides import it. Every text has a limit, which the host keeps and the page
// checks. A text is never markup: the page makes elements from it, by itself.

import * as v from "valibot";

/** The longest text of one row. The host cuts what is longer and says how much. */
export const MAX_TEXT = 400_000;
/** The longest text of a detail: a command's output, a diff. */
export const MAX_DETAIL = 100_000;
/** The longest line for a label. */
export const MAX_LABEL = 2_000;
/** The most entries of a list in a row. */
export const MAX_LIST = 500;

export const id = v.pipe(v.string(), v.maxLength(200));
export const label = v.pipe(v.string(), v.maxLength(MAX_LABEL));
const detailText = v.pipe(v.string(), v.maxLength(MAX_DETAIL + 200));
export const rowText = v.pipe(v.string(), v.maxLength(MAX_TEXT));
const count = v.pipe(v.number(), v.finite());
const list = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.maxLength(MAX_LIST));

const severity = v.picklist(["error", "warning", "information", "hint"]);

/** A problem that an edit made, and who reports it. */
const problem = v.object({
  path: label,
  line: count,
  severity,
  code: v.optional(label),
  source: label,
  message: label,
  /** It may be older than the edit. */
  isUnsure: v.boolean(),
});

/** What an edit made wrong, and how sure that is. */
const problems = v.object({
  list: list(problem),
  /** How many problems are not in the list. */
  more: count,
  /** One line for each group of sources: who was asked, how sure, and what they found. */
  sources: list(label),
});

/** Changed lines that the user can decide. */
const hunk = v.object({
  id,
  path: label,
  /** From 1. */
  line: count,
  old: list(label),
  new: list(label),
  /** How many lines are not shown. */
  more: count,
  state: v.picklist(["undecided", "deciding", "accepted", "rejected", "decided"]),
  /** A created, deleted or renamed file instead of lines. */
  file: v.optional(label),
  problems: list(label),
});

/** A file that a call changed. */
const changedFile = v.object({ path: label, filepath: label, additions: count, deletions: count });

const todo = v.object({ text: label, status: v.picklist(["pending", "in_progress", "completed", "cancelled"]) });


/** A text that shows when a row is unfolded. */
const detail = v.object({
  title: v.optional(label),
  text: detailText,
  language: v.picklist(["sh", "diff", "markdown", "text"]),
});

const prompt = v.object({
  kind: v.literal("prompt"),
  id,
  text: rowText,
  turn: count,
  time: count,
  /** It joined a running turn. */
  steers: v.boolean(),
  /** It waits for the end of the running turn. */
  isQueued: v.boolean(),
  /** The context and the files that went with it. */
  context: list(label),
});

const answer = v.object({
  kind: v.literal("answer"),
  id,
  text: rowText,
  isRunning: v.boolean(),
  /** The model was interrupted here. */
  isCutOff: v.boolean(),
});

const reasoning = v.object({
  kind: v.literal("reasoning"),
  id,
  isRunning: v.boolean(),
  isOpen: v.boolean(),
  /** When it began, in milliseconds since 1970. */
  since: count,
  took: v.optional(count),
  /** Empty while it is folded. */
  text: rowText,
});

export const callState = v.picklist(["pending", "running", "waiting", "done", "failed", "stopped"]);

/** A call of a subagent, in one line. */
const taskCall = v.object({ id, name: label, summary: label, state: callState, since: count, took: v.optional(count) });

/** The work of a subagent: what it does at the moment, and its last calls as far as they are known. */
const task = v.object({
  session: v.optional(id),
  agent: label,
  now: v.optional(label),
  calls: list(taskCall),
  /** How many calls were before those. */
  earlier: count,
});

const call = v.object({
  kind: v.literal("call"),
  id,
  name: label,
  /** One line: what it does, to what, and what came of it. */
  summary: label,
  state: callState,
  since: count,
  took: v.optional(count),
  /** Another call made it, such as a `batch`. */
  isNested: v.boolean(),
  isOpen: v.boolean(),
  /** Whether there is more to show. */
  canOpen: v.boolean(),
  /** The last lines that a running command printed. */
  tail: v.optional(detailText),
  details: list(detail),
  files: list(changedFile),
  hunks: list(hunk),
  problems: v.optional(problems),
  todos: list(todo),
  task: v.optional(task),
  canUndo: v.boolean(),
});

/** What a user can do about an ending or an error, by a button. */
export const remedy = v.picklist(["continue", "model", "newSession", "log"]);

const remark = v.object({
  kind: v.literal("remark"),
  id,
  tone: v.picklist(["info", "warning", "error"]),
  text: rowText,
  remedies: list(remedy),
});

const retry = v.object({ kind: v.literal("retry"), id, attempt: count, message: label, at: count, isOver: v.boolean() });

/** The end of a finished turn. */
const summary = v.object({ kind: v.literal("summary"), id, turn: count, text: label, canUndo: v.boolean() });

export const row = v.variant("kind", [prompt, answer, reasoning, call, remark, retry, summary]);

export type Row = v.InferOutput<typeof row>;
export type PromptRow = v.InferOutput<typeof prompt>;
export type AnswerRow = v.InferOutput<typeof answer>;
export type ReasoningRow = v.InferOutput<typeof reasoning>;
export type CallRow = v.InferOutput<typeof call>;
export type RemarkRow = v.InferOutput<typeof remark>;
export type RetryRow = v.InferOutput<typeof retry>;
export type SummaryRow = v.InferOutput<typeof summary>;
export type RowHunk = v.InferOutput<typeof hunk>;
export type RowDetail = v.InferOutput<typeof detail>;
export type RowProblems = v.InferOutput<typeof problems>;
export type TaskCall = v.InferOutput<typeof taskCall>;
export type RowTodo = v.InferOutput<typeof todo>;
export type RowRemedy = v.InferOutput<typeof remedy>;
