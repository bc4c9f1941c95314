// Where the chat shows: the view in the secondary side bar, and tabs.
//
// Contract: activation only registers. The rest of the chat runs from the first page on (`import`), and a page loads its script and style
// when it is shown. A tab keeps its session, also when the window is loaded again; the view in the side bar shows the current one until
// the user does something in a tab.

import type { CancellationToken, WebviewPanel, WebviewPanelSerializer, WebviewView, WebviewViewProvider } from "vscode";
import { commands, Disposable, Uri, ViewColumn, window, workspace } from "vscode";
import { reporting } from "../commands/report";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import type { Desk } from "../desk";
import type { ChatPage } from "./host/chatPage";
import type { ChatRoom } from "./host/chatRoom";

const VIEW = "copydesk.chat";
const TAB = "copydesk.chatTab";
const SESSION_ID = /^[\w-]{1,64}$/;

export class ChatViews implements WebviewViewProvider, WebviewPanelSerializer, Disposable {
  #room: Promise<ChatRoom> | undefined;
  #isDisposed = false;
  /** The view and the tabs that exist. */
  readonly #shown = new Map<{ readonly visible: boolean }, ChatPage>();
  readonly #disposables: Disposable[];

  constructor(private readonly desk: Desk) {
    desk.isChatVisible = () => this.#isVisible(desk.sessions.current?.id);
    desk.askViews.isInChat = (ask) => this.#isVisible(ask.session);
    const run = (work: () => unknown) => () => reporting(desk, work);
    this.#disposables = [
      window.registerWebviewViewProvider(VIEW, this),
      window.registerWebviewPanelSerializer(TAB, this),
      commands.registerCommand(
        "copydesk.chat.openInTab",
        (session: unknown) => reporting(desk, () => this.#openTab(typeof session === "string" ? session : undefined)),
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
    this.#shown.set(view, page);
    view.onDidDispose(() => (this.#shown.delete(view), room.close(page)));
  }

  /** The page remembered its session, unless the window ended too soon for VS Code to store it. Then the tab shows the one that was used last. */
  async deserializeWebviewPanel(panel: WebviewPanel, state: unknown): Promise<void> {
    const session = typeof state === "object" && state !== null && "session" in state ? state.session : undefined;
    const id = typeof session === "string" && SESSION_ID.test(session) ? session : undefined;
    await this.#show(panel, id ?? this.desk.sessions.remembered);
    if (id !== undefined && workspace.isTrusted) {
      await this.desk.sessions.load(id).catch((error) => log().info(`the session ${id} of a tab is not shown: ${problemOf(error)}`));
    }
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

  #isVisible(session: string | undefined): boolean {
    return [...this.#shown].some(([{ visible }, page]) => visible && page.session === session);
  }

  async #show(panel: WebviewPanel, session: string | undefined): Promise<ChatPage> {
    panel.iconPath = Uri.joinPath(this.desk.context.extensionUri, "media", "copydesk.svg");
    const room = await this.#enter();
    const page = room.openTab(panel, session);
    this.#shown.set(panel, page);
    panel.onDidDispose(() => (this.#shown.delete(panel), room.close(page)));
    return page;
  }

  /** Opens a tab with a session, else with the current one. */
  async #openTab(session = this.desk.sessions.current?.id): Promise<void> {
    const page = await this.#show(window.createWebviewPanel(TAB, "Copydesk Chat", ViewColumn.Beside), session);
    if (session !== undefined && !this.desk.sessions.get(session)) {
      await this.desk.sessions.load(session);
      this.desk.sessions.select(session);
    }
    page.focusInput();
  }

  async #openNew(): Promise<void> {
    await this.desk.sessions.begin(this.desk.sessions.current);
    await this.#focus();
  }

  /** Shows the view with the focus in its input. */
  async #focus(): Promise<void> {
    await commands.executeCommand(`${VIEW}.focus`);
    (await this.#enter()).focusInput();
  }
}
