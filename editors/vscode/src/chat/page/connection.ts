// The page's end of the messages: see wire/messages.ts.
//
// Contract: what arrives is checked, and applied at most once for each frame; then the host is told what is drawn. A gap in the numbers,
// or a message that does not fit, asks for a snapshot; not more often than once a second.

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

let seq = -1;
let waiting: HostMessage[] = [];
let resyncTimer: ReturnType<typeof setTimeout> | undefined;
/** What was applied is not drawn yet. */
let isDrawing = false;
const { port1: frameEnd, port2: afterFrame } = new MessageChannel();
frameEnd.onmessage = ({ data }: MessageEvent<number>) => post({ kind: "drawn", seq: data });

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

/**
 * Applies what has arrived. The first of a frame is applied at once, not in the frame: following the end scrolls the list, VS Code's browser
 * tells of a scroll at the beginning of a frame, and for one that happened within a frame it would draw another.
 */
function applyWaiting(): void {
  const messages = waiting;
  waiting = [];
  isDrawing = true;
  messages.forEach(apply);
  requestAnimationFrame(confirmDrawn);
}

/** Runs in the frame that draws what was applied. */
function confirmDrawn(): void {
  isDrawing = false;
  if (waiting.length > 0) {
    applyWaiting();
  }
  if (seq >= 0) {
    // The message arrives after the frame. Another frame only for that would cost as much again.
    afterFrame.postMessage(seq);
  }
}

function receive(event: MessageEvent): void {
  const message = readHostMessage(event.data);
  if (message) {
    waiting.push(message);
    if (!isDrawing) {
      applyWaiting();
    }
  } else if (typeof event.data === "object" && event.data !== null && "seq" in event.data) {
    resync();
  }
}

export function connect(): void {
  addEventListener("message", receive);
  post({ kind: "ready" });
}
