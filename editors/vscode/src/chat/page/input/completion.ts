// What the input offers while the user writes: files, symbols and what VS Code shows after `@`, commands after `/` at the beginning.
//
// Contract: the host finds what is mentioned; commands are ours. An answer to an older request is not shown. Choosing a file puts its path into the
// text; choosing a command runs it and takes it out of the text.

import { computed, signal } from "@preact/signals";
import type { PageMessage } from "../../wire/messages";
import { post } from "../connection";
import { completions } from "../state";

type PageCommand = Extract<PageMessage, { kind: "command" }>["command"];

export interface Choice {
  label: string;
  detail?: string;
  /** What is put into the text; missing for a command. */
  text?: string;
  command?: PageCommand;
}

const COMMANDS: (Choice & { command: PageCommand })[] = [
  { label: "/new", detail: "a new session", command: "chat.new" },
  { label: "/sessions", detail: "open, rename or delete a session", command: "sessions" },
  { label: "/export", detail: "the conversation as Markdown", command: "export" },
  { label: "/model", detail: "choose the model", command: "model" },
  { label: "/agent", detail: "choose the agent", command: "agent" },
  { label: "/review", detail: "review before or after", command: "review.timing" },
  { label: "/undo", detail: "undo the agent's last turn", command: "undo" },
  { label: "/changes", detail: "what the agent changed", command: "changes" },
  { label: "/add", detail: "add the open file to the next prompt", command: "addFile" },
  { label: "/doctor", detail: "check the setup", command: "doctor" },
  { label: "/log", detail: "show the log", command: "showLog" },
];

/** What `@` takes along besides files and symbols. */
const SOURCES: Record<string, string> = {
  problems: "what VS Code shows under Problems",
  terminal: "what is selected in the terminal",
  diff: "what Git has not committed",
};

interface Trigger {
  kind: "file" | "command";
  /** What was written after the sign. */
  text: string;
  /** Where the sign is. */
  at: number;
  /** The number of the request. */
  number: number;
}

/** What is being completed. */
export const trigger = signal<Trigger | undefined>(undefined);
/** The choice that Enter takes. */
export const chosen = signal(0);

let requests = 0;

export const choices = computed<Choice[]>(() => {
  const open = trigger.value;
  if (open?.kind === "command") {
    return COMMANDS.filter(({ label }) => label.startsWith(`/${open.text.toLowerCase()}`));
  }
  const answer = completions.value;
  return open && answer?.number === open.number ? answer.paths.map((path) => ({ label: path, detail: SOURCES[path], text: `@${path} ` })) : [];
});

/** The sign before the cursor and what follows it. */
function triggerIn(text: string, cursor: number): Omit<Trigger, "number"> | undefined {
  const before = text.slice(Math.max(0, cursor - 300), cursor);
  const command = cursor < 300 ? /^\/([a-z]*)$/i.exec(before) : null;
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (command) {
    return { kind: "command", text: command[1] ?? "", at: 0 };
  }
  return file ? { kind: "file", text: file[1] ?? "", at: cursor - (file[1]?.length ?? 0) - 1 } : undefined;
}

/** The user has written or moved the cursor. */
export function updateCompletion(text: string, cursor: number): void {
  const found = triggerIn(text, cursor);
  const before = trigger.peek();
  if (!found) {
    trigger.value = undefined;
  } else if (found.kind !== before?.kind || found.text !== before.text || found.at !== before.at) {
    requests += 1;
    trigger.value = { ...found, number: requests };
    chosen.value = 0;
    if (found.kind === "file") {
      post({ kind: "complete", number: requests, text: found.text });
    }
  }
}

export function closeCompletion(): void {
  trigger.value = undefined;
}

/** Takes a choice; returns the new text and cursor. */
export function takeChoice(choice: Choice, text: string, cursor: number): { text: string; cursor: number } {
  const at = trigger.peek()?.at ?? cursor;
  closeCompletion();
  if (choice.command) {
    post({ kind: "command", command: choice.command });
  }
  const put = choice.text ?? "";
  return { text: text.slice(0, at) + put + text.slice(cursor), cursor: at + put.length };
}
