// Closes the diff of a proposal once all of it is decided.
//
// Contract: only our own diffs are closed, and no focus is taken. The diff may be all that shows its document, and the call edits the
// document after the decision: so it stays until no call of its session runs.

import type { Tab } from "vscode";
import { Disposable, TabInputTextDiff, window } from "vscode";
import type { Sessions } from "../sessions/sessions";
import type { Reviews } from "./reviews";
import { PROPOSAL } from "./virtualTexts";

/** The document of a tab that shows a proposal. */
function proposedUri({ input }: Tab): string | undefined {
  return input instanceof TabInputTextDiff && input.modified.scheme === PROPOSAL ? input.modified.query : undefined;
}

export class ProposalTabs implements Disposable {
  /** The sessions of the proposals whose tabs may be open, by document. */
  readonly #sessions = new Map<string, string>();
  readonly #disposables: Disposable[];

  constructor(
    private readonly reviews: Reviews,
    private readonly sessions: Sessions,
  ) {
    this.#disposables = [
      reviews.onDidChange(() => this.#update()),
      sessions.onDidChange(({ change }) => (change.kind === "part" || change.kind === "turn") && this.#close()),
    ];
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  #update(): void {
    const proposals = this.reviews.store.all().filter(({ when }) => when === "before");
    proposals.forEach(({ uri, session }) => this.#sessions.set(uri, session));
    this.#close();
  }

  #close(): void {
    const over = new Set([...this.#sessions.keys()].filter((uri) => this.#isOver(uri)));
    if (over.size === 0) {
      return;
    }
    over.forEach((uri) => this.#sessions.delete(uri));
    const tabs = window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => over.has(proposedUri(tab) ?? ""));
    window.tabGroups.close(tabs, true).then(undefined, () => undefined);
  }

  #isOver(uri: string): boolean {
    const parts = this.sessions.get(this.#sessions.get(uri) ?? "")?.parts ?? [];
    const isRunning = parts.some(({ content, state }) => content.kind === "call" && state.kind === "running");
    return !isRunning && !this.reviews.store.all({ uri }).some(({ when }) => when === "before");
  }
}
