// Every command of the extension, by its name in package.json.

import { commands, type Disposable } from "vscode";
import type { Desk } from "../desk";
import { answerWaiting } from "./answerWaiting";
import { ask } from "./ask";
import { reporting } from "./report";
import { restart } from "./restart";
import { showConversation } from "./showConversation";
import { showLog } from "./showLog";
import { status } from "./status";
import { stop } from "./stop";

type Command = (desk: Desk, ...args: unknown[]) => unknown;

const table: Record<string, Command> = {
  "copydesk.ask": ask,
  "copydesk.stop": stop,
  "copydesk.status": status,
  "copydesk.showConversation": showConversation,
  "copydesk.showLog": showLog,
  "copydesk.restart": restart,
  "copydesk.waiting.answer": answerWaiting,
};

export function registerCommands(desk: Desk): Disposable[] {
  return Object.entries(table).map(([name, run]) => {
    return commands.registerCommand(name, (...args: unknown[]) => reporting(desk, () => run(desk, ...args)));
  });
}
