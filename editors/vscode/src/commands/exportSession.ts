// `copydesk.export`: the whole conversation of a session as a new Markdown document, which the user may save.

import { window, workspace } from "vscode";
import { DaemonError } from "../daemon/requests";
import type { Desk } from "../desk";
import { partText } from "../sessions/partText";
import type { SessionView } from "../sessions/view";
import { sessionName } from "../sessions/view";

/** How many pages of earlier parts are loaded at most. */
const MAX_PAGES = 100;

async function markdownOf(desk: Desk, view: SessionView): Promise<string> {
  for (let page = 0; view.earlier && page < MAX_PAGES; page += 1) {
    await desk.sessions.loadEarlier(view.id);
  }
  const texts = view.parts.map((part) => partText(part) ?? "");
  return `# ${sessionName(view.session)}\n${view.earlier ? "\nEarlier parts are missing.\n" : ""}${texts.join("")}`;
}

/** Exports a session, by default the current one. One that is not attached is attached only for that. */
export async function exportConversation(desk: Desk, session = desk.sessions.current?.id): Promise<void> {
  const attached = session === undefined ? undefined : desk.sessions.get(session);
  const view = attached ?? (session === undefined ? undefined : await desk.sessions.load(session));
  if (!view || view.parts.length === 0) {
    throw new DaemonError("There is no conversation to export.");
  }
  const content = await markdownOf(desk, view);
  if (!attached) {
    desk.sessions.leave(view.id);
  }
  await window.showTextDocument(await workspace.openTextDocument({ language: "markdown", content }));
}

export async function exportSession(desk: Desk): Promise<void> {
  await exportConversation(desk);
}
