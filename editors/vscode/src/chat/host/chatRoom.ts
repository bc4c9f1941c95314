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
  /** The page of the view in a side bar, if it was shown. */
  #view: ChatPage | undefined;
  #wantsFocus = false;

  constructor(private readonly desk: Desk) {
    this.#model = new ChatModel(desk);
    this.#actions = new PageActions(desk, this.#model);
    // Showing the chat is a use of Copydesk: it connects, so that the empty view can say which model answers. The status bar tells a failure.
    desk.connection.start().catch(() => undefined);
  }

  /** The page of the view, which a command focuses. */
  openView(webview: Webview): ChatPage {
    this.#view = this.#open(webview, "side-bar");
    if (this.#wantsFocus) {
      this.focusInput();
    }
    return this.#view;
  }

  openTab(webview: Webview): ChatPage {
    return this.#open(webview, "tab");
  }

  #open(webview: Webview, place: "side-bar" | "tab"): ChatPage {
    const page = new ChatPage(webview, this.#model, this.desk.context.extensionUri, (message, from) => this.#actions.run(message, from), place);
    this.#pages.add(page);
    return page;
  }

  close(page: ChatPage): void {
    this.#pages.delete(page);
    this.#view = this.#view === page ? undefined : this.#view;
    page.dispose();
  }

  /** Puts the focus into the input of the view, now or when VS Code has made it. */
  focusInput(): void {
    this.#wantsFocus = this.#view === undefined;
    this.#view?.focusInput();
  }

  dispose(): void {
    this.#pages.forEach((page) => page.dispose());
    this.#model.dispose();
  }
}
