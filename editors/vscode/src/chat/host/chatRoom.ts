// The chat, once its first page is shown: the model, the open pages, and what they may do.

import type { Disposable, Webview } from "vscode";
import type { Desk } from "../../desk";
import { ChatModel } from "./chatModel";
import { ChatPage } from "./chatPage";
import { PageActions } from "./pageActions";

export class ChatRoom implements Disposable {
  readonly #model: ChatModel;
  readonly #actions: PageActions;
  readonly #pages = new Set<ChatPage>();

  constructor(private readonly desk: Desk) {
    this.#model = new ChatModel(desk);
    this.#actions = new PageActions(desk, this.#model);
    // Connects, so that the empty view can say which model answers; the status bar tells a failure.
    desk.connection.start().catch(() => undefined);
  }

  open(webview: Webview): ChatPage {
    const page = new ChatPage(webview, this.#model, this.desk.context.extensionUri, (message) => this.#actions.run(message));
    this.#pages.add(page);
    return page;
  }

  close(page: ChatPage): void {
    this.#pages.delete(page);
    page.dispose();
  }

  /** Puts the focus into the input of the page that was opened first: the view, if it was ever shown. */
  focusInput(): void {
    this.#pages.values().next().value?.focusInput();
  }

  dispose(): void {
    this.#pages.forEach((page) => page.dispose());
    this.#model.dispose();
  }
}
