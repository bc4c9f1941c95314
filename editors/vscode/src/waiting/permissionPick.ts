// The quick pick of one permission ask.
//
// Contract: it closes when the ask is settled elsewhere. Closing it answers nothing: the ask stays open and is counted.

import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import { oneLine } from "../sessions/partText";
import type { Asks, PermissionAsk } from "./asks";

interface Choice extends QuickPickItem {
  run: () => Promise<void> | void;
}

function choicesOf({ params, reply }: PermissionAsk): Choice[] {
  const choices: Choice[] = [{ label: "$(check) Allow once", run: () => reply({ reply: "once" }) }];
  if (params.always.length > 0) {
    const detail = `From now on in this session: ${params.always.map((one) => oneLine(one)).join(", ")}`;
    choices.push({ label: "$(check-all) Always allow", detail, run: () => reply({ reply: "always" }) });
  }
  const rejectWithReason = async () => {
    const reason = await window.showInputBox({ prompt: "Why not? The model reads it and continues.", ignoreFocusOut: true });
    if (reason) {
      reply({ reply: "reject", reason });
    }
  };
  choices.push({ label: "$(comment) Reject with a reason…", detail: "The model is told and continues.", run: rejectWithReason });
  choices.push({ label: "$(close) Reject", detail: "The turn stops.", run: () => reply({ reply: "reject" }) });
  return choices;
}

/** What the ask is about, in full: the command, the address, the paths. */
function subjectOf({ params }: PermissionAsk): string {
  const { metadata, patterns } = params;
  const text = metadata && "command" in metadata ? metadata.command : metadata && "url" in metadata ? metadata.url : patterns.join(", ");
  return oneLine(text, 400);
}

/** Shows an ask until the user chooses, leaves it, or it is settled. */
export function pickPermission(asks: Asks, ask: PermissionAsk): void {
  const pick = window.createQuickPick<Choice>();
  pick.title = oneLine(ask.params.title);
  pick.placeholder = subjectOf(ask);
  pick.items = choicesOf(ask);
  pick.ignoreFocusOut = true;
  const listener = asks.onDidChange(() => {
    if (asks.get(ask.params.ask) !== ask) {
      pick.hide();
    }
  });
  pick.onDidAccept(() => {
    const choice = pick.selectedItems[0];
    pick.hide();
    void choice?.run();
  });
  pick.onDidHide(() => {
    listener.dispose();
    pick.dispose();
  });
  pick.show();
}
