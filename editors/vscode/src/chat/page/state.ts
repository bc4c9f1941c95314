// What the page shows, as signals.
//
// Contract: only `applyHostMessage` writes what the host sends. A row that did not change keeps its object, so it is not drawn again.

import { batch, computed, signal } from "@preact/signals";
import type { AskCard, ChatChange, Head, HostMessage, Snapshot } from "../wire/messages";
import type { Row } from "../wire/rows";

export const head = signal<Head | undefined>(undefined);
export const rows = signal<readonly Row[]>([]);
export const isEmpty = computed(() => rows.value.length === 0);
export const asks = signal<readonly AskCard[]>([]);
export const draft = signal<Snapshot["draft"]>({ number: 0, text: "" });
export const sentPrompts = signal<readonly string[]>([]);
/** Why the input refused what was pasted or dropped; until the next key. */
export const inputNotice = signal("");
/** Counts the requests to put the focus into the input. */
export const focusRequests = signal(0);
/** Counts the requests to go to the end of the conversation. */
export const endRequests = signal(0);
/** The host's last answer to a `@` in the input. */
export const completions = signal<Completions | undefined>(undefined);
/** The time, for durations of what runs; it moves only while something runs. */
export const now = signal(Date.now());

type Completions = Extract<HostMessage, { kind: "completions" }>;

let index = new Map<string, number>();

function reindex(): void {
  index = new Map(rows.peek().map((row, at) => [row.id, at]));
}

/** The place of a row in the list, or -1. */
export function rowIndex(id: string): number {
  return index.get(id) ?? -1;
}

function replace(list: Row[], row: Row): void {
  const at = rowIndex(row.id);
  if (list[at]?.id === row.id) {
    list[at] = row;
  }
}

function applyChange(list: Row[], change: ChatChange): void {
  switch (change.kind) {
    case "head":
      head.value = change.head;
      return;
    case "asks":
      asks.value = change.asks;
      return;
    case "draft":
      draft.value = change.draft;
      return;
    case "splice":
      list.splice(change.at, change.remove, ...change.rows);
      rows.value = [...list];
      reindex();
      return;
    case "row":
      replace(list, change.row);
      return;
    case "append": {
      const row = list[rowIndex(change.id)];
      if (row?.kind === "answer" || row?.kind === "reasoning") {
        replace(list, { ...row, text: row.text + change.text });
      }
    }
  }
}

/** Applies a snapshot or a batch of changes, and draws once. */
export function applyHostMessage(message: Extract<HostMessage, { kind: "snapshot" | "changes" }>): void {
  batch(() => {
    if (message.kind === "snapshot") {
      head.value = message.head;
      asks.value = message.asks;
      rows.value = message.rows;
      draft.value = message.draft;
      sentPrompts.value = message.history;
      reindex();
      return;
    }
    const list = [...rows.peek()];
    message.changes.forEach((change) => applyChange(list, change));
    rows.value = list;
  });
}

/** Puts a text into the input, with the focus. The host hears of it as of any typing. */
export function offerText(text: string): void {
  draft.value = { number: draft.peek().number + 1, text };
  requestInputFocus();
}

/** Goes to the end of the conversation: the user has sent a prompt. */
export function requestEnd(): void {
  endRequests.value += 1;
}

export function requestInputFocus(): void {
  focusRequests.value += 1;
}

setInterval(() => {
  const isLive = head.peek()?.running !== undefined || rows.peek().some((row) => row.kind === "retry" && !row.isOver);
  if (isLive && document.visibilityState === "visible") {
    now.value = Date.now();
  }
}, 1_000);
