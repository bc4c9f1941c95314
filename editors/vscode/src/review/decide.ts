// Sends the user's decisions to the daemon.
//
// Contract: the screen changes when the daemon reports the new state. A refused decision is reported once, and the hunks are listed
// again, because the screen was stale. Rejecting several hunks at once, and deleting a file in which the user typed, is confirmed.

import type { ReviewDecision, ReviewVerdict } from "copydesk-protocol";
import { window } from "vscode";
import type { Connection } from "../daemon/connection";
import { oneLine } from "../sessions/partText";
import type { Reviews } from "./reviews";
import type { ReviewState } from "./store";
import { reviewSize } from "./store";

export interface SessionDecision {
  session: string;
  decision: ReviewDecision;
}

export class Decider {
  constructor(
    private readonly connection: Connection,
    private readonly reviews: Reviews,
  ) {}

  /** Sends decisions of any sessions; whether all were carried out. */
  async send(decisions: readonly SessionDecision[]): Promise<boolean> {
    const bySession = Map.groupBy(decisions, (one) => one.session);
    let isDone = true;
    for (const [session, ones] of bySession) {
      isDone = (await this.#send(session, ones.map((one) => one.decision))) && isDone;
    }
    return isDone;
  }

  /** Decides everything in some reviews. `where` is for the question. */
  async reviewsAll(reviews: readonly ReviewState[], verdict: ReviewVerdict, where: string): Promise<boolean> {
    const hunks = reviews.reduce((sum, review) => sum + reviewSize(review), 0);
    if (verdict === "reject" && hunks > 1 && !(await confirm(`Reject ${hunks} hunks in ${where}?`, "Reject them"))) {
      return false;
    }
    return this.send(reviews.map(({ session, id, expected }) => ({ session, decision: { hunk: id, expected, verdict } })));
  }

  async #send(session: string, decisions: ReviewDecision[]): Promise<boolean> {
    const { decided } = await this.connection.request("copydesk/review/decide", { session, decisions });
    const again: ReviewDecision[] = [];
    const refused = decided.filter((one) => one.outcome === "refused");
    for (const [index, one] of decided.entries()) {
      const decision = decisions[index];
      const question = oneLine(one.message ?? "You have typed in this file, and it would be deleted.");
      if (one.outcome === "confirm" && decision && (await confirm(question, "Delete it"))) {
        again.push({ ...decision, confirmed: true });
      }
    }
    const first = refused[0];
    if (first) {
      const more = refused.length > 1 ? ` (and ${refused.length - 1} more were refused)` : "";
      void window.showWarningMessage(`${oneLine(first.message ?? "The hunk has changed meanwhile.")}${more}`);
      await this.reviews.list(session);
    }
    return refused.length === 0 && (again.length === 0 || this.#send(session, again));
  }
}

async function confirm(question: string, yes: string): Promise<boolean> {
  return (await window.showWarningMessage(question, { modal: true }, yes)) === yes;
}
