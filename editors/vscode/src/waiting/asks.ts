// The agent's asks and questions that wait for the user.
//
// Contract: each open ask is one entry, whatever was dismissed on the screen and however often the daemon sends it; a reply goes to the
// newest request. It is answered once: by the user here, or with `cancelled` when it is settled elsewhere, when this window leaves its
// session, or when the connection ends. Callers keep ids, not asks: an ask that the daemon sends again is another object.

import type { PermissionAskParams, PermissionReply, QuestionAskParams, QuestionReply } from "copydesk-protocol";
import { Disposable, EventEmitter } from "vscode";
import type { Connection } from "../daemon/connection";
import type { Sessions } from "../sessions/sessions";

export interface PermissionAsk {
  readonly kind: "permission";
  readonly id: string;
  readonly session: string;
  readonly params: PermissionAskParams;
  /** Answers the daemon. */
  reply(reply: PermissionReply): void;
}

export interface QuestionAsk {
  readonly kind: "question";
  readonly id: string;
  readonly session: string;
  readonly params: QuestionAskParams;
  /** Answers the daemon. */
  reply(reply: QuestionReply): void;
}

export type OpenAsk = PermissionAsk | QuestionAsk;

/** An ask that another client replied to. */
export interface SettledAsk {
  ask: OpenAsk;
  /** The name of that client. */
  by: string;
}

export class Asks implements Disposable {
  readonly #open = new Map<string, OpenAsk>();
  readonly #opened = new EventEmitter<OpenAsk>();
  readonly #changed = new EventEmitter<void>();
  readonly #settled = new EventEmitter<SettledAsk>();
  readonly #disposables: Disposable[];

  /** Fires for each new ask; not if the daemon sends one again. */
  readonly onDidOpen = this.#opened.event;
  /** Fires after the list has changed. */
  readonly onDidChange = this.#changed.event;
  /** Fires when another client has replied. */
  readonly onDidSettleElsewhere = this.#settled.event;

  constructor(connection: Connection, sessions: Sessions) {
    connection.handle("copydesk/permission/ask", (params) => this.#askPermission(params), () => ({ reply: "cancelled" }));
    connection.handle("copydesk/question/ask", (params) => this.#askQuestion(params), () => ({ reply: "cancelled" }));
    connection.onNotification("copydesk/permission/settled", ({ ask, by }) => this.#settle(ask, by));
    connection.onNotification("copydesk/question/settled", ({ question, by }) => this.#settle(question, by));
    this.#disposables = [
      connection.onDidChangeState((state) => state !== "ready" && this.#cancel(() => true)),
      sessions.onDidChange(({ view, change }) => change.kind === "gone" && this.#cancel((ask) => ask.session === view.id)),
      this.#opened,
      this.#changed,
      this.#settled,
    ];
  }

  /** The open asks, the oldest first. */
  all(): OpenAsk[] {
    return [...this.#open.values()];
  }

  get(id: string): OpenAsk | undefined {
    return this.#open.get(id);
  }

  /** The open permission ask of an id. */
  permission(id: string): PermissionAsk | undefined {
    const ask = this.#open.get(id);
    return ask?.kind === "permission" ? ask : undefined;
  }

  /** The open questions of an id. */
  question(id: string): QuestionAsk | undefined {
    const ask = this.#open.get(id);
    return ask?.kind === "question" ? ask : undefined;
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  #askPermission(params: PermissionAskParams): Promise<PermissionReply> {
    return new Promise((resolve) => {
      const reply = (reply: PermissionReply) => this.#close(ask, () => resolve(reply));
      const ask: PermissionAsk = { kind: "permission", id: params.ask, session: params.session, params, reply };
      this.#add(ask);
    });
  }

  #askQuestion(params: QuestionAskParams): Promise<QuestionReply> {
    return new Promise((resolve) => {
      const reply = (reply: QuestionReply) => this.#close(ask, () => resolve(reply));
      const ask: QuestionAsk = { kind: "question", id: params.question, session: params.session, params, reply };
      this.#add(ask);
    });
  }

  #add(ask: OpenAsk): void {
    // The daemon sends an open ask again after a load, and waits for the newer request.
    const older = this.#open.get(ask.id);
    this.#open.set(ask.id, ask);
    older?.reply({ reply: "cancelled" });
    this.#changed.fire();
    if (!older) {
      this.#opened.fire(ask);
    }
  }

  #close(ask: OpenAsk, answer: () => void): void {
    answer();
    if (this.#open.get(ask.id) === ask) {
      this.#open.delete(ask.id);
      this.#changed.fire();
    }
  }

  #settle(id: string, by?: string): void {
    const ask = this.#open.get(id);
    ask?.reply({ reply: "cancelled" });
    if (ask && by !== undefined) {
      this.#settled.fire({ ask, by });
    }
  }

  #cancel(isOver: (ask: OpenAsk) => boolean): void {
    this.all()
      .filter(isOver)
      .forEach((ask) => ask.reply({ reply: "cancelled" }));
  }
}
