// Everything of this window, made once at activation.
//
// Contract: making it only registers listeners and handlers: no program runs and no request is sent before the first use, or before
// `resume` finds that this workspace was using a session. Modules get what they need in their constructors; commands get the whole desk.

import type { ExtensionContext } from "vscode";
import { commands, Disposable, workspace } from "vscode";
import { Connection } from "./daemon/connection";
import { disposeLog, log } from "./daemon/log";
import { problemOf } from "./daemon/requests";
import { passOnTrust } from "./daemon/trust";
import { ReadOnlyTexts } from "./documents/readOnlyTexts";
import { saveDocument } from "./documents/save";
import { Screen } from "./documents/screen";
import { DocumentSync } from "./documents/sync";
import { DocumentVerifier } from "./documents/verify";
import { EditApplier } from "./edits/applyEdit";
import { ClosedTabs } from "./edits/closedTabs";
import { OwnEdits } from "./edits/ownEdits";
import { InlineEdits } from "./inline/inlineEdits";
import { InstructionInput } from "./inline/instructionInput";
import { LanguageServers } from "./language/languageServers";
import { Practice } from "./practice/practice";
import { ReviewDesk } from "./review/reviewDesk";
import { PromptContext } from "./sessions/context";
import { Prompts } from "./sessions/prompt";
import { SessionMemory } from "./sessions/memory";
import { Sessions } from "./sessions/sessions";
import { Transcript } from "./sessions/transcript";
import { StatusBar } from "./statusBar";
import { Asks } from "./waiting/asks";
import { AskAnnouncer } from "./waiting/announce";
import { AskReviews } from "./waiting/askReviews";
import { AskViews } from "./waiting/askViews";
import { WaitingTree } from "./waiting/waitingTree";

export class Desk implements Disposable {
  readonly connection: Connection;
  readonly sync: DocumentSync;
  readonly screen: Screen;
  readonly texts = new ReadOnlyTexts();
  readonly ownEdits = new OwnEdits();
  readonly sessions: Sessions;
  readonly prompts: Prompts;
  readonly transcript: Transcript;
  readonly asks: Asks;
  readonly askViews: AskViews;
  readonly review: ReviewDesk;
  readonly inlineEdits: InlineEdits;
  readonly practice: Practice;
  readonly instructions = new InstructionInput();
  /** Whether the user sees the current conversation in the chat. */
  isChatVisible: () => boolean = () => false;
  /** Whether the chat needs a session to stay attached. */
  isInChat: (session: string) => boolean = () => false;
  readonly #disposables: Disposable[];

  constructor(readonly context: ExtensionContext) {
    const version: unknown = context.extension.packageJSON.version;
    this.connection = new Connection(String(version), context.extensionPath);
    this.sync = new DocumentSync(this.connection);
    this.screen = new Screen(this.connection);
    this.sessions = new Sessions(this.connection, new SessionMemory(context.storageUri?.fsPath));
    this.prompts = new Prompts(this.connection, this.sessions, new PromptContext());
    this.transcript = new Transcript(this.sessions, this.ownEdits);
    this.asks = new Asks(this.connection, this.sessions);
    this.review = new ReviewDesk(this.connection, this.ownEdits, this.sessions, context.extensionUri);
    this.askViews = new AskViews(this.asks, new AskReviews(this.review.reviews), this.sessions);
    this.inlineEdits = new InlineEdits(this.connection, this.sessions, this.review.reviews);
    this.practice = new Practice(context, this.review.reviews);
    this.sessions.isNeeded = (id) => this.review.reviews.store.count(id) > 0 || this.isInChat(id);
    const applier = new EditApplier(this.sync, this.ownEdits, new ClosedTabs(this.connection));
    this.connection.handleApplyEdit((params) => applier.handle(params));
    this.connection.handle("copydesk/document/save", saveDocument, (message) => ({ saved: false, message }));
    this.#disposables = [
      passOnTrust(this.connection),
      new DocumentVerifier(this.connection, this.sync),
      new LanguageServers(this.connection, this.sync),
      this.screen,
      new StatusBar(this.connection, this.sessions, this.asks, this.review.reviews),
      new AskAnnouncer(this.askViews),
      new WaitingTree(this.askViews, this.sessions),
      this.practice,
      this.instructions,
      this.inlineEdits,
      this.askViews,
      this.review,
      this.asks,
      this.transcript,
      this.sessions,
      this.sync,
      this.ownEdits,
      this.texts,
      this.connection,
      new Disposable(disposeLog),
    ];
  }

  /** Loads the session again that this workspace used last, and those that need the user. */
  async resume(): Promise<void> {
    if (!workspace.isTrusted || this.sessions.remembered === undefined) {
      return;
    }
    try {
      await this.sessions.open(this.sessions.remembered);
      await this.sessions.attachPending();
    } catch (error) {
      // The user did not ask for anything yet, so the status bar alone tells.
      log().warn(`the last session was not loaded: ${problemOf(error)}`);
    }
  }

  /** Shows the chat; the focus stays. */
  async showConversation(): Promise<void> {
    if (!this.isChatVisible()) {
      await commands.executeCommand("copydesk.chat.focus", { preserveFocus: true });
    }
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }
}
