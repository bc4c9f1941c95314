// Tabs that closed because the agent deleted their file: they come back with it, after an undo or a rejection.
//
// Contract: a tab comes back in its group, behind the active one. Neither the focus nor the active editor moves.

import type { Tab } from "vscode";
import { commands, TabInputText, Uri, ViewColumn, window } from "vscode";
import type { Connection } from "../daemon/connection";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import { uriKey } from "../documents/openDocuments";

/** More are forgotten, the oldest first: then a file comes back without its tab. */
const MAX_CLOSED = 200;

/** The tabs of a document. */
export function tabsOf(key: string): Tab[] {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter((tab) => tab.input instanceof TabInputText && tab.input.uri.toString() === key);
}

export class ClosedTabs {
  /** The groups of the tabs, by document. */
  readonly #closed = new Map<string, ViewColumn[]>();

  constructor(connection: Connection) {
    connection.onNotification("copydesk/document/changed", ({ uri, reason }) => {
      if (reason === "created") {
        this.#reopen(uriKey(uri)).catch((error) => log().warn(`the tab of ${uri} did not come back: ${problemOf(error)}`));
      }
    });
  }

  /** Closes the tabs of a document; whether VS Code did. */
  async close(key: string): Promise<boolean> {
    const tabs = tabsOf(key);
    const columns = tabs.map((tab) => tab.group.viewColumn);
    if (tabs.length === 0) {
      return true;
    } else if (!(await window.tabGroups.close(tabs, true))) {
      return false;
    }
    this.#closed.set(key, columns);
    const oldest = this.#closed.keys().next().value;
    if (this.#closed.size > MAX_CLOSED && oldest !== undefined) {
      this.#closed.delete(oldest);
    }
    return true;
  }

  async #reopen(key: string): Promise<void> {
    const columns = this.#closed.get(key) ?? [];
    this.#closed.delete(key);
    if (tabsOf(key).length > 0) {
      return;
    }
    const groups = new Set(window.tabGroups.all.map((group) => group.viewColumn));
    for (const column of columns) {
      const viewColumn = groups.has(column) ? column : ViewColumn.Active;
      // Only this command opens a tab behind the active one.
      await commands.executeCommand("vscode.open", Uri.parse(key), { viewColumn, background: true, preserveFocus: true, preview: false });
    }
  }
}
