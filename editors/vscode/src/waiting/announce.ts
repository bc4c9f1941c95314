// Tells the user that something waits: a notification, which cannot show the ask itself.
//
// Contract: the focus stays. Each ask is announced once, also if it comes again over a new connection; those that come together are
// announced together, because VS Code shows three notifications at most. An edit is not announced if the user sees one of its hunks, and
// no ask that the chat shows. A notification may be dismissed: the status bar and the tree still have the ask.

import { Disposable, window } from "vscode";
import { limits } from "../timeLimits";
import { tellRefused } from "./alwaysEdit";
import type { OpenAsk } from "./asks";
import { changedFiles, plainLabel } from "./askText";
import type { AskViews } from "./askViews";
import { openAnyAsk, openAsk } from "./openAsk";

const ANSWER = "Answer…";

export class AskAnnouncer implements Disposable {
  /** Every ask that was announced; ids are short, and a window sees some hundreds at most. */
  readonly #announced = new Set<string>();
  #new: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #disposables: Disposable[];

  constructor(private readonly views: AskViews) {
    const { asks } = views;
    this.#disposables = [
      asks.onDidOpen((ask) => this.#add(ask)),
      asks.onDidSettleElsewhere(({ ask, by }) => {
        window.setStatusBarMessage(`Copydesk: answered in ${plainLabel(by)}: ${plainLabel(views.titleOf(ask))}`, limits.statusMessage);
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.forEach((one) => one.dispose());
  }

  #add(ask: OpenAsk): void {
    if (ask.kind === "permission" && ask.params.problem !== undefined) {
      void tellRefused(this.views, ask);
    }
    if (!this.#announced.has(ask.id)) {
      this.#announced.add(ask.id);
      this.#new.push(ask.id);
      const isEdit = ask.kind === "permission" && changedFiles(ask.params).length > 0;
      this.#timer ??= setTimeout(() => void this.#announce(), isEdit ? limits.announceEdit : limits.announce);
    }
  }

  async #announce(): Promise<void> {
    this.#timer = undefined;
    const isUnseen = (ask: OpenAsk | undefined) => ask !== undefined && !this.views.reviews.isVisible(ask.id) && !this.views.isInChat(ask);
    const open = this.#new.map((id) => this.views.asks.get(id)).filter((ask): ask is OpenAsk => isUnseen(ask));
    this.#new = [];
    const first = open[0];
    if (!first) {
      return;
    }
    const text = open.length === 1 ? `asks: ${this.views.titleOf(first)}` : `waits for ${open.length} answers.`;
    const choice = await window.showInformationMessage(`Copydesk ${text}`, ANSWER);
    if (choice === ANSWER) {
      await (open.length === 1 ? openAsk(this.views, first.id) : openAnyAsk(this.views));
    }
  }
}
