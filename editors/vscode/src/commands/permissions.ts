// `copydesk.permissions`: what the user always allows in this project and its sessions, each taken back by choosing it. It stays open until
// the user leaves it.

import type { KeptReplyInfo } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { window } from "vscode";
import type { Desk } from "../desk";
import { plainLabel } from "../waiting/askText";

interface ReplyItem extends QuickPickItem {
  reply: KeptReplyInfo;
}

function itemOf(reply: KeptReplyInfo): ReplyItem {
  const since = reply.since === undefined ? "" : `, since ${new Date(reply.since).toLocaleDateString()}`;
  const where = reply.scope === "project" ? `in every session${since}` : "in one session";
  return { label: plainLabel(`${reply.key} ${reply.pattern}`), description: where, reply };
}

export async function permissions(desk: Desk): Promise<void> {
  for (;;) {
    const listed = await desk.connection.request("copydesk/permission/list", {});
    if (listed.replies.length === 0) {
      void window.showInformationMessage("Copydesk: nothing is always allowed in this project.");
      return;
    }
    const untrusted = listed.trusted ? "" : " You do not trust this folder, so what is allowed in every session does not count.";
    const items = listed.replies.map(itemOf);
    const chosen = await window.showQuickPick(items, { title: "Always allowed in this project", placeHolder: `Choose what to take back.${untrusted}` });
    if (!chosen) {
      return;
    }
    const { key, pattern, scope, session } = chosen.reply;
    await desk.connection.request("copydesk/permission/revoke", { key, pattern, scope, session });
  }
}
