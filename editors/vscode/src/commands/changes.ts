// `copydesk.changes`: what the agent's calls changed in the current session, the last first; shows the diff of one.

import type { CallInfo, ChangedFileMetadata, PartInfo } from "copydesk-protocol";
import type { QuickPickItem } from "vscode";
import { QuickPickItemKind, window } from "vscode";
import type { Desk } from "../desk";
import { oneLine } from "../sessions/partText";
import type { SessionView } from "../sessions/view";

interface ChangeItem extends QuickPickItem {
  file?: ChangedFileMetadata;
}

/** The files that a call changed, as its metadata says. */
function filesOf({ output }: CallInfo): ChangedFileMetadata[] {
  const metadata = output?.isError ? undefined : output?.metadata;
  if (metadata && "filepath" in metadata && "additions" in metadata) {
    return [metadata];
  }
  // A task lists its files without diffs.
  return metadata && "files" in metadata && "additions" in metadata ? metadata.files : [];
}

function itemOf(view: SessionView, file: ChangedFileMetadata): ChangeItem {
  const path = file.filepath.startsWith(`${view.session.folder}/`) ? file.filepath.slice(view.session.folder.length + 1) : file.filepath;
  const from = file.from === undefined ? "" : `, moved from ${file.from}`;
  return { label: `$(file) ${oneLine(path)}`, description: `+${file.additions} −${file.deletions}${oneLine(from)}`, file };
}

function itemsOf(view: SessionView): ChangeItem[] {
  const calls = view.parts.flatMap((part): [PartInfo, CallInfo][] => (part.content.kind === "call" ? [[part, part.content]] : []));
  const byTurn = Map.groupBy(calls.reverse(), ([part]) => part.turn);
  return [...byTurn].flatMap(([turn, ones]) => {
    const files = ones.flatMap(([, call]) => filesOf(call));
    const title: ChangeItem = { label: `Turn ${turn}`, kind: QuickPickItemKind.Separator };
    return files.length > 0 ? [title, ...files.map((file) => itemOf(view, file))] : [];
  });
}

export async function changes(desk: Desk): Promise<void> {
  const view = desk.sessions.current;
  const items = view ? itemsOf(view) : [];
  if (items.length === 0) {
    void window.showInformationMessage("The agent has changed nothing in this session.");
    return;
  }
  const chosen = await window.showQuickPick(items, { title: "Changed by the agent in this session" });
  if (chosen?.file) {
    const name = chosen.file.filepath.split("/").at(-1) ?? "changes";
    await desk.texts.show(`${name}.diff`, chosen.file.diff || "The diff is too long to be kept.", "diff");
  }
}
