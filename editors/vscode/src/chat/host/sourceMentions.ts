// What VS Code shows, as a prompt mentions it: `@problems`, `@terminal` for what is selected there, `@diff` for what Git has not committed.
//
// Contract: a source that has nothing fails with a message that says so. The clipboard is left as it was. Texts are cut.

import { commands, DiagnosticSeverity, env, extensions, languages, workspace } from "vscode";
import { promptPath } from "../../documents/save";
import type { ContextPiece } from "../../sessions/context";
import { oneLine } from "../../sessions/partText";
import { cutAt, terminalText } from "./plainText";

export const SOURCES = ["problems", "terminal", "diff"] as const;

type SourceName = (typeof SOURCES)[number];

/** The daemon cuts a piece there, too. */
const MAX_TEXT = 60_000;
const MAX_PROBLEMS = 200;

/** The piece of a source; undefined if a mention names none. */
export async function sourcePiece(name: string): Promise<ContextPiece | undefined> {
  const source = SOURCES.find((one) => one === name);
  if (source === undefined) {
    return undefined;
  }
  const text = await TEXTS[source]();
  // Of a text that is in no document, the URI is only its name.
  return { label: `@${source}`, item: { uri: `@${source}`, text: cutAt(text, MAX_TEXT) } };
}

const TEXTS: Record<SourceName, () => string | Promise<string>> = { problems: problemsText, terminal: terminalSelection, diff: gitDiff };

function problemsText(): string {
  const own = languages.getDiagnostics().filter(([uri]) => uri.scheme === "file" && workspace.getWorkspaceFolder(uri));
  const lines = own.flatMap(([uri, problems]) =>
    problems.map(({ range, severity, message, source }) => ({
      severity,
      text: `${promptPath(uri.toString())}:${range.start.line + 1}:${range.start.character + 1} ${DiagnosticSeverity[severity]?.toLowerCase()}: ${oneLine(message, 400)}${source ? ` (${oneLine(source, 40)})` : ""}`,
    })),
  );
  if (lines.length === 0) {
    throw new Error("@problems: VS Code shows no problems in this workspace.");
  }
  const first = lines.sort((a, b) => a.severity - b.severity).slice(0, MAX_PROBLEMS);
  const more = lines.length > first.length ? [`… and ${lines.length - first.length} more`] : [];
  return ["What VS Code shows under Problems:", ...first.map(({ text }) => text), ...more].join("\n");
}

/** VS Code tells extensions the selection of a terminal only by the clipboard. */
async function terminalSelection(): Promise<string> {
  const before = await env.clipboard.readText();
  try {
    await env.clipboard.writeText("");
    await commands.executeCommand("workbench.action.terminal.copySelection");
    const selected = terminalText(await env.clipboard.readText());
    if (selected.trim() === "") {
      throw new Error("@terminal: nothing is selected in the terminal.");
    }
    return `What the user selected in the terminal:\n${selected}`;
  } finally {
    await env.clipboard.writeText(before);
  }
}

/** What is used of VS Code's own extension for Git. */
interface GitApi {
  repositories: { diff(isStaged?: boolean): Promise<string> }[];
}

function isGitExports(value: unknown): value is { getAPI(version: 1): GitApi } {
  return typeof value === "object" && value !== null && "getAPI" in value && typeof value.getAPI === "function";
}

async function gitDiff(): Promise<string> {
  const exported: unknown = await extensions.getExtension("vscode.git")?.activate();
  if (!isGitExports(exported) || !workspace.getConfiguration("git").get("enabled", true)) {
    throw new Error("@diff: VS Code's extension for Git is switched off.");
  }
  const { repositories } = exported.getAPI(1);
  const texts = await Promise.all(repositories.flatMap((repository) => [repository.diff(true), repository.diff(false)]));
  const text = texts.filter((one) => one.trim() !== "").join("\n");
  if (text === "") {
    throw new Error("@diff: Git finds no changes that are not committed.");
  }
  return `What Git has not committed:\n${text}`;
}
