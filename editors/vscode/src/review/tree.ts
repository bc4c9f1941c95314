// The Review tree in the side bar: files and their hunks, with counts and new problems.
//
// Contract: it shows what the store has. Buttons get the node, which names a review or a hunk by id.

import type { HunkInfo } from "copydesk-protocol";
import type { TreeDataProvider, TreeView } from "vscode";
import { Disposable, EventEmitter, MarkdownString, ThemeIcon, TreeItem, TreeItemCollapsibleState, Uri, window } from "vscode";
import { oneLine } from "../sessions/partText";
import { codeBlock, literal } from "./hover";
import { shownLines } from "./hunkLines";
import type { Reviews } from "./reviews";
import type { ReviewState } from "./store";
import { reviewSize, sortedHunks } from "./store";

/** How many lines a tooltip shows of each side. */
const MAX_LINES = 20;

export type ReviewNode = { kind: "file"; review: string } | { kind: "hunk"; review: string; hunk: string };

function problemsOf(review: ReviewState): number {
  return [...review.hunks.values()].reduce((sum, hunk) => sum + (hunk.problems?.length ?? 0), 0);
}

function count(many: number, one: string): string {
  return `${many} ${one}${many === 1 ? "" : "s"}`;
}

function fileItem(review: ReviewState): TreeItem {
  const item = new TreeItem(Uri.parse(review.uri), TreeItemCollapsibleState.Expanded);
  const problems = problemsOf(review);
  const what = review.file?.kind ?? (review.when === "before" ? (review.writing ? "writing" : "proposed") : undefined);
  const parts = [what, `+${review.additions} −${review.deletions}`, problems > 0 ? count(problems, "new problem") : undefined];
  item.id = review.id;
  item.iconPath = ThemeIcon.File;
  item.label = oneLine(review.path);
  item.description = parts.filter(Boolean).join(", ");
  item.contextValue = review.writing ? "copydeskWriting" : "copydeskFile";
  item.tooltip = `${review.path}: ${count(reviewSize(review), "undecided hunk")}`;
  item.command = { title: "Open", command: "copydesk.review.openFile", arguments: [{ kind: "file", review: review.id }] };
  return item;
}

function hunkTooltip(review: ReviewState, hunk: HunkInfo): MarkdownString {
  const side = (lines: string[], sign: string) => lines.map((line) => `${sign}${line}`);
  const old = shownLines({ lines: hunk.old, count: hunk.oldLines, cut: hunk.oldCut ?? [] }, MAX_LINES);
  const added = shownLines({ lines: hunk.new, count: hunk.newLines, cut: hunk.newCut ?? [] }, MAX_LINES);
  const problems = (hunk.problems ?? []).map((problem) => `\n- ${problem.severity}: ${literal(problem.message)}`).join("");
  return new MarkdownString(`${literal(review.path)}\n\n${codeBlock([...side(old, "-"), ...side(added, "+")].join("\n"), "diff")}${problems}`);
}

function hunkItem(review: ReviewState, hunk: HunkInfo, line: number): TreeItem {
  const lines = hunk.new.some((line) => line.trim()) ? hunk.new : hunk.old;
  const text = lines.find((line) => line.trim()) ?? "";
  const item = new TreeItem(`${line + 1}: ${oneLine(text, 80)}`, TreeItemCollapsibleState.None);
  const severity = hunk.problems?.some((problem) => problem.severity === "error") ? "error" : hunk.problems?.length ? "warning" : undefined;
  const icon = hunk.oldLines === 0 ? "diff-added" : hunk.newLines === 0 ? "diff-removed" : "diff-modified";
  item.id = `${review.id} ${hunk.hunk}`;
  item.description = `+${hunk.newLines} −${hunk.oldLines}${hunk.problems?.length ? `, ${count(hunk.problems.length, "problem")}` : ""}`;
  item.iconPath = new ThemeIcon(severity ?? icon);
  item.contextValue = hunk.deciding || review.writing ? "copydeskDeciding" : "copydeskHunk";
  item.tooltip = hunkTooltip(review, hunk);
  const node: ReviewNode = { kind: "hunk", review: review.id, hunk: hunk.hunk };
  item.command = { title: "Show", command: "copydesk.review.openFile", arguments: [node] };
  return item;
}

export class ReviewTree implements TreeDataProvider<ReviewNode>, Disposable {
  readonly #changed = new EventEmitter<void>();
  readonly #view: TreeView<ReviewNode>;
  readonly #listener: Disposable;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(private readonly reviews: Reviews) {
    this.#view = window.createTreeView("copydesk.review", { treeDataProvider: this, showCollapseAll: true });
    this.#listener = reviews.onDidChange(() => this.#update());
  }

  getChildren(node?: ReviewNode): ReviewNode[] {
    if (!node) {
      return this.reviews.store.all().map((review) => ({ kind: "file", review: review.id }));
    }
    const review = node.kind === "file" ? this.reviews.store.review(node.review) : undefined;
    return review ? sortedHunks(review).map((hunk) => ({ kind: "hunk", review: review.id, hunk: hunk.hunk })) : [];
  }

  getTreeItem(node: ReviewNode): TreeItem {
    const review = this.reviews.store.review(node.review);
    if (!review) {
      return new TreeItem("");
    }
    const hunk = node.kind === "hunk" ? review.hunks.get(node.hunk) : undefined;
    return hunk ? hunkItem(review, hunk, this.reviews.lineOf(review, hunk)) : fileItem(review);
  }

  getParent(node: ReviewNode): ReviewNode | undefined {
    return node.kind === "hunk" ? { kind: "file", review: node.review } : undefined;
  }

  dispose(): void {
    this.#listener.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }

  #update(): void {
    this.#changed.fire();
    const hunks = this.reviews.count;
    this.#view.badge = hunks > 0 ? { value: hunks, tooltip: `${count(hunks, "undecided hunk")}` } : undefined;
  }
}
