// Which session a page of the chat shows.
//
// Contract: a page keeps its session until the user chooses another one there; the view in a side bar also takes those that are opened by
// a command. What the user does in a page makes its session the current one, so commands mean what the user sees.

import type { Sessions } from "../../sessions/sessions";
import type { SessionView } from "../../sessions/view";

export class ShownSession {
  #id: string | undefined;

  constructor(
    private readonly sessions: Sessions,
    id: string | undefined,
  ) {
    this.#id = id;
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** The session, if there is one and it is loaded. */
  get view(): SessionView | undefined {
    return this.#id === undefined ? undefined : this.sessions.get(this.#id);
  }

  show(id: string): void {
    const before = this.#id;
    this.#id = id;
    if (before !== undefined && before !== id) {
      this.sessions.release(before);
    }
  }

  /** The user does something in the page. */
  makeCurrent(): void {
    if (this.view) {
      this.sessions.select(this.view.id);
    }
  }

  /** Makes sure that a prompt from this page has a session: its own, or a new one, which `Sessions.onDidOpen` tells of. */
  async ensure(): Promise<void> {
    if (!this.view) {
      await (this.sessions.current ? this.sessions.create() : this.sessions.ensure());
    }
    this.makeCurrent();
  }
}
