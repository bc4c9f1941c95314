// The input for a provider's key.
//
// Contract: the key is shown as dots, and is only in what this returns.

import type { QuickInputButton } from "vscode";
import { env, ThemeIcon, Uri, window } from "vscode";
import type { ProviderInfo } from "copydesk-protocol";
import { oneLine } from "../sessions/partText";

/** The key that the user typed, or nothing. */
export function typeKey({ name, keyPage }: ProviderInfo): Promise<string | undefined> {
  const input = window.createInputBox();
  const page: QuickInputButton = { iconPath: new ThemeIcon("link-external"), tooltip: "Create a key in the browser" };
  input.title = `Key for ${oneLine(name)}`;
  input.password = true;
  input.ignoreFocusOut = true;
  input.prompt = "The daemon keeps it in a file that only you can read. It is not stored in VS Code.";
  input.placeholder = keyPage === undefined ? "" : `Create one at ${oneLine(keyPage)}`;
  input.buttons = keyPage === undefined ? [] : [page];
  return new Promise((resolve) => {
    input.onDidTriggerButton(() => keyPage !== undefined && void env.openExternal(Uri.parse(keyPage)));
    input.onDidChangeValue(() => (input.validationMessage = undefined));
    input.onDidAccept(() => {
      const key = input.value.trim();
      if (key === "") {
        input.validationMessage = "Paste or type the key.";
      } else {
        resolve(key);
        input.hide();
      }
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}
