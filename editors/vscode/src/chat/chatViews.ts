// Where the chat shows: the view in the secondary side bar, and tabs.
//
// Contract: activation only registers. The rest of the chat runs from the first page on (`import`), and a page loads its script and style
// when it is shown. Every page shows the current session.

import type { CancellationToken, WebviewPanel, WebviewPanelSerializer, WebviewView, WebviewViewProvider } from "vscode";
import { commands, Disposable, Uri, ViewColumn, window } from "vscode";
import { reporting } from "../commands/report";
import type { Desk } from "../desk";
import type { ChatRoom } from "./host/chatRoom";

const VIEW = "copydesk.chat";
const TAB = "copydesk.chatTab";

export class ChatViews implements WebviewViewProvider, WebviewPanelSerializer, Disposable {
  #room: Promise<ChatRoom> | undefined;
  #isDisposed = false;
  /** The view and the tabs that exist. */
  readonly #shown = new Set<{ readonly visible: boolean }>();
  readonly #disposables: Disposable[];

  constructor(private readonly desk: Desk) {
    desk.isChatVisible = () => [...this.#shown].some(({ visible }) => visible);
    desk.askViews.isInChat = (ask) => desk.isChatVisible() && ask.session === desk.sessions.current?.id;
    const run = (work: () => unknown) => () => reporting(desk, work);
    this.#disposables = [
      window.registerWebviewViewProvider(VIEW, this),
      window.registerWebviewPanelSerializer(TAB, this),
      commands.registerCommand(
        "copydesk.chat.openInTab",
        run(() => this.#openTab()),
      ),
      commands.registerCommand(
        "copydesk.chat.new",
        run(() => this.#openNew()),
      ),
      commands.registerCommand(
        "copydesk.chat.open",
        run(() => this.#focus()),
      ),
    ];
  }

  async resolveWebviewView(view: WebviewView, _context: unknown, _token: CancellationToken): Promise<void> {
    const room = await this.#enter();
    const page = room.openView(view.webview);
    this.#shown.add(view);
    view.onDidDispose(() => (this.#shown.delete(view), room.close(page)));
  }

  async deserializeWebviewPanel(panel: WebviewPanel): Promise<void> {
    await this.#show(panel);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#disposables.forEach((one) => one.dispose());
    void this.#room?.then((room) => room.dispose());
  }

  #enter(): Promise<ChatRoom> {
    this.#room ??= import("./host/chatRoom").then(({ ChatRoom }) => {
      const room = new ChatRoom(this.desk);
      if (this.#isDisposed) {
        room.dispose();
      }
      return room;
    });
    return this.#room;
  }

  async #show(panel: WebviewPanel): Promise<void> {
    panel.iconPath = Uri.joinPath(this.desk.context.extensionUri, "media", "copydesk.svg");
    const room = await this.#enter();
    const page = room.openTab(panel.webview);
    this.#shown.add(panel);
    panel.onDidDispose(() => (this.#shown.delete(panel), room.close(page)));
    page.focusInput();
  }

  async #openTab(): Promise<void> {
    await this.#show(window.createWebviewPanel(TAB, "Copydesk Chat", ViewColumn.Beside));
  }

  async #openNew(): Promise<void> {
    const { current } = this.desk.sessions;
    // An empty one is as good as new.
    if (!current || current.parts.length > 0) {
      await this.desk.sessions.create();
    }
    await this.#focus();
  }

  /** Shows the view with the focus in its input. */
  async #focus(): Promise<void> {
    await commands.executeCommand(`${VIEW}.focus`);
    (await this.#enter()).focusInput();
  }
}
