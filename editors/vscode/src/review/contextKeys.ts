// The context keys that menus and keybindings ask for.

import { commands, Disposable, window } from "vscode";
import { uriKey } from "../documents/openDocuments";
import type { Reviews } from "./reviews";
import { realUri } from "./virtualTexts";

/** `copydesk.hasHunks`: something is undecided; `copydesk.hasHunksHere`: in the active document. */
export function updateContextKeys(reviews: Reviews): Disposable {
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean) => {
    if (known.get(key) !== value) {
      known.set(key, value);
      void commands.executeCommand("setContext", key, value);
    }
  };
  const update = () => {
    const uri = window.activeTextEditor?.document.uri;
    set("copydesk.hasHunks", reviews.count > 0);
    set("copydesk.hasHunksHere", uri !== undefined && reviews.store.hasDocument(realUri(uri) ?? uriKey(uri)));
  };
  return Disposable.from(reviews.onDidChange(update), window.onDidChangeActiveTextEditor(update));
}
