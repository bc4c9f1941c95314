// The sessions that this window is attached to, and which of them is the current one.
//
// Contract: a view is the result of `session/load` plus every later event, each once (`seq`). Events that arrive during a load are kept
// and applied after it; after a gap, or a new connection, the session is loaded again. The current session is remembered for the
// workspace, so that it is there again after the window is reloaded.

import type { EventParams, PendingSessionInfo, SessionLoadResult } from "copydesk-protocol";
import { Disposable, EventEmitter } from "vscode";
import type { Connection } from "../daemon/connection";
import { log } from "../daemon/log";
import { DaemonError, problemOf } from "../daemon/requests";
import { sessionFolder } from "./folder";
import type { SessionMemory } from "./memory";
import type { SessionView, ViewChange } from "./view";
import { applyEarlier, applyEvent, applyLoad, newView } from "./view";

/** How many parts a load asks for at least. */
const PAGE = 200;
/** How many earlier parts are requested at once. */
const EARLIER = 1_000;

interface AttachedSession {
  view: SessionView;
  /** Events that arrived during a load. */
  kept?: EventParams[];
  /** Counts the loads, so that an older result is ignored. */
  loads: number;
  /** The request for earlier parts that is under way. */
  earlier?: Promise<void>;
}

export class Sessions implements Disposable {
  readonly #attached = new Map<string, AttachedSession>();
  #current: string | undefined;
  #making: Promise<SessionView> | undefined;
  readonly #changed = new EventEmitter<{ view: SessionView; change: ViewChange }>();
  readonly #opened = new EventEmitter<SessionView>();
  readonly #disposables: Disposable[];

  /** Fires after a view has changed. */
  readonly onDidChange = this.#changed.event;
  /** Fires when the user has opened a session, before `onDidChange`. */
  readonly onDidOpen = this.#opened.event;
  /** Whether a session besides the current one must stay attached, such as one with undecided hunks. */
  isNeeded: (id: string) => boolean = () => false;

  constructor(
    private readonly connection: Connection,
    private readonly memory: SessionMemory,
  ) {
    connection.onNotification("copydesk/event", (params) => this.#handleEvent(params));
    connection.onNotification("copydesk/restarted", () => this.#reload());
    this.#disposables = [connection.onDidConnect(() => this.#reload())];
  }

  /** The session that this workspace used last, if it may be loaded again. */
  get remembered(): string | undefined {
    return this.memory.get();
  }

  /** The current session: the one that prompts go to. */
  get current(): SessionView | undefined {
    return this.#current === undefined ? undefined : this.get(this.#current);
  }

  get(id: string): SessionView | undefined {
    return this.#attached.get(id)?.view;
  }

  all(): SessionView[] {
    return [...this.#attached.values()].map((one) => one.view);
  }

  /** The current session: that of this window, that of the last window, or a new one. */
  async ensure(): Promise<SessionView> {
    if (this.current) {
      return this.current;
    }
    this.#making ??= this.#resume().finally(() => (this.#making = undefined));
    return this.#making;
  }

  /** Creates a session in the workspace's folder and makes it the current one. */
  async create(): Promise<SessionView> {
    const { session } = await this.connection.request("copydesk/session/new", { folder: sessionFolder() });
    return this.open(session.id);
  }

  /** Creates a session, unless this one is empty: that is as good as new. */
  async begin(shown: SessionView | undefined): Promise<void> {
    if (!shown || shown.parts.length > 0) {
      await this.create();
    }
  }

  /** Opens a session for the user: it is the current one then. */
  async open(id: string): Promise<SessionView> {
    const view = await this.load(id);
    this.#opened.fire(view);
    this.#makeCurrent(view);
    return view;
  }

  /** Makes a session the current one that this window is attached to. */
  select(id: string): void {
    const view = this.get(id);
    if (view && this.#current !== id) {
      this.#makeCurrent(view);
    }
  }

  /** Attaches to a session, or loads it again. */
  async load(id: string): Promise<SessionView> {
    const attached = this.#attached.get(id) ?? { view: newView(id), loads: 0 };
    this.#attached.set(id, attached);
    attached.kept ??= [];
    const number = ++attached.loads;
    try {
      const limit = Math.max(attached.view.parts.length, PAGE);
      const result = await this.connection.request("copydesk/session/load", { session: id, limit });
      if (number === attached.loads && this.#attached.get(id) === attached) {
        this.#finishLoad(attached, result);
      }
      return attached.view;
    } catch (error) {
      if (number === attached.loads) {
        attached.kept = undefined;
        // The daemon knows no such session. Without an answer the view stays, and the next event reveals the gap.
        if ((error instanceof DaemonError && error.code !== undefined) || attached.view.seq < 0) {
          this.#drop(id);
        }
      }
      throw error;
    }
  }

  /** Loads a page of parts before the first known one. */
  async loadEarlier(id: string): Promise<void> {
    const attached = this.#attached.get(id);
    if (attached && attached.view.earlier) {
      attached.earlier ??= this.#loadEarlier(attached).finally(() => (attached.earlier = undefined));
      await attached.earlier;
    }
  }

  /** Detaches from a session. Its turn continues. */
  leave(id: string): void {
    if (this.#drop(id)) {
      this.connection.request("copydesk/session/leave", { session: id }).catch((error) => log().debug(problemOf(error)));
    }
  }

  /** Detaches from a session that nothing here needs. */
  release(id: string): void {
    const view = this.get(id);
    if (view && this.#current !== id && view.running === undefined && !this.isNeeded(id)) {
      this.leave(id);
    }
  }

  /** Attaches to the sessions of the folder that run, wait for the user or have undecided hunks. */
  async attachPending(): Promise<PendingSessionInfo[]> {
    const { sessions } = await this.connection.request("copydesk/session/pending", { folder: sessionFolder() });
    const isNew = sessions.filter(({ session }) => !this.#attached.has(session.id));
    await Promise.allSettled(isNew.map(({ session }) => this.load(session.id)));
    return isNew;
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
    this.#changed.dispose();
    this.#opened.dispose();
  }

  #makeCurrent(view: SessionView): void {
    const before = this.#current;
    this.#current = view.id;
    this.memory.set(view.id);
    if (before !== undefined) {
      this.release(before);
    }
    this.#changed.fire({ view, change: { kind: "session" } });
  }

  async #resume(): Promise<SessionView> {
    const id = this.remembered;
    if (id !== undefined) {
      try {
        return await this.open(id);
      } catch (error) {
        if (!(error instanceof DaemonError) || error.code === undefined) {
          throw error;
        }
        log().info(`the last session is gone: ${error.message}`);
      }
    }
    return this.create();
  }

  async #loadEarlier(attached: AttachedSession): Promise<void> {
    const { view } = attached;
    const first = view.parts[0]?.id;
    if (first === undefined) {
      return;
    }
    const result = await this.connection.request("copydesk/session/parts", { session: view.id, before: first, limit: EARLIER });
    // A load meanwhile may have begun elsewhere.
    if (this.#attached.get(view.id) === attached && view.parts[0]?.id === first) {
      applyEarlier(view, result);
      this.#changed.fire({ view, change: { kind: "earlier" } });
    }
  }

  #reload(): void {
    for (const id of this.#attached.keys()) {
      this.load(id).catch((error) => log().warn(`session ${id}: ${problemOf(error)}`));
    }
  }

  #handleEvent(params: EventParams): void {
    const attached = this.#attached.get(params.session);
    if (attached?.kept) {
      attached.kept.push(params);
    } else if (attached) {
      this.#applyEvent(attached, params);
    }
  }

  #applyEvent({ view }: AttachedSession, { seq, event }: EventParams): void {
    if (seq <= view.seq) {
      return;
    } else if (seq > view.seq + 1) {
      this.load(view.id).catch((error) => log().warn(`session ${view.id}: ${problemOf(error)}`));
      return;
    }
    view.seq = seq;
    const change = applyEvent(view, event);
    if (change?.kind === "gone") {
      this.#drop(view.id);
    } else if (change) {
      this.#changed.fire({ view, change });
    }
  }

  #finishLoad(attached: AttachedSession, result: SessionLoadResult): void {
    const kept = attached.kept ?? [];
    attached.kept = undefined;
    applyLoad(attached.view, result);
    this.#changed.fire({ view: attached.view, change: { kind: "loaded" } });
    kept.forEach((params) => this.#handleEvent(params));
  }

  #drop(id: string): boolean {
    const attached = this.#attached.get(id);
    if (!attached) {
      return false;
    }
    this.#attached.delete(id);
    if (this.#current === id) {
      this.#current = undefined;
    }
    this.#changed.fire({ view: attached.view, change: { kind: "gone" } });
    return true;
  }
}
