// `copydesk.permissions.explain`: which rule decides about a call, and how a command is read. Nothing is run.

import type { PermissionExplainResult } from "copydesk-protocol";
import { window, workspace } from "vscode";
import type { Desk } from "../desk";

const VERDICTS = { allow: "It runs without asking", ask: "It asks", deny: "It is denied" };

function textOf(report: PermissionExplainResult): string {
  const decisions = report.decisions.flatMap(({ action, key, pattern, why }) => [`  ${action.padEnd(5)} ${key} ${pattern}`, `        ${why}`]);
  return [
    `${VERDICTS[report.action]} (agent ${report.agent}, preset ${report.preset})`,
    ...decisions,
    ...(report.action === "ask" && report.always.length > 0 ? [`  "always" would allow: ${report.always.join(", ")}`] : []),
    ...(report.sandbox ? [`  ${report.sandbox.what}`] : []),
    ...report.notes.map((note) => `  ${note}`),
    "",
  ].join("\n");
}

export async function explainPermission(desk: Desk, call?: unknown): Promise<void> {
  const prompt = "A command, or a key and what it is about: read .env";
  const typed = typeof call === "string" ? call : await window.showInputBox({ title: "What would happen?", prompt, placeHolder: "git push origin main" });
  if (typed === undefined || typed.trim() === "") {
    return;
  }
  const session = desk.sessions.current?.session;
  const report = await desk.connection.request("copydesk/permission/explain", { target: typed.trim(), agent: session?.agent, preset: session?.preset });
  const document = await workspace.openTextDocument({ content: `${typed.trim()}\n\n${textOf(report)}`, language: "plaintext" });
  await window.showTextDocument(document, { preview: true });
}
