// The agent's asks that wait for the user.
//
// Contract: each open ask is one entry, whatever was dismissed on the screen. It is answered once: by the user here, or with
// `cancelled` when it is settled elsewhere, when its session is loaded again, or when the connection ends.

import type { PermissionAskParams, PermissionReply } from "copydesk-protocol";
import { Disposable, EventEmitter } from "vscode";
import type { Connection } from "../daemon/connection";

export interface PermissionAsk {
  readonly params: PermissionAskParams;
  /** Answers the daemon. */
  reply(reply: PermissionReply): void;
}

export class Asks implements Disposable {
  readonly #open = new Map<string, PermissionAsk>();
  readonly #opened = new EventEmitter<PermissionAsk>();
  readonly #changed = new EventEmitter<void>();
  readonly #listener: Disposable;

  /** Fires for each new ask. */
  readonly onDidOpen = this.#opened.event;
  /** Fires after the list has changed. */
  readonly onDidChange = this.#changed.event;

  constructor(connection: Connection) {
    connection.handle("copydesk/permission/ask", (params) => this.#ask(params), () => ({ reply: "cancelled" }));
    connection.onNotification("copydesk/permission/settled", ({ ask }) => this.#open.get(ask)?.reply({ reply: "cancelled" }));
    this.#listener = connection.onDidChangeState((state) => {
      if (state !== "ready") {
        this.all().forEach((ask) => ask.reply({ reply: "cancelled" }));
      }
    });
  }

  /** The open asks, the oldest first. */
  all(): PermissionAsk[] {
    return [...this.#open.values()];
  }

  get(id: string): PermissionAsk | undefined {
    return this.#open.get(id);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#opened.dispose();
    this.#changed.dispose();
  }

  #ask(params: PermissionAskParams): Promise<PermissionReply> {
    // The daemon asks again under the same id after a load: the newer request is the one to answer.
    this.#open.get(params.ask)?.reply({ reply: "cancelled" });
    return new Promise((resolve) => {
      const ask: PermissionAsk = {
        params,
        reply: (reply) => {
          if (this.#open.get(params.ask) === ask) {
            this.#open.delete(params.ask);
          }
          resolve(reply);
          this.#changed.fire();
        },
      };
      this.#open.set(params.ask, ask);
      this.#changed.fire();
      this.#opened.fire(ask);
    });
  }
}
