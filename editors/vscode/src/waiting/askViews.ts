// What the views of an ask share, and how an ask is opened.
//
// Contract: nothing here answers by itself. With several asks the user chooses one by its title.

import { Disposable, window } from "vscode";
import type { Sessions } from "../sessions/sessions";
import { AskDocuments } from "./askDocuments";
import { originOf } from "./askOrigin";
import type { AskReviews } from "./askReviews";
import type { Asks, OpenAsk } from "./asks";
import { plainLabel, titleOf } from "./askText";

export class AskViews implements Disposable {
  readonly documents: AskDocuments;
  /** Whether the user sees an ask in the chat. */
  isInChat: (ask: OpenAsk) => boolean = () => false;
  /** What the user last wrote to be always allowed: they go on with it if it is refused. */
  written: { ask: string; text: string } | undefined;

  constructor(
    readonly asks: Asks,
    readonly reviews: AskReviews,
    private readonly sessions: Sessions,
  ) {
    this.documents = new AskDocuments(asks, sessions);
  }

  /** Who asks; undefined if it is the agent of the current session. */
  originOf(ask: OpenAsk): string | undefined {
    return originOf(ask, this.sessions);
  }

  /** What an ask is about and who asks, in one line. */
  titleOf(ask: OpenAsk): string {
    const origin = this.originOf(ask);
    return titleOf(ask) + (origin ? ` (${origin})` : "");
  }

  /** One of the open asks: the only one, or the one that the user chooses. Those of the current session come first. */
  async choose(): Promise<OpenAsk | undefined> {
    const current = this.sessions.current?.id;
    const all = this.asks.all();
    const sorted = [...all.filter((ask) => ask.session === current), ...all.filter((ask) => ask.session !== current)];
    if (sorted.length < 2) {
      return sorted[0];
    }
    const items = sorted.map((ask) => ({ label: plainLabel(titleOf(ask)), description: plainLabel(this.originOf(ask) ?? ""), id: ask.id }));
    const chosen = await window.showQuickPick(items, { title: `${items.length} things wait for your answer`, ignoreFocusOut: true });
    // It may be settled by now.
    return chosen && this.asks.get(chosen.id);
  }

  dispose(): void {
    this.documents.dispose();
  }
}
