// The tree view *Waiting*: each open ask with buttons, and below it what it is about.
//
// Contract: the tree answers only by its buttons. What "always" would allow is a line below the ask. Lines of a model are one line
// each and never Markdown.

import type { TreeDataProvider, TreeView } from "vscode";
import { Disposable, EventEmitter, ThemeIcon, TreeItem, TreeItemCollapsibleState, window } from "vscode";
import { oneLine } from "../sessions/partText";
import type { Sessions } from "../sessions/sessions";
import type { OpenAsk } from "./asks";
import { alwaysText, subjectLines, titleOf, whyLines } from "./askText";
import type { AskViews } from "./askViews";

/** How many lines of a subject are listed; "Show" has all of them. */
const MAX_LINES = 8;

/** An ask, or a line below it. */
export type WaitingNode = { ask: string; line?: string; icon?: string };

/** The icon of each key that asks. */
const ICONS: Record<string, string> = { bash: "terminal", edit: "edit", webfetch: "globe", websearch: "search", task: "organization", plan_exit: "checklist" };

function detailNodes(ask: OpenAsk): WaitingNode[] {
  if (ask.kind === "question") {
    return ask.params.questions.map(({ text, options }) => {
      const labels = options.map(({ label }) => label).join(" / ");
      return { ask: ask.id, line: oneLine(labels ? `${text} ${labels}` : text), icon: "question" };
    });
  }
  const lines = subjectLines(ask.params).filter((line) => line.trim() !== "");
  const shown = lines.slice(0, MAX_LINES).map((line) => ({ ask: ask.id, line: oneLine(line) }));
  const more = lines.length > MAX_LINES ? [{ ask: ask.id, line: `… ${lines.length - MAX_LINES} more lines` }] : [];
  const always = ask.params.always.length > 0 ? [{ ask: ask.id, line: `Always would allow: ${oneLine(alwaysText(ask.params), 500)}`, icon: "check-all" }] : [];
  const why = whyLines(ask.params).map((line) => ({ ask: ask.id, line: oneLine(line, 500), icon: "law" }));
  return [...shown, ...more, ...always, ...why];
}

/** What the menu of an ask offers. */
function contextOf({ kind, params }: OpenAsk): string {
  const offers = kind === "permission" && params.always.length > 0;
  return offers ? `permission.always${params.projectAlways ? ".project" : ""}` : kind;
}

export class WaitingTree implements TreeDataProvider<WaitingNode>, Disposable {
  readonly #changed = new EventEmitter<void>();
  readonly #view: TreeView<WaitingNode>;
  readonly #disposables: Disposable[];

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly views: AskViews,
    sessions: Sessions,
  ) {
    // Not before the event of this provider is there, which VS Code asks for once.
    this.#view = window.createTreeView("copydesk.waiting", { treeDataProvider: this });
    this.#disposables = [
      views.asks.onDidChange(() => this.#update()),
      // Another session may be the current one now, or have a title.
      sessions.onDidChange(({ change }) => change.kind === "session" && views.asks.all().length > 0 && this.#changed.fire()),
      this.#view,
      this.#changed,
    ];
  }

  getChildren(node?: WaitingNode): WaitingNode[] {
    if (!node) {
      return this.views.asks.all().map(({ id }) => ({ ask: id }));
    }
    const ask = node.line === undefined ? this.views.asks.get(node.ask) : undefined;
    return ask ? detailNodes(ask) : [];
  }

  getTreeItem(node: WaitingNode): TreeItem {
    const ask = this.views.asks.get(node.ask);
    if (!ask || node.line !== undefined) {
      const item = new TreeItem(node.line ?? "answered", TreeItemCollapsibleState.None);
      item.tooltip = node.line;
      item.iconPath = node.icon === undefined ? undefined : new ThemeIcon(node.icon);
      return item;
    }
    const item = new TreeItem(titleOf(ask), TreeItemCollapsibleState.Expanded);
    item.id = ask.id;
    item.description = this.views.originOf(ask);
    item.tooltip = this.views.titleOf(ask);
    item.iconPath = new ThemeIcon(ask.kind === "question" ? "question" : (ICONS[ask.params.key] ?? "key"));
    item.contextValue = contextOf(ask);
    item.command = { command: "copydesk.waiting.answer", title: "Answer", arguments: [node] };
    return item;
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  #update(): void {
    const count = this.views.asks.all().length;
    this.#view.badge = count > 0 ? { value: count, tooltip: count === 1 ? "1 thing waits for your answer" : `${count} things wait for your answer` } : undefined;
    this.#changed.fire();
  }
}
