// `copydesk.firstSteps` and `copydesk.practice`: the walkthrough, and its practice project.

import { commands } from "vscode";
import type { Desk } from "../desk";
import { WALKTHROUGH } from "../practice/practice";

export async function firstSteps(): Promise<void> {
  await commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false);
}

export async function practice(desk: Desk): Promise<void> {
  await desk.practice.open();
}
