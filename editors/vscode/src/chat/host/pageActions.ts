// What a page may ask for, and how it is done: by the commands and modules that everything else uses.
//
// Contract: messages are checked before they come here; ids in them are looked up, never trusted. A failure is reported like that of a
// command. A prompt that could not be sent is in the input again.

import type { ReviewVerdict } from "copydesk-protocol";
import { commands, env, window } from "vscode";
import { reporting } from "../../commands/report";
import { undoEdits } from "../../commands/undo";
import type { Desk } from "../../desk";
import { openReview } from "../../review/navigate";
import { selectionPiece } from "../../sessions/context";
import { editAlways } from "../../waiting/alwaysEdit";
import { allow, reject } from "../../waiting/permissionPick";
import type { PageMessage } from "../wire/messages";
import type { RowRemedy } from "../wire/rows";
import { applyCode } from "./applyCode";
import { addFiles } from "./attachments";
import type { ChatModel } from "./chatModel";
import type { ChatPage } from "./chatPage";
import { insertAtCursor, openPlace } from "./editorPlaces";
import { Mentions } from "./mentions";
import { labelOf } from "./plainText";
import { chooseResend } from "./resend";

type Message<Kind extends PageMessage["kind"]> = Extract<PageMessage, { kind: Kind }>;

export class PageActions {
  /** An earlier prompt whose context goes with the next one. */
  #contextOf: string | undefined;
  readonly #mentions = new Mentions();

  constructor(
    private readonly desk: Desk,
    private readonly model: ChatModel,
  ) {}

  run(message: PageMessage, page: ChatPage): Promise<void> {
    return reporting(this.desk, () => this.#do(message, page));
  }

  #do(message: PageMessage, page: ChatPage): unknown {
    const { desk, model } = this;
    const session = model.shown.view;
    switch (message.kind) {
      case "draft":
        return model.keepDraft(message.text, message.session);
      case "send":
        return this.#send(message.text, message.isSteering);
      case "complete":
        return this.#complete(message, page);
      case "stop":
        return desk.prompts.cancel();
      case "earlier":
        return session && desk.sessions.loadEarlier(session.id);
      case "fold":
        return model.fold(message.row, message.isOpen);
      case "permit":
        return this.#permit(message);
      case "editAlways":
        return this.#editAlways(message.ask);
      case "answer":
        return this.#answer(message);
      case "refuse":
        return desk.asks.question(message.ask)?.reply({ reply: "rejected", reason: message.reason });
      case "showAsk":
        return this.#showAsk(message.ask);
      case "decide":
        return this.#decide(message.hunks, message.verdict);
      case "openHunk":
        return this.#openHunk(message.hunk);
      case "openPlace":
        return openPlace(message.path, message.line, session?.session.folder);
      case "openSession":
        return desk.sessions.open(message.session);
      case "openParent":
        return session?.session.parent === undefined ? undefined : desk.sessions.open(session.session.parent);
      case "insert":
        return insertAtCursor(message.text);
      case "apply":
        return applyCode(desk.inlineEdits, message.text);
      case "stopCall":
        return session && desk.connection.request("copydesk/turn/stopCall", { session: session.id, part: message.row });
      case "copy":
        return env.clipboard.writeText(message.text);
      case "resend":
        return this.#resend(message.row);
      case "undoTurn":
        return undoEdits(desk, { turn: message.turn });
      case "undoCall":
        return undoEdits(desk, { call: message.row });
      case "dropContext":
        return desk.prompts.context.remove(desk.prompts.context.pieces.filter((piece) => labelOf(piece.label) === message.label));
      case "attach":
        return model.attachments.add(message);
      case "detach":
        return model.attachments.remove(message.name);
      case "addFiles":
        return addFiles(desk.prompts.context, message.uris);
      case "remedy":
        return this.#remedy(message.remedy);
      case "command":
        return message.command === "chat.new" ? this.#beginNew(page) : commands.executeCommand(`copydesk.${message.command}`);
      default:
        return undefined;
    }
  }

  /** The command itself would go to the view in the side bar. */
  async #beginNew(page: ChatPage): Promise<void> {
    await this.desk.sessions.begin(this.model.shown.view);
    page.focusInput();
  }

  async #complete({ number, text }: Message<"complete">, page: ChatPage): Promise<void> {
    page.complete(number, await this.#mentions.complete(text));
  }

  async #send(text: string, isSteering: boolean): Promise<void> {
    if (text.trim() === "") {
      return;
    }
    const selected = window.activeTextEditor && selectionPiece(window.activeTextEditor);
    const contextOf = this.#contextOf;
    const files = this.model.attachments.all;
    this.model.keepDraft("");
    try {
      await this.model.shown.ensure();
      const pieces = [...(selected ? [selected] : []), ...(await this.#mentions.piecesOf(text))];
      const sent = await this.desk.prompts.send(text, { pieces, isSteering, contextOf, files });
      this.#contextOf = undefined;
      files.forEach(({ name = "" }) => this.model.attachments.remove(name));
      this.model.drafts.addSent(text);
      if (sent.isQueued || isSteering) {
        this.model.queue({ id: sent.prompt, text, steers: isSteering });
      }
    } catch (error) {
      this.model.write([text, this.model.draft.text].filter(Boolean).join("\n"));
      throw error;
    }
  }

  #permit({ ask: id, reply, reason }: Message<"permit">): void {
    const { asks, askViews } = this.desk;
    const ask = asks.permission(id);
    if (!ask) {
      return;
    } else if (reply === "reject" && reason) {
      ask.reply({ reply, reason });
    } else if (reply === "reject") {
      reject(askViews, ask);
    } else if (reply === "once" || ask.params.always.length > 0) {
      allow(askViews, ask, reply);
    }
  }

  async #editAlways(id: string): Promise<void> {
    const ask = this.desk.asks.permission(id);
    if (ask && ask.params.always.length > 0) {
      await editAlways(this.desk.askViews, ask);
    }
  }

  /** The page knows options by their shown labels; the daemon wants the labels themselves. */
  #answer({ ask: id, answers }: Message<"answer">): void {
    const ask = this.desk.asks.question(id);
    if (!ask || answers.length !== ask.params.questions.length) {
      return;
    }
    const real = answers.map((chosen, at) => {
      const options = ask.params.questions[at]?.options ?? [];
      return chosen.map((text) => options.find((option) => labelOf(option.label, 1_000) === text)?.label ?? text);
    });
    ask.reply({ reply: "answered", answers: real });
  }

  async #showAsk(id: string): Promise<void> {
    const { asks, askViews } = this.desk;
    const ask = asks.get(id);
    if (ask && askViews.reviews.hunksOf(id) > 0) {
      await askViews.reviews.show(id);
    } else if (ask) {
      await askViews.documents.show(ask, false);
    }
  }

  async #decide(hunks: readonly string[], verdict: ReviewVerdict): Promise<void> {
    const { targets, decider } = this.desk.review;
    const decisions = (await Promise.all(hunks.map((hunk) => targets.decisions({ hunk }, verdict)))).flat();
    this.model.hunks.note(hunks, verdict);
    if (!(await decider.send(decisions))) {
      this.model.hunks.drop(hunks);
    }
  }

  async #openHunk(hunk: string): Promise<void> {
    const { reviews } = this.desk.review;
    const found = reviews.find(hunk);
    if (found) {
      await openReview(reviews, found.review, hunk);
    }
  }

  async #resend(row: string): Promise<void> {
    const session = this.model.shown.view;
    const part = session?.parts.find((one) => one.id === row);
    if (!session || part?.content.kind !== "prompt") {
      return;
    }
    const { text } = part.content;
    if (await chooseResend(this.desk, session, part)) {
      this.#contextOf = part.id;
      this.model.write(text);
    }
  }

  #remedy(remedy: RowRemedy): unknown {
    switch (remedy) {
      case "continue":
        return this.#send("Continue.", false);
      case "model":
        return commands.executeCommand("copydesk.model");
      case "newSession":
        return this.desk.sessions.create();
      case "log":
        return commands.executeCommand("copydesk.showLog");
    }
  }
}
