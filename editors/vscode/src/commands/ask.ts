// `copydesk.ask`: sends a prompt, with the selection.
//
// An argument `{ text }` is the prompt itself, for keybindings and other extensions; then nothing is asked.

import { window, workspace } from "vscode";
import type { Desk } from "../desk";
import type { ContextPiece } from "../sessions/context";
import { selectionPiece } from "../sessions/context";

/** The text in a command's argument. */
export function givenText(argument: unknown): string | undefined {
  const text = typeof argument === "object" && argument !== null && "text" in argument ? argument.text : undefined;
  return typeof text === "string" ? text : undefined;
}

async function askForText(desk: Desk, pieces: ContextPiece[]): Promise<string | undefined> {
  const labels = [...pieces, ...desk.prompts.context.pieces].map((piece) => piece.label);
  return window.showInputBox({
    title: labels.length > 0 ? `Ask Copydesk about ${labels.join(", ")}` : "Ask Copydesk",
    value: desk.prompts.takeUnsent(),
    placeHolder: desk.sessions.current?.running === undefined ? "What should the agent do?" : "A turn runs: this is sent after it",
    ignoreFocusOut: true,
  });
}

async function showConversation(desk: Desk): Promise<void> {
  if (workspace.getConfiguration("copydesk").get("showConversation", true)) {
    await desk.showConversation();
  }
}

/** Sends a prompt that a command makes, and shows the conversation if the user wants that. */
export async function sendAndShow(desk: Desk, text: string, pieces: ContextPiece[]): Promise<void> {
  await desk.prompts.send(text, { pieces });
  await showConversation(desk);
}

export async function ask(desk: Desk, argument?: unknown): Promise<void> {
  const selected = window.activeTextEditor && selectionPiece(window.activeTextEditor);
  const pieces = selected ? [selected] : [];
  desk.connection.startSoon();
  const text = givenText(argument) ?? (await askForText(desk, pieces));
  if (text === undefined || text.trim() === "") {
    return;
  }
  await desk.prompts.sendTyped(text, { pieces });
  await showConversation(desk);
}
