// What an ask is about, as text: its title, its subject in full, and what each reply means.
//
// Contract: no I/O. The subject is complete: nothing is cut, because the user answers for all of it. Titles are one line. Metadata of a
// tool that is not built in may hold anything; what is not a text is not shown.

import type { ChangedFileMetadata, PermissionAskParams, QuestionAskParams } from "copydesk-protocol";
import { workspace } from "vscode";
import { oneLine } from "../sessions/partText";
import type { OpenAsk } from "./asks";
import { problemLines } from "./askProblems";

/** What a permission ask is about, and the language that it is written in. */
export interface AskSubject {
  text: string;
  language: "diff" | "markdown" | "shellscript" | "plaintext";
}

/** A line that is longer is cut in a list, and more lines are too many for one. */
const MAX_LINE = 80;
const MAX_LINES = 10;

function field(params: PermissionAskParams, name: string): unknown {
  return (params.metadata as Record<string, unknown> | undefined)?.[name];
}

function textField(params: PermissionAskParams, name: string): string | undefined {
  const value = field(params, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The files that an edit would change; empty for other asks. */
export function changedFiles(params: PermissionAskParams): ChangedFileMetadata[] {
  const { metadata } = params;
  const files = field(params, "files");
  if (Array.isArray(files)) {
    return files.filter((file) => typeof file?.filepath === "string");
  }
  return metadata && "filepath" in metadata && typeof metadata.filepath === "string" ? [metadata] : [];
}

/** The path of a file for the user. */
function nameOf({ path, filepath }: ChangedFileMetadata): string {
  return path ?? workspace.asRelativePath(filepath);
}

function diffOf(file: ChangedFileMetadata): string {
  const name = nameOf(file);
  const moved = file.from === undefined ? "" : `renamed from ${file.from}\n`;
  if (typeof file.diff === "string" && file.diff !== "") {
    return `${moved}${file.diff}`;
  }
  return `${moved}${name}: ${file.additions} lines added, ${file.deletions} removed. Their diff is too long to be sent; review the hunks in the document.\n`;
}

export function subjectOf(params: PermissionAskParams): AskSubject {
  const files = changedFiles(params);
  const command = textField(params, "command");
  const markdown = textField(params, "plan") ?? textField(params, "prompt");
  if (files.length > 0) {
    return { text: files.map(diffOf).join("\n"), language: "diff" };
  } else if (command !== undefined) {
    return { text: command, language: "shellscript" };
  } else if (markdown !== undefined) {
    return { text: markdown, language: "markdown" };
  }
  const repeated = field(params, "arguments");
  const other = textField(params, "url") ?? textField(params, "query") ?? textField(params, "path");
  const call = repeated === undefined ? undefined : `${textField(params, "name") ?? params.key} ${JSON.stringify(repeated, undefined, 2)}`;
  return { text: other ?? call ?? params.patterns.join("\n"), language: "plaintext" };
}

/** Whether the subject needs a document to be read in full. */
export function isLong(params: PermissionAskParams): boolean {
  const { text, language } = subjectOf(params);
  const lines = text.split(/\r\n|\r|\n/);
  return language === "diff" || lines.length > MAX_LINES || lines.some((line) => line.length > MAX_LINE);
}

/** The lines that stand for a subject in a list: of an edit its files. */
export function subjectLines(params: PermissionAskParams): string[] {
  const files = changedFiles(params);
  if (files.length > 0) {
    return files.map((file) => `${nameOf(file)} +${file.additions} −${file.deletions}`);
  }
  return subjectOf(params).text.split(/\r\n|\r|\n/);
}

/** One line for a label in which VS Code would draw icons: `$(check)` of a model stays a text. */
export function plainLabel(text: string, most?: number): string {
  return oneLine(text, most).replaceAll("$(", "$\u200b(");
}

/** What "always" would allow. */
export function alwaysText({ key, always }: PermissionAskParams): string {
  return `${key} ${always.join(", ")}`;
}

/** Why it is asked, and why the last reply did not count. */
export function whyLines({ key, why, problem }: PermissionAskParams): string[] {
  const refused = problem ? [`Your reply did not count: ${oneLine(problem, 1_000)}`] : [];
  return why && key !== "plan_exit" ? [...refused, `Why: ${oneLine(why, 1_000)}`] : refused;
}

/** The names of the replies. An approved plan is not allowed, but carried out. */
export function replyNames({ key }: PermissionAskParams): { once: string; reject: string; rejectWithReason: string } {
  return key === "plan_exit"
    ? { once: "Carry it out", reject: "No, stop", rejectWithReason: "Say what to change…" }
    : { once: "Allow once", reject: "Reject", rejectWithReason: "Reject with a reason…" };
}

/** What an ask is about, in one line. */
export function titleOf(ask: OpenAsk): string {
  const text = ask.kind === "permission" ? ask.params.title : ask.params.questions.map((question) => question.text).join(" · ");
  return oneLine(text);
}

/** A code block that its text cannot end. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

function permissionDocument(params: PermissionAskParams, origin: string | undefined): string {
  const subject = subjectOf(params);
  const isDiff = subject.language === "diff";
  const workdir = textField(params, "workdir");
  const description = textField(params, "description");
  const facts = [
    origin && `Asked by ${origin}.`,
    workdir && `Folder: ${oneLine(workdir)}`,
    description && `The model says: ${oneLine(description)}`,
    params.always.length > 0 && `Always would allow, from now on in this session${params.projectAlways ? " or project" : ""}: ${oneLine(alwaysText(params), 2_000)}`,
    ...whyLines(params),
    ...problemLines(params.metadata),
  ].filter((line) => typeof line === "string");
  const head = [`${isDiff ? "" : "# "}${oneLine(params.title)}`, ...facts].join(isDiff ? "\n" : "\n\n");
  const body = isDiff || subject.language === "markdown" ? subject.text : fenced(subject.text, subject.language === "shellscript" ? "sh" : "");
  return `${head}\n\n${body}`;
}

function questionDocument({ questions }: QuestionAskParams, origin: string | undefined): string {
  const texts = questions.map(({ header, text, options, multiple }) => {
    const choices = options.map(({ label, description }) => `- ${oneLine(label)}${description ? `: ${oneLine(description, 1_000)}` : ""}`);
    const how = multiple ? "Choose one or more." : "";
    return [`# ${oneLine(header)}`, text, how, choices.join("\n")].filter(Boolean).join("\n\n");
  });
  return `${[origin && `Asked by ${origin}.`, ...texts].filter(Boolean).join("\n\n")}\n`;
}

/** The whole ask as a document. */
export function documentText(ask: OpenAsk, origin?: string): string {
  return ask.kind === "permission" ? permissionDocument(ask.params, origin) : questionDocument(ask.params, origin);
}
