// `copydesk.export`: the whole conversation of the current session as a new Markdown document, which the user may save.

import { window, workspace } from "vscode";
import { DaemonError } from "../daemon/requests";
import type { Desk } from "../desk";
import { partText } from "../sessions/partText";
import { sessionName } from "../sessions/view";

/** How many pages of earlier parts are loaded at most. */
const MAX_PAGES = 100;

export async function exportSession(desk: Desk): Promise<void> {
  const view = desk.sessions.current;
  if (!view || view.parts.length === 0) {
    throw new DaemonError("There is no conversation to export.");
  }
  for (let page = 0; view.earlier && page < MAX_PAGES; page += 1) {
    await desk.sessions.loadEarlier(view.id);
  }
  const texts = view.parts.map((part) => partText(part) ?? "");
  const content = `# ${sessionName(view.session)}\n${view.earlier ? "\nEarlier parts are missing.\n" : ""}${texts.join("")}`;
  await window.showTextDocument(await workspace.openTextDocument({ language: "markdown", content }));
}
