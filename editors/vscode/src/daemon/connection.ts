// The connection to the daemon: one language client per window, started at the first use.
//
// Contract: nothing runs in a folder that is not trusted. A request that cannot be sent is rejected with a `DaemonError`. A lost
// connection is retried quietly with growing pauses; after the daemon refuses the extension, only `restart` tries again. Handlers are
// registered once and serve every later connection. Text that the user typed goes out before any request (`beforeRequest`).

import { Disposable, EventEmitter, workspace } from "vscode";
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, LanguageClient } from "vscode-languageclient/node";
import type { FoundBinary } from "./binary";
import { binaryVersion, findBinary } from "./binary";
import { createClient } from "./client";
import { log } from "./log";
import type {
  ClientMethod,
  ClientParams,
  ClientResult,
  DaemonMethod,
  DaemonParams,
  DaemonResult,
  NotificationMethod,
  NotificationParams,
} from "./requests";
import { DaemonError, problemOf } from "./requests";
import { limits } from "../timeLimits";

export type ConnectionState = "off" | "starting" | "ready" | "failed";

/** Why there is no connection; `isMissing` if the program was not found. */
export interface ConnectionProblem {
  message: string;
  isMissing: boolean;
}

export type ApplyEditHandler = (params: ApplyWorkspaceEditParams) => Promise<ApplyWorkspaceEditResult>;
type Handler = (params: never) => unknown;

const UNTRUSTED = "Copydesk runs nothing in a folder that you do not trust.";

export class Connection implements Disposable {
  #state: ConnectionState = "off";
  #problem: ConnectionProblem | undefined;
  #client: LanguageClient | undefined;
  #starting: Promise<LanguageClient> | undefined;
  /** Counts the starts, so that events of an older client are ignored. */
  #start = 0;
  #losses = 0;
  #timers = new Set<NodeJS.Timeout>();
  #requests = new Map<ClientMethod, Handler>();
  #notifications = new Map<NotificationMethod, Handler[]>();
  #applyEdit: ApplyEditHandler = async () => ({ applied: false, failureReason: "the extension is starting" });
  readonly #changed = new EventEmitter<ConnectionState>();
  readonly #connected = new EventEmitter<LanguageClient>();

  /** Fires after `state` has changed. */
  readonly onDidChangeState = this.#changed.event;
  /** Fires when a connection is ready, before the first request on it. Documents are opened and sessions loaded then. */
  readonly onDidConnect = this.#connected.event;

  constructor(
    readonly version: string,
    private readonly extensionFolder: string,
  ) {}

  get state(): ConnectionState {
    return this.#state;
  }

  get problem(): ConnectionProblem | undefined {
    return this.#problem;
  }

  /** The client, if the connection is ready. */
  get client(): LanguageClient | undefined {
    return this.#state === "ready" ? this.#client : undefined;
  }

  /** Where the program is now. */
  binary(): FoundBinary {
    return findBinary(this.extensionFolder);
  }

  /** Sets the handler of `workspace/applyEdit`. */
  handleApplyEdit(handler: ApplyEditHandler): void {
    this.#applyEdit = handler;
  }

  /** Sets the handler of a request. If it throws, the daemon gets `otherwise`, because every request needs a true response. */
  handle<M extends ClientMethod>(
    method: M,
    handler: (params: ClientParams<M>) => Promise<ClientResult<M>>,
    otherwise: (problem: string) => ClientResult<M>,
  ): void {
    this.#requests.set(method, async (params: ClientParams<M>) => {
      try {
        return await handler(params);
      } catch (error) {
        log().error(`${method}: ${problemOf(error)}`);
        return otherwise(problemOf(error));
      }
    });
  }

  /** Adds a handler of a notification. Handlers run in the order of arrival and do not wait. */
  onNotification<M extends NotificationMethod>(method: M, handler: (params: NotificationParams<M>) => void): void {
    this.#notifications.set(method, [...(this.#notifications.get(method) ?? []), handler]);
  }

  /** Connects while the user types. Throws what is certain to fail before they begin; what fails later, the request reports. */
  startSoon(): void {
    if (this.#state === "ready" || this.#state === "starting") {
      return;
    }
    const binary = this.binary();
    if (!workspace.isTrusted) {
      throw new DaemonError(UNTRUSTED);
    } else if ("problem" in binary) {
      throw this.#fail({ message: binary.problem, isMissing: true });
    }
    this.start().catch(() => undefined);
  }

  /** Connects, unless that was done already. Rejects with a `DaemonError`. */
  async start(): Promise<LanguageClient> {
    if (!workspace.isTrusted) {
      throw new DaemonError(UNTRUSTED);
    }
    // A missing program may have been installed since; looking for it costs nothing.
    if (this.#state === "failed" && !this.#problem?.isMissing) {
      throw new DaemonError(this.#problem?.message ?? "The daemon could not be started.");
    }
    if (!this.#starting) {
      const starting = this.#connect();
      this.#starting = starting;
      starting.catch(() => {
        if (this.#starting === starting) {
          this.#starting = undefined;
        }
      });
    }
    return this.#starting;
  }

  /** Sends a request. */
  async request<M extends DaemonMethod>(method: M, params: DaemonParams<M>): Promise<DaemonResult<M>> {
    const client = await inTime(this.start(), limits.start, "The daemon has not started yet.");
    try {
      return await inTime(client.sendRequest<DaemonResult<M>>(method, params), limits.request, `The daemon does not answer (${method}).`);
    } catch (error) {
      throw toDaemonError(error);
    }
  }

  /** Connects again, also after a failure. */
  async restart(): Promise<void> {
    await this.stop();
    this.#losses = 0;
    await this.start();
  }

  /** Disconnects; the daemon and its turns continue. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.#start += 1;
    this.#client = undefined;
    this.#starting = undefined;
    this.#timers.forEach(clearTimeout);
    this.#timers.clear();
    this.#setState("off");
    await client?.dispose(limits.stop).catch(() => undefined);
  }

  dispose(): void {
    void this.stop();
    this.#changed.dispose();
    this.#connected.dispose();
  }

  async #connect(): Promise<LanguageClient> {
    const number = ++this.#start;
    const binary = this.binary();
    if ("problem" in binary) {
      throw this.#fail({ message: binary.problem, isMissing: true });
    }
    this.#setState("starting");
    try {
      const client = await createClient(binary.path, this.version, {
        applyEdit: (params) => this.#applyEdit(params),
        closed: () => this.#closed(number),
      });
      this.#client = client;
      for (const [method, handler] of this.#requests) {
        client.onRequest(method, handler as (params: unknown) => unknown);
      }
      for (const [method, handlers] of this.#notifications) {
        client.onNotification(method, (params: unknown) => handlers.forEach((handler) => (handler as (params: unknown) => void)(params)));
      }
      await client.start();
      if (number !== this.#start) {
        throw new DaemonError("The connection was ended.");
      }
      this.#connected.fire(client);
      this.#setState("ready");
      this.#after(limits.stableConnection, () => (this.#losses = 0));
      return client;
    } catch (error) {
      if (number !== this.#start) {
        throw toDaemonError(error);
      }
      throw this.#fail({ message: await explain(binary.path, this.version, error), isMissing: false });
    }
  }

  #fail(problem: ConnectionProblem): DaemonError {
    log().error(problem.message);
    this.#client = undefined;
    this.#problem = problem;
    this.#setState("failed");
    return new DaemonError(problem.message);
  }

  /** The program ended or closed its output. While it starts, `client.start()` is rejected as well. */
  #closed(number: number): void {
    if (number !== this.#start || this.#state !== "ready") {
      return;
    }
    this.#client = undefined;
    this.#starting = undefined;
    this.#losses += 1;
    this.#setState("off");
    const pause = Math.min(limits.firstReconnect * 2 ** (this.#losses - 1), limits.lastReconnect);
    log().warn(`the connection was lost; trying again in ${pause} ms`);
    this.#after(pause, () => {
      if (this.#state === "off" && number === this.#start) {
        this.start().catch((error) => log().error(problemOf(error)));
      }
    });
  }

  #after(pause: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, pause);
    this.#timers.add(timer);
  }

  #setState(state: ConnectionState): void {
    if (state !== "failed") {
      this.#problem = undefined;
    }
    if (this.#state !== state) {
      this.#state = state;
      this.#changed.fire(state);
    }
  }
}

/** Waits for an answer, but not longer than the limit. */
async function inTime<T>(answer: Promise<T>, limit: number, problem: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `${problem} "Copydesk: Restart the Connection" tries again, "Copydesk: Show the Log" may show why.`;
    timer = setTimeout(() => reject(new DaemonError(message)), limit);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function toDaemonError(error: unknown): DaemonError {
  if (error instanceof DaemonError) {
    return error;
  }
  const code = error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
  return new DaemonError(problemOf(error), code);
}

/** Why the program did not start to answer: its own words, or its version if that is another than ours. */
async function explain(path: string, own: string, error: unknown): Promise<string> {
  const words = problemOf(error);
  if (/protocol/i.test(words)) {
    return words;
  }
  try {
    const version = await binaryVersion(path);
    if (version !== own) {
      return `\`${path}\` is version ${version}, this extension is ${own}: update the older one. (${words})`;
    }
  } catch (problem) {
    return `\`${path}\` cannot be run: ${problemOf(problem)}`;
  }
  return `\`${path} lsp\` did not start: ${words}`;
}
