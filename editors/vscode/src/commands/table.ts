// Every command of the extension, by its name in package.json.

import { commands, type Disposable } from "vscode";
import type { Desk } from "../desk";
import { answerWaiting } from "./answerWaiting";
import { ask } from "./ask";
import { commentOnHunk } from "./commentOnHunk";
import { decideAll } from "./decideAll";
import { decideFile } from "./decideFile";
import { decideHunk } from "./decideHunk";
import { goToHunk } from "./goToHunk";
import { openAllHunks } from "./openAllHunks";
import { openReviewedFile } from "./openReviewedFile";
import { reporting } from "./report";
import { restart } from "./restart";
import { showConversation } from "./showConversation";
import { showLog } from "./showLog";
import { status } from "./status";
import { stop } from "./stop";
import { submitComment } from "./submitComment";

type Command = (desk: Desk, ...args: unknown[]) => unknown;

const table: Record<string, Command> = {
  "copydesk.ask": ask,
  "copydesk.stop": stop,
  "copydesk.status": status,
  "copydesk.showConversation": showConversation,
  "copydesk.showLog": showLog,
  "copydesk.restart": restart,
  "copydesk.waiting.answer": answerWaiting,
  "copydesk.review.accept": decideHunk("accept"),
  "copydesk.review.reject": decideHunk("reject"),
  "copydesk.review.acceptFile": decideFile("accept"),
  "copydesk.review.rejectFile": decideFile("reject"),
  "copydesk.review.acceptAll": decideAll("accept"),
  "copydesk.review.rejectAll": decideAll("reject"),
  "copydesk.review.next": goToHunk(1),
  "copydesk.review.previous": goToHunk(-1),
  "copydesk.review.comment": commentOnHunk,
  "copydesk.review.submitComment": submitComment,
  "copydesk.review.openFile": openReviewedFile,
  "copydesk.review.openAll": openAllHunks,
};

export function registerCommands(desk: Desk): Disposable[] {
  return Object.entries(table).map(([name, run]) => {
    return commands.registerCommand(name, (...args: unknown[]) => reporting(desk, () => run(desk, ...args)));
  });
}
