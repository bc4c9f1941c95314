// The page's end of the messages: see wire/messages.ts.
//
// Contract: what arrives is checked, applied and drawn; then the host is told, who sends the next batch only after that. So the page sets the
// pace: it waits with its word until drawing has taken no more than its share of the time. A gap in the numbers, or a message that does not
// fit, asks for a snapshot; not more often than once a second.

import type { HostMessage, PageMessage } from "../wire/messages";
import { readHostMessage } from "../wire/messages";
import { applyHostMessage, completions, requestInputFocus } from "./state";

interface VsCodeApi {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const vscode = acquireVsCodeApi();

/** The pause between two requests for a snapshot. */
const RESYNC_MS = 1_000;

/** The share of the main thread that may go into drawing what streams, and into what comes faster than anyone reads. */
const DRAWING_SHARE = 0.25;
const FAST_SHARE = 0.12;
/** From so many characters in one batch on, a text comes fast. */
const FAST_TEXT = 60;
/** The longest pause between two batches. */
const MAX_REST_MS = 200;

let seq = -1;
let resyncTimer: ReturnType<typeof setTimeout> | undefined;

export function post(message: PageMessage): void {
  vscode.postMessage(message);
}

/** What the page remembers while it is hidden: where it is scrolled to. */
export function remember(state: unknown): void {
  vscode.setState(state);
}

export function remembered(): unknown {
  return vscode.getState();
}

function resync(): void {
  resyncTimer ??= setTimeout(
    () => {
      resyncTimer = undefined;
      post({ kind: "resync" });
    },
    seq < 0 ? RESYNC_MS : 0,
  );
  seq = -1;
}

function apply(message: HostMessage): void {
  if (message.kind === "focus") {
    requestInputFocus();
  } else if (message.kind === "completions") {
    // An answer may be late: finding files takes longer than finding symbols.
    completions.value = message.number < (completions.peek()?.number ?? 0) ? completions.peek() : message;
  } else if (message.kind === "snapshot" || message.seq === seq + 1) {
    seq = message.seq;
    applyHostMessage(message);
  } else if (seq >= 0 && message.seq > seq) {
    resync();
  }
}

/** How many characters a batch appends to the answer. */
function streamedBy(message: HostMessage): number {
  return message.kind === "changes" ? message.changes.reduce((sum, change) => sum + (change.kind === "append" ? change.text.length : 0), 0) : 0;
}

/** Confirms a batch that is drawn, after as long a rest as keeps drawing within its share. */
function confirm(drawn: number, spent: number, share: number): void {
  const rest = Math.min(MAX_REST_MS, spent / share - spent);
  setTimeout(() => post({ kind: "drawn", seq: drawn }), rest);
}

/**
 * Applies a batch at once, not in the frame that draws it: following the end scrolls the list, VS Code's browser tells of a scroll at the
 * beginning of a frame, and for one that happened within a frame it would draw another.
 */
function draw(message: HostMessage): void {
  const begun = performance.now();
  const share = streamedBy(message) < FAST_TEXT ? DRAWING_SHARE : FAST_SHARE;
  apply(message);
  // What was applied is rendered in a microtask, which comes before this one.
  queueMicrotask(() => {
    const rendered = performance.now() - begun;
    requestAnimationFrame(() => {
      const framed = performance.now();
      const { port1, port2 } = new MessageChannel();
      // The message arrives after the frame.
      port1.onmessage = () => seq >= 0 && confirm(seq, rendered + performance.now() - framed, share);
      port2.postMessage(undefined);
    });
  });
}

function receive(event: MessageEvent): void {
  const message = readHostMessage(event.data);
  if (message?.kind === "snapshot" || message?.kind === "changes") {
    draw(message);
  } else if (message) {
    apply(message);
  } else if (typeof event.data === "object" && event.data !== null && "seq" in event.data) {
    resync();
  }
}

export function connect(): void {
  addEventListener("message", receive);
  post({ kind: "ready" });
}
