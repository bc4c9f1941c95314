// The chat, once its first page is shown: the open pages, and what they share.
//
// Contract: each page has its own session. A session that the user opens is shown by the page in which they did so, else by the view in
// the side bar.

import type { Webview, WebviewPanel } from "vscode";
import { Disposable } from "vscode";
import type { Desk } from "../../desk";
import type { PageMessage } from "../wire/messages";
import type { ChatCommons } from "./chatModel";
import { ChatModel } from "./chatModel";
import { ChatPage } from "./chatPage";
import { Drafts } from "./drafts";
import { ChatHunks } from "./hunks";
import { ModelCatalogue } from "./modelCatalogue";
import { PageActions } from "./pageActions";
import { labelOf } from "./plainText";
import { ShownSession } from "./shownSession";

/** Messages that come by themselves, or late: they do not say where the user is. */
const PASSIVE: ReadonlySet<PageMessage["kind"]> = new Set(["draft", "complete", "earlier", "fold"]);
/** The longest title of a tab. */
const MAX_TITLE = 40;

export class ChatRoom implements Disposable {
  readonly #commons: ChatCommons & { drafts: Drafts; catalogue: ModelCatalogue };
  readonly #pages = new Map<ChatPage, ChatModel>();
  /** What the view in a side bar shows, also while it does not exist. */
  readonly #inSideBar: ShownSession;
  /** What the page shows in which the user is doing something that may open a session. */
  #acting: ShownSession | undefined;
  /** The page of the view in a side bar, if it was shown. */
  #view: ChatPage | undefined;
  #wantsFocus = false;
  readonly #disposables: Disposable[];

  constructor(private readonly desk: Desk) {
    const { sessions, connection, review } = desk;
    this.#commons = { drafts: new Drafts(desk.context.storageUri?.fsPath), hunks: new ChatHunks(review.reviews), catalogue: new ModelCatalogue(connection) };
    this.#inSideBar = new ShownSession(sessions, sessions.current?.id);
    desk.isInChat = (session) => this.#inSideBar.id === session || [...this.#pages.values()].some((model) => model.needs(session));
    this.#disposables = [
      sessions.onDidOpen(({ id }) => (this.#acting ?? this.#inSideBar).show(id)),
      this.#commons.drafts,
      this.#commons.catalogue,
      new Disposable(() => (desk.isInChat = () => false)),
    ];
    // Showing the chat is a use of Copydesk: it connects, so that the empty view can say which model answers. The status bar tells a failure.
    connection.start().catch(() => undefined);
  }

  /** The page of the view, which a command focuses. */
  openView(webview: Webview): ChatPage {
    this.#view = this.#open(webview, this.#inSideBar, "side-bar");
    if (this.#wantsFocus) {
      this.focusInput();
    }
    return this.#view;
  }

  /** The page of a tab, which keeps its session. */
  openTab(panel: WebviewPanel, session: string | undefined): ChatPage {
    const shown = new ShownSession(this.desk.sessions, session);
    const page = this.#open(panel.webview, shown, "tab");
    const model = this.#pages.get(page);
    const name = () => (panel.title = labelOf(shown.view?.session.title ?? "Copydesk Chat", MAX_TITLE));
    model?.onDidChange(name);
    model?.onDidReset(name);
    panel.onDidChangeViewState(() => panel.active && shown.makeCurrent());
    name();
    return page;
  }

  close(page: ChatPage): void {
    const model = this.#pages.get(page);
    this.#pages.delete(page);
    this.#view = this.#view === page ? undefined : this.#view;
    page.dispose();
    model?.dispose();
    if (model?.shown.id !== undefined) {
      this.desk.sessions.release(model.shown.id);
    }
  }

  /** Puts the focus into the input of the view, now or when VS Code has made it. */
  focusInput(): void {
    this.#wantsFocus = this.#view === undefined;
    this.#view?.focusInput();
  }

  dispose(): void {
    [...this.#pages.keys()].forEach((page) => this.close(page));
    this.#disposables.forEach((one) => one.dispose());
  }

  #open(webview: Webview, shown: ShownSession, place: "side-bar" | "tab"): ChatPage {
    const model = new ChatModel(this.desk, shown, this.#commons);
    const actions = new PageActions(this.desk, model);
    const act = (message: PageMessage, page: ChatPage) => void this.#run(actions, shown, message, page);
    const page = new ChatPage(webview, model, this.desk.context.extensionUri, act, place);
    this.#pages.set(page, model);
    return page;
  }

  async #run(actions: PageActions, shown: ShownSession, message: PageMessage, page: ChatPage): Promise<void> {
    if (PASSIVE.has(message.kind)) {
      await actions.run(message, page);
      return;
    }
    shown.makeCurrent();
    this.#acting = shown;
    await actions.run(message, page);
    this.#acting = this.#acting === shown ? undefined : this.#acting;
  }
}
