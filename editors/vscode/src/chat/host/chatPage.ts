// One page of the chat: a view in a side bar, or a tab.
//
// Contract: see wire/messages.ts. A page that was hidden is loaded anew and says `ready` again. Messages that do not fit are dropped and
// logged without their content. What a page asks for, `PageActions` does.

import { randomBytes } from "node:crypto";
import type { Webview } from "vscode";
import { Disposable, Uri } from "vscode";
import { log } from "../../daemon/log";
import type { ChatChange, HostMessage, PageMessage } from "../wire/messages";
import { EARLIER_ROWS, readPageMessage, SNAPSHOT_ROWS } from "../wire/messages";
import type { ChatModel } from "./chatModel";
import { pageHtml } from "./pageHtml";
import { PendingChanges } from "./pendingChanges";


export class ChatPage implements Disposable {
  #isReady = false;
  /** Counts the loads of the page, so that a message to an older one says nothing about this one. */
  #loads = 0;
  #seq = 0;
  #drawn = 0;
  /** What happened while the page draws the last batch; undefined once that is too much, and a snapshot will follow instead. */
  #pending: PendingChanges | undefined = new PendingChanges();
  /** The index of the first row that the page has. */
  #first = 0;
  #wantsFocus = false;
  readonly #disposables: Disposable[];

  constructor(
    private readonly webview: Webview,
    private readonly model: ChatModel,
    extensionUri: Uri,
    act: (message: PageMessage, page: ChatPage) => void,
    place: "side-bar" | "tab",
  ) {
    const out = Uri.joinPath(extensionUri, "out");
    webview.options = { enableScripts: true, localResourceRoots: [out] };
    this.#disposables = [
      webview.onDidReceiveMessage((value: unknown) => this.#receive(value, act)),
      model.onDidChange((changes) => this.#send(changes)),
      model.onDidReset(() => this.#sendSnapshot()),
    ];
    webview.html = pageHtml(webview, out, randomBytes(16).toString("base64url"), place);
  }

  get session(): string | undefined {
    return this.model.shown.id;
  }

  /** Puts the focus into the input, now or when the page is ready. */
  focusInput(): void {
    this.#wantsFocus = true;
    if (this.#isReady) {
      this.#post({ kind: "focus" });
      this.#wantsFocus = false;
    }
  }

  /** Answers a request for completions. */
  complete(number: number, paths: string[]): void {
    this.#post({ kind: "completions", number, paths });
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  #receive(value: unknown, act: (message: PageMessage, page: ChatPage) => void): void {
    const message = readPageMessage(value);
    if (!message) {
      log().warn("the chat's page sent a message that does not fit");
    } else if (message.kind === "ready" || message.kind === "resync") {
      this.#isReady = true;
      this.#loads += 1;
      this.model.refresh();
      this.#sendSnapshot();
    } else if (message.kind === "drawn") {
      this.#noteDrawn(message.seq);
    } else {
      act(message, this);
    }
  }

  #noteDrawn(seq: number): void {
    this.#drawn = Math.max(this.#drawn, seq);
    if (this.#isDrawing) {
      return;
    } else if (!this.#pending) {
      this.#sendSnapshot();
      return;
    }
    const changes = this.#pending.take();
    if (this.#first > 0) {
      changes.push(this.#earlierRows());
    }
    if (changes.length > 0) {
      this.#postChanges(changes);
    }
  }

  get #isDrawing(): boolean {
    return this.#drawn < this.#seq;
  }

  #sendSnapshot(): void {
    if (!this.#isReady) {
      return;
    }
    const { head, asks, rows, draft, drafts } = this.model;
    this.#pending = new PendingChanges();
    this.#first = Math.max(0, rows.length - SNAPSHOT_ROWS);
    this.#seq += 1;
    this.#post({ kind: "snapshot", seq: this.#seq, head, asks, rows: rows.slice(this.#first), draft, history: [...drafts.history] });
    if (this.#wantsFocus) {
      this.focusInput();
    }
  }

  /** The rows before those that the page has, a batch at a time, so that the last ones are on the screen first. */
  #earlierRows(): ChatChange {
    const begin = Math.max(0, this.#first - EARLIER_ROWS);
    const rows = this.model.rows.slice(begin, this.#first);
    this.#first = begin;
    return { kind: "splice", at: 0, remove: 0, rows };
  }

  #send(changes: ChatChange[]): void {
    if (!this.#isReady) {
      return;
    }
    for (const change of changes) {
      const moved = change.kind === "splice" ? this.#moved(change) : change;
      if (moved === "reload") {
        this.#sendSnapshot();
        return;
      } else if (moved && this.#pending?.add(moved) === false) {
        this.#pending = undefined;
      }
    }
    if (this.#isDrawing) {
      return;
    } else if (!this.#pending) {
      this.#sendSnapshot();
      return;
    }
    const own = this.#pending.take();
    if (own.length > 0) {
      this.#postChanges(own);
    }
  }

  /** A splice in the page's own numbers; undefined if it is before the page's first row. */
  #moved(change: Extract<ChatChange, { kind: "splice" }>): ChatChange | "reload" | undefined {
    const { at, remove, rows } = change;
    if (at >= this.#first) {
      return { ...change, at: at - this.#first };
    } else if (at + remove > this.#first) {
      return "reload";
    }
    this.#first += rows.length - remove;
    return undefined;
  }

  #postChanges(changes: ChatChange[]): void {
    this.#seq += 1;
    this.#post({ kind: "changes", seq: this.#seq, changes });
  }

  #post(message: HostMessage): void {
    const load = this.#loads;
    this.webview.postMessage(message).then(
      (isReceived) => {
        // A hidden page is gone; the next one says `ready`.
        this.#isReady &&= isReceived || load !== this.#loads;
      },
      () => undefined,
    );
  }
}
