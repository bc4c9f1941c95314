// The messages between the extension host and the page of the chat.
//
// Contract: the host owns the state, the page only shows it. When its script runs, the page says `ready` and gets a snapshot; after that,
// changes come in batches, numbered from the snapshot's number on. A page that misses a number asks for a snapshot again (`resync`). A page
// confirms each batch when it has drawn it, and the next one follows then: what happens meanwhile is joined, or becomes a snapshot if it is
// too much. Both sides check every message and drop what does not fit. No message carries markup, a program, or a secret.

import * as v from "valibot";
import { id, label, MAX_DETAIL, MAX_LIST, remedy, row, rowText } from "./rows";

/** The longest prompt that the page sends. */
export const MAX_PROMPT = 200_000;
/** How many rows a snapshot has at most; those before them follow. */
export const SNAPSHOT_ROWS = 300;
/** How many earlier rows follow at once. */
export const EARLIER_ROWS = 500;
/** The longest image or PDF, as base64, and how many go with a prompt. */
export const MAX_MEDIA = 7_000_000;
export const MAX_ATTACHMENTS = 10;
/** How many completions the input shows. */
export const MAX_COMPLETIONS = 30;
/** How many prompts the input remembers. */
export const MAX_HISTORY = 50;

const promptText = v.pipe(v.string(), v.maxLength(MAX_PROMPT));
const labels = v.pipe(v.array(label), v.maxLength(MAX_LIST));
const number = v.pipe(v.number(), v.finite());
const position = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000));

/** Everything but the rows: it is small, so it is always sent as a whole. */
const head = v.object({
  /** The id of the session; missing before the first prompt. */
  session: v.optional(id),
  title: label,
  /** The session works on a task of another one. */
  isTask: v.boolean(),
  /** Why nothing can be asked now. */
  problem: v.optional(label),
  /** When the running turn began, in milliseconds since 1970. */
  running: v.optional(number),
  /** What it does, in a word. */
  work: label,
  model: label,
  /** The built-in model answers, because none is set up. */
  isOffline: v.boolean(),
  agent: label,
  review: v.picklist(["before", "after", "rules"]),
  /** What runs unasked, in one word; missing before the first prompt. */
  preset: v.optional(label),
  /** Tokens of the last request, and their share of the context window. */
  tokens: number,
  share: v.optional(number),
  /** What those tokens are, the names in plain words. */
  shares: v.pipe(v.array(v.object({ name: label, tokens: number })), v.maxLength(10)),
  /** US dollars. */
  cost: number,
  undecided: number,
  todo: v.optional(v.object({ done: number, all: number, now: label })),
  jobs: v.pipe(v.array(v.object({ id: number, command: label, state: label })), v.maxLength(MAX_LIST)),
  /** What goes with the next prompt. */
  context: labels,
  /** The images and PDFs that go with it. */
  attachments: labels,
  /** What the editor has selected, which goes with it, too. */
  selection: v.optional(label),
  /** The daemon has parts before the first row. */
  hasEarlier: v.boolean(),
  /** Other sessions of this folder that need the user. */
  others: v.pipe(v.array(v.object({ session: id, title: label, state: label })), v.maxLength(20)),
});

const permission = v.object({
  kind: v.literal("permission"),
  id,
  title: label,
  origin: v.optional(label),
  subject: v.pipe(v.string(), v.maxLength(MAX_DETAIL + 200)),
  language: v.picklist(["diff", "markdown", "shellscript", "plaintext"]),
  /** Folder, what the model says about it, new problems. */
  facts: labels,
  /** What "always" would allow; missing if it is not offered. */
  always: v.optional(label),
  /** It can also be allowed in the project. */
  isForProject: v.boolean(),
  names: v.object({ once: label, reject: label, rejectWithReason: label }),
  /** How many hunks can be decided one by one instead. */
  hunks: number,
});

const question = v.object({
  header: label,
  text: v.pipe(v.string(), v.maxLength(MAX_DETAIL)),
  options: v.pipe(v.array(v.object({ label, description: v.optional(label) })), v.maxLength(100)),
  multiple: v.boolean(),
  custom: v.boolean(),
});

const questions = v.object({
  kind: v.literal("questions"),
  id,
  origin: v.optional(label),
  questions: v.pipe(v.array(question), v.maxLength(20)),
});

const ask = v.variant("kind", [permission, questions]);
const asks = v.pipe(v.array(ask), v.maxLength(50));
const rows = v.pipe(v.array(row), v.maxLength(10_000));

/** The text in the input. The number tells the host's texts apart from each other: the page takes a new one over what is written. */
const draft = v.object({ number: position, text: promptText });

export const change = v.variant("kind", [
  v.object({ kind: v.literal("head"), head }),
  v.object({ kind: v.literal("asks"), asks }),
  v.object({ kind: v.literal("draft"), draft }),
  /** Replaces `remove` rows from `at` on. */
  v.object({ kind: v.literal("splice"), at: position, remove: position, rows }),
  /** Replaces the row of the same id. */
  v.object({ kind: v.literal("row"), row }),
  /** Appends to the text of an answer or of an unfolded reasoning. */
  v.object({ kind: v.literal("append"), id, text: rowText }),
]);

export const hostMessage = v.variant("kind", [
  v.object({
    kind: v.literal("snapshot"),
    seq: position,
    head,
    asks,
    rows,
    draft,
    history: v.pipe(v.array(promptText), v.maxLength(MAX_HISTORY)),
  }),
  v.object({ kind: v.literal("changes"), seq: position, changes: v.pipe(v.array(change), v.maxLength(10_000)) }),
  v.object({ kind: v.literal("focus") }),
  /** Paths for a `@` in the input; the number is that of the request. */
  v.object({ kind: v.literal("completions"), number: position, paths: v.pipe(v.array(label), v.maxLength(MAX_COMPLETIONS)) }),
]);

/** The media that a model may be shown. */
export const mediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"] as const;

/** The commands that the page may run, by their names in package.json without the prefix. */
export const pageCommands = [
  "model",
  "provider",
  "practice",
  "agent",
  "preset",
  "review.timing",
  "sessions",
  "export",
  "chat.new",
  "undo",
  "changes",
  "addFile",
  "showLog",
  "doctor",
  "restart",
  "review.focus",
] as const;

export const pageMessage = v.variant("kind", [
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("resync") }),
  v.object({ kind: v.literal("drawn"), seq: position }),
  v.object({ kind: v.literal("draft"), text: promptText, session: v.optional(id) }),
  v.object({ kind: v.literal("send"), text: promptText, isSteering: v.boolean() }),
  v.object({ kind: v.literal("stop") }),
  v.object({ kind: v.literal("complete"), number: position, text: label }),
  v.object({ kind: v.literal("earlier") }),
  v.object({ kind: v.literal("fold"), row: id, isOpen: v.boolean() }),
  v.object({ kind: v.literal("permit"), ask: id, reply: v.picklist(["once", "session", "project", "reject"]), reason: v.optional(promptText) }),
  v.object({ kind: v.literal("editAlways"), ask: id }),
  v.object({ kind: v.literal("answer"), ask: id, answers: v.pipe(v.array(v.pipe(v.array(promptText), v.maxLength(100))), v.maxLength(20)) }),
  v.object({ kind: v.literal("refuse"), ask: id, reason: v.optional(promptText) }),
  v.object({ kind: v.literal("showAsk"), ask: id }),
  v.object({ kind: v.literal("decide"), hunks: v.pipe(v.array(id), v.maxLength(MAX_LIST)), verdict: v.picklist(["accept", "reject"]) }),
  v.object({ kind: v.literal("openHunk"), hunk: id }),
  v.object({ kind: v.literal("openPlace"), path: label, line: v.optional(position) }),
  v.object({ kind: v.literal("openSession"), session: id }),
  v.object({ kind: v.literal("openParent") }),
  v.object({ kind: v.literal("insert"), text: rowText }),
  v.object({ kind: v.literal("apply"), text: rowText }),
  v.object({ kind: v.literal("copy"), text: rowText }),
  v.object({ kind: v.literal("stopCall"), row: id }),
  v.object({ kind: v.literal("resend"), row: id }),
  v.object({ kind: v.literal("undoTurn"), turn: position }),
  v.object({ kind: v.literal("undoCall"), row: id }),
  v.object({ kind: v.literal("dropContext"), label }),
  v.object({
    kind: v.literal("attach"),
    name: label,
    mime: v.picklist(mediaTypes),
    base64: v.pipe(v.string(), v.maxLength(MAX_MEDIA), v.regex(/^[A-Za-z0-9+/]+={0,2}$/)),
  }),
  v.object({ kind: v.literal("detach"), name: label }),
  v.object({ kind: v.literal("addFiles"), uris: v.pipe(v.array(label), v.maxLength(50)) }),
  v.object({ kind: v.literal("remedy"), remedy }),
  v.object({ kind: v.literal("command"), command: v.picklist(pageCommands) }),
]);

export type Head = v.InferOutput<typeof head>;
export type AskCard = v.InferOutput<typeof ask>;
export type PermissionCard = v.InferOutput<typeof permission>;
export type QuestionsCard = v.InferOutput<typeof questions>;
export type ChatChange = v.InferOutput<typeof change>;
export type HostMessage = v.InferOutput<typeof hostMessage>;
export type Snapshot = Extract<HostMessage, { kind: "snapshot" }>;
export type PageMessage = v.InferOutput<typeof pageMessage>;

/** A message of the host, or undefined if it is none. */
export function readHostMessage(value: unknown): HostMessage | undefined {
  const result = v.safeParse(hostMessage, value);
  return result.success ? result.output : undefined;
}

/** A message of the page, or undefined if it is none. */
export function readPageMessage(value: unknown): PageMessage | undefined {
  const result = v.safeParse(pageMessage, value, { abortEarly: true });
  return result.success ? result.output : undefined;
}
