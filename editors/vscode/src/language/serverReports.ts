// Sends the daemon reports about VS Code's language servers.
//
// Contract: reports keep the order of events. They are sent only while connected; `start` begins anew.

import type {
  ServerDocumentParams,
  ServerEndedParams,
  ServerReceivedParams,
  ServerStartedParams,
  ServerWatchedParams,
} from "copydesk-protocol";
import type { LanguageClient } from "vscode-languageclient/node";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";

/** The notifications to the daemon, with their params. */
interface ServerReport {
  "copydesk/server/started": ServerStartedParams;
  "copydesk/server/document": ServerDocumentParams;
  "copydesk/server/watched": ServerWatchedParams;
  "copydesk/server/received": ServerReceivedParams;
  "copydesk/server/ended": ServerEndedParams;
}

export class ServerReports {
  #client: LanguageClient | undefined;
  #last: Promise<void> = Promise.resolve();

  /** Sends later reports over this connection. */
  start(client: LanguageClient | undefined): void {
    this.#client = client;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  send<M extends keyof ServerReport>(method: M, params: ServerReport[M]): void {
    if (this.#client) {
      const sent = this.#client.sendNotification(method, params);
      this.#last = sent.catch((error) => log().warn(`${method}: ${problemOf(error)}`));
    }
  }

  /** Waits until everything so far is on the wire: a result must not overtake the report that it builds on. */
  async flush(): Promise<void> {
    await this.#last;
  }
}
