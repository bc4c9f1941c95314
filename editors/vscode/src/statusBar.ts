// The status bar item: the connection, what runs, what waits for the user.
//
// Contract: one item, always there. A click opens what waits, else the review, else the status.

import { Disposable, StatusBarAlignment, ThemeColor, window, workspace } from "vscode";
import type { Connection } from "./daemon/connection";
import type { Reviews } from "./review/reviews";
import { callName } from "./sessions/partText";
import type { Sessions } from "./sessions/sessions";
import type { SessionView } from "./sessions/view";
import { activePart } from "./sessions/view";
import type { Asks } from "./waiting/asks";

interface Look {
  text: string;
  tooltip: string;
  command: string;
  color?: "warning" | "error";
}

/** What the running turn does at the moment. */
function workOf(view: SessionView): string {
  const last = activePart(view);
  if (last?.content.kind === "call" && last.state.kind === "running") {
    return callName(last.content);
  }
  return last?.content.kind === "retry" ? "retrying" : last?.content.kind === "text" ? "writing" : "thinking";
}

export class StatusBar implements Disposable {
  readonly #item = window.createStatusBarItem("copydesk", StatusBarAlignment.Right, 90);
  readonly #disposables: Disposable[];

  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    private readonly asks: Asks,
    private readonly reviews: Reviews,
  ) {
    this.#item.name = "Copydesk";
    this.#disposables = [
      connection.onDidChangeState(() => this.update()),
      asks.onDidChange(() => this.update()),
      reviews.onDidChange(() => this.update()),
      sessions.onDidChange(({ change }) => change.kind !== "delta" && this.update()),
      workspace.onDidGrantWorkspaceTrust(() => this.update()),
    ];
    this.update();
    this.#item.show();
  }

  /** Redraws the item. */
  update(): void {
    const { text, tooltip, command, color } = this.#look();
    if (this.#item.text !== text || this.#item.tooltip !== tooltip) {
      this.#item.text = text;
      this.#item.tooltip = tooltip;
      this.#item.command = command;
      this.#item.backgroundColor = color && new ThemeColor(`statusBarItem.${color}Background`);
    }
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
    this.#item.dispose();
  }

  #look(): Look {
    const status = "copydesk.status";
    const { state, problem } = this.connection;
    const waiting = this.asks.all().length;
    const running = this.sessions.current?.running === undefined ? undefined : this.sessions.current;
    if (!workspace.isTrusted) {
      return { text: "$(shield) Copydesk", tooltip: "Copydesk runs nothing in a folder that you do not trust.", command: status };
    } else if (state === "failed") {
      const tooltip = problem?.message ?? "The daemon could not be started.";
      return { text: "$(error) Copydesk", tooltip, command: status, color: "error" };
    } else if (waiting > 0) {
      const tooltip = "Copydesk waits for your answer.";
      return { text: `$(bell-dot) Copydesk: ${waiting} waiting`, tooltip, command: "copydesk.waiting.answer", color: "warning" };
    } else if (running) {
      return { text: `$(sync~spin) Copydesk: ${workOf(running)}`, tooltip: "A turn runs.", command: status };
    } else if (state === "starting") {
      return { text: "$(sync~spin) Copydesk", tooltip: "Copydesk starts.", command: status };
    }
    const hunks = this.reviews.count;
    if (hunks > 0) {
      const tooltip = `${hunks} of the agent's hunks are undecided.`;
      return { text: `$(git-compare) Copydesk: ${hunks} to review`, tooltip, command: "copydesk.review.focus" };
    }
    return { text: "$(comment-discussion) Copydesk", tooltip: "Copydesk", command: status };
  }
}
