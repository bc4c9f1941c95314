// The extension's log, in the output channel "Copydesk Log".
//
// Contract: it has no text of documents and prompts, because users paste logs into reports.

import { window, type LogOutputChannel } from "vscode";

let channel: LogOutputChannel | undefined;

/** The channel, created at the first use: a window without Copydesk has none in its list. */
export function log(): LogOutputChannel {
  channel ??= window.createOutputChannel("Copydesk Log", { log: true });
  return channel;
}

export function disposeLog(): void {
  channel?.dispose();
  channel = undefined;
}
