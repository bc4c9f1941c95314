// Gives the daemon access to VS Code's language servers: which of them serve a document, what they show, and answers to requests.
//
// Contract: nothing is reported before the daemon is connected. A request is answered for the version that the daemon expects, or with
// `ContentModified`, and always under a time limit of ours. Problems that VS Code shows are reported without a version; only the
// built-in TypeScript is asked about a text. With `copydesk.diagnostics.ownServers`, other languages are left to the daemon.

import type { EditorServerMessageParams, EditorServerResponse, EditorServersParams, EditorServersResult } from "copydesk-protocol";
import type { TextDocument } from "vscode";
import { Disposable, Uri, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Connection } from "../daemon/connection";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import { documentOf, uriKey } from "../documents/openDocuments";
import type { DocumentSync } from "../documents/sync";
import { limits } from "../timeLimits";
import { capabilitiesOf } from "./capabilities";
import { late, within } from "./deadline";
import type { DiskChange } from "./diskChanges";
import { DiskChanges } from "./diskChanges";
import { DiskTexts } from "./diskTexts";
import { Providers } from "./providers";
import type { WireParams } from "./providerQuestions";
import { contentModified, RequestProblem } from "./requestProblem";
import { ServedLanguages } from "./servedLanguages";
import { ServerReports } from "./serverReports";
import { ShownProblems } from "./shownProblems";
import { askTsserver, canAskTsserver, TSSERVER_COMMAND, typescriptLanguages } from "./typescript";
import type { ServerKind } from "./virtualServer";
import { VirtualServer } from "./virtualServer";

const SETTING = "copydesk.diagnostics.ownServers";

/** The server of a document; undefined if VS Code has none. */
interface DocumentServer {
  server: VirtualServer | undefined;
  isStarting: boolean;
}

export class LanguageServers implements Disposable {
  readonly #reports = new ServerReports();
  readonly #served = new ServedLanguages();
  readonly #providers = new Providers();
  readonly #diskTexts = new DiskTexts();
  readonly #problems: ShownProblems;
  #servers = new Map<number, VirtualServer>();
  #nextId = 1;
  /** Open requests, by server and id. */
  readonly #requests = new Map<string, AbortController>();
  readonly #disposables: Disposable[];

  constructor(
    connection: Connection,
    private readonly sync: DocumentSync,
  ) {
    this.#problems = new ShownProblems((document) => this.#publish(document));
    this.#disposables = [
      this.#problems,
      new DiskChanges(connection, (change, kind) => this.#watched(change, kind)),
      connection.onDidConnect((client) => this.#restart(client)),
      connection.onDidChangeState((state) => state !== "ready" && this.#restart(undefined)),
      workspace.onDidOpenTextDocument((document) => this.#consider(document, false)),
      workspace.onDidChangeTextDocument((event) => this.#serverOf(event.document)?.change(event)),
      workspace.onDidSaveTextDocument((document) => this.#serverOf(document)?.save(document)),
      workspace.onDidCloseTextDocument((document) => this.#serverOf(document)?.close(document)),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(SETTING) && this.#restart(connection.client)),
    ];
    connection.onNotification("copydesk/restarted", () => this.#restart(connection.client));
    connection.handle("copydesk/editor/servers", (params) => this.#findServers(params), () => ({ state: "unsupported" }));
    connection.handle("copydesk/editor/serverRequest", (params) => this.#request(params), failed);
    connection.onNotification("copydesk/editor/serverNotify", (params) => this.#notify(params));
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  /** Reports everything anew: to another daemon, or after the setting has changed. */
  #restart(client: LanguageClient | undefined): void {
    this.#requests.forEach((request) => request.abort());
    this.#requests.clear();
    this.#servers.forEach((server) => server.end());
    this.#servers.clear();
    this.#reports.start(client);
    workspace.textDocuments.forEach((document) => this.#consider(document, true));
  }

  #serverOf(document: TextDocument): VirtualServer | undefined {
    return [...this.#servers.values()].find((server) => server.has(document));
  }

  /** Looks for the server of a document, and reports both. */
  #consider(document: TextDocument, isRunning: boolean): void {
    this.#ensureServer(document, 0, isRunning).catch((error) => log().warn(problemOf(error)));
  }

  async #ensureServer(document: TextDocument, wait: number, isRunning: boolean): Promise<DocumentServer> {
    if (!this.#reports.isConnected || document.uri.scheme !== "file") {
      return { server: undefined, isStarting: false };
    }
    const reported = this.#serverOf(document);
    if (reported?.kind === "typescript") {
      return { server: reported, isStarting: false };
    }
    const isTypescript = typescriptLanguages.has(document.languageId) && (await canAskTsserver());
    if (isTypescript) {
      return { server: this.#open("typescript", document, isRunning), isStarting: false };
    } else if (workspace.getConfiguration().get(SETTING) === true) {
      return { server: undefined, isStarting: false };
    }
    const state = await this.#served.state(document, wait);
    const server = state === "unserved" ? undefined : this.#open("shown", document, isRunning);
    return { server, isStarting: state === "starting" };
  }

  /** The server, with the document and all others that it serves open in it. */
  #open(kind: ServerKind, document: TextDocument, isRunning: boolean): VirtualServer | undefined {
    if (!this.#reports.isConnected || document.isClosed) {
      return undefined;
    }
    const known = [...this.#servers.values()].find((server) => server.kind === kind && server.serves(document));
    if (known) {
      this.#report(known, document, isRunning);
      return known;
    }
    const languages = kind === "typescript" ? typescriptLanguages : new Set([document.languageId]);
    const name = kind === "typescript" ? "VS Code's TypeScript" : `VS Code (${document.languageId})`;
    const server = new VirtualServer(this.#nextId++, name, kind, languages, this.#reports, this.sync);
    this.#servers.set(server.id, server);
    server.start(capabilitiesOf(kind));
    for (const other of workspace.textDocuments.filter((other) => server.serves(other))) {
      this.#report(server, other, isRunning || other !== document);
    }
    return server;
  }

  #report(server: VirtualServer, document: TextDocument, isRunning: boolean): void {
    if (server.has(document)) {
      return server.update(document);
    }
    server.open(document, isRunning);
    if (server.kind === "shown" && this.#problems.isAbout(document)) {
      server.publish(document);
    }
  }

  /** VS Code shows other problems of a document. */
  #publish(document: TextDocument): void {
    this.#served.note(document);
    const server = this.#serverOf(document);
    if (server?.kind === "shown") {
      server.update(document);
      server.publish(document);
    } else if (!server) {
      this.#consider(document, true);
    }
  }

  #watched(change: DiskChange, kind?: ServerKind): void {
    for (const server of this.#servers.values()) {
      if (kind === undefined || server.kind === kind) {
        this.#reports.send("copydesk/server/watched", { server: server.id, changes: [change] });
      }
    }
  }

  async #findServers({ uri, wait }: EditorServersParams): Promise<EditorServersResult> {
    const deadline = Date.now() + (wait ?? 0);
    const document = documentOf(uri) ?? (wait === undefined ? undefined : await load(uri));
    if (!document) {
      return { state: "unsupported" };
    }
    const left = Math.max(0, deadline - Date.now());
    const found = await within(this.#ensureServer(document, left, false), left + limits.probe);
    if (found === late) {
      return { state: "starting" };
    } else if (!found.server) {
      return { state: "unsupported" };
    }
    if (found.server.kind === "shown" && !(await this.#hasDiskText(document, deadline))) {
      return { state: "cancelled" };
    }
    found.server.update(document);
    await this.#reports.flush();
    return {
      state: found.isStarting ? "starting" : "answered",
      uri: document.uri.toString(),
      version: this.sync.has(document) ? document.version : undefined,
      servers: [found.server.id],
    };
  }

  /** Waits until a document that only VS Code has is as it is on the disk. */
  async #hasDiskText(document: TextDocument, deadline: number): Promise<boolean> {
    while (!this.sync.has(document) && !(await this.#diskTexts.areCurrent([document]))) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const listener = workspace.onDidChangeTextDocument((event) => event.document === document && resolve());
      const changed = await within(promise, deadline - Date.now());
      listener.dispose();
      if (changed === late) {
        return false;
      }
    }
    return true;
  }

  async #request(params: EditorServerMessageParams): Promise<EditorServerResponse> {
    const key = `${params.server}:${params.id}`;
    const request = new AbortController();
    this.#requests.set(key, request);
    try {
      return { result: await this.#answer(params, request.signal) };
    } catch (error) {
      return error instanceof RequestProblem
        ? { error: { code: error.code, message: error.message } }
        : failed(problemOf(error));
    } finally {
      if (this.#requests.get(key) === request) {
        this.#requests.delete(key);
      }
    }
  }

  async #answer(params: EditorServerMessageParams, end: AbortSignal): Promise<unknown> {
    const server = this.#servers.get(params.server);
    if (!server) {
      throw new RequestProblem("the language server has ended");
    }
    const wire: WireParams = Object(params.params);
    if (params.method !== "workspace/executeCommand") {
      return this.#providers.ask(server, params.method, wire, end);
    } else if (wire.command !== TSSERVER_COMMAND) {
      throw new RequestProblem("VS Code would make the edits of a command without a review");
    }
    if (!this.#hasVersion(server, params) || !(await this.#hasCurrentTexts(server))) {
      throw contentModified();
    }
    // The texts may have changed while the disk was read.
    const texts = versions(server);
    if (!this.#hasVersion(server, params)) {
      throw contentModified();
    }
    const answer = await askTsserver(wire.arguments, end);
    if (!this.#hasVersion(server, params) || versions(server) !== texts) {
      throw contentModified();
    }
    return answer;
  }

  #hasVersion(server: VirtualServer, { document }: EditorServerMessageParams): boolean {
    const open = document && documentOf(document.uri);
    return !document || (open !== undefined && server.has(open) && open.version === document.version);
  }

  /** Other files' texts count too: a problem may come from any of them. */
  async #hasCurrentTexts(server: VirtualServer): Promise<boolean> {
    return this.#diskTexts.areCurrent(server.documents.filter((document) => !this.sync.has(document)));
  }

  /** Other messages cannot be sent to VS Code's servers. */
  #notify({ server, id, method }: EditorServerMessageParams): void {
    if (method === "$/cancelRequest") {
      this.#requests.get(`${server}:${id}`)?.abort();
    }
  }
}

function failed(message: string): EditorServerResponse {
  const { code } = new RequestProblem(message);
  return { error: { code, message } };
}

function versions(server: VirtualServer): string {
  return server.documents.map((document) => `${document.uri.toString()} ${document.version}`).join("\n");
}

/** Loads a file without a tab. VS Code unloads it by itself. */
async function load(uri: string): Promise<TextDocument | undefined> {
  try {
    return await workspace.openTextDocument(Uri.parse(uriKey(uri)));
  } catch {
    return undefined;
  }
}
