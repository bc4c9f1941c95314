// The agent's undecided edits, kept up to date and placed in the open documents.
//
// Contract: the state is the daemon's last list plus its events since. A list is requested when a session is loaded, and when
// announced lines are not in the text; never twice at once for a session, and never endlessly. Listeners are told which documents
// changed; they draw.

import type { HunkInfo, ReviewChange, ReviewInfo } from "copydesk-protocol";
import type { TextDocument, TextDocumentChangeEvent } from "vscode";
import { Disposable, EventEmitter, workspace } from "vscode";
import type { Connection } from "../daemon/connection";
import { log } from "../daemon/log";
import { problemOf } from "../daemon/requests";
import { documentOf } from "../documents/openDocuments";
import type { OwnEdits } from "../edits/ownEdits";
import type { Sessions } from "../sessions/sessions";
import { limits } from "../timeLimits";
import type { PlacedHunk } from "./places";
import { HunkPlaces } from "./places";
import type { ReviewState } from "./store";
import { ReviewStore } from "./store";

/** How often missing lines are looked up again, and how often a list is repeated because of events meanwhile. */
const TRIES = 3;
/** The daemon lists at most so many hunks of a review at once. */
const PAGE = 1_000;

/** The documents whose hunks changed, and a proposed edit that failed. */
export interface ReviewsChange {
  session: string;
  uris: ReadonlySet<string>;
  failed?: { review: string; message: string };
}

export class Reviews implements Disposable {
  readonly store = new ReviewStore();
  readonly #places = new Map<string, HunkPlaces>();
  /** The running lists, by session. */
  readonly #listing = new Map<string, { isStale: boolean; done: Promise<void> }>();
  /** How often a document's hunks were looked up in vain. */
  readonly #tries = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Documents whose hunks are to be found again. */
  readonly #guesses = new Map<string, NodeJS.Timeout>();
  readonly #changed = new EventEmitter<ReviewsChange>();
  readonly #disposables: Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    private readonly ownEdits: OwnEdits,
  ) {
    this.#disposables = [
      sessions.onDidChange(({ view, change }) => {
        if (change.kind === "review") {
          this.#applyChange(view.id, change.change);
        } else if (change.kind === "loaded") {
          void this.list(view.id);
        } else if (change.kind === "gone") {
          const uris = this.#urisOf(view.id);
          this.store.drop(view.id);
          this.#announce(view.id, uris);
        }
      }),
      workspace.onDidChangeTextDocument((event) => this.#move(event)),
      workspace.onDidCloseTextDocument((document) => this.#places.delete(document.uri.toString())),
    ];
  }

  /** How many hunks are undecided, in all attached sessions. */
  get count(): number {
    return this.store.count();
  }

  /** The hunks of a document with their places, in text order. */
  placed(document: TextDocument): PlacedHunk[] {
    const uri = document.uri.toString();
    if (!this.store.hasDocument(uri)) {
      return [];
    }
    if (!this.#places.has(uri)) {
      this.#place(uri, document);
    }
    return this.#places.get(uri)?.all() ?? [];
  }

  /** The line of a hunk, from 0: where it is in its document, or where the daemon saw it. */
  lineOf(review: ReviewState, hunk: HunkInfo): number {
    return this.#places.get(review.uri)?.get(hunk.hunk)?.first ?? hunk.line;
  }

  /** The hunk of an id, wherever it is. */
  find(hunk: string): { review: ReviewState; expected: string } | undefined {
    for (const review of this.store.all()) {
      const expected = review.hunks.get(hunk)?.expected ?? (review.file?.hunk === hunk ? review.file.expected : undefined);
      if (expected !== undefined) {
        return { review, expected };
      }
    }
    return undefined;
  }

  /** Waits until the daemon has the typed text of a document and has sent the hunks for it. */
  async settle(document: TextDocument): Promise<void> {
    if (this.ownEdits.isTyping(document, limits.typing)) {
      const sessions = new Set(this.store.all({ uri: document.uri.toString() }).map((review) => review.session));
      await Promise.all([...sessions].map((session) => this.list(session)));
    }
  }

  /** Requests the undecided hunks of a session. A list that is under way is repeated if it may be stale. */
  list(session: string): Promise<void> {
    const running = this.#listing.get(session);
    if (running) {
      running.isStale = true;
      return running.done;
    }
    const listing = { isStale: false, done: Promise.resolve() };
    this.#listing.set(session, listing);
    listing.done = this.#listUntilFresh(session, listing)
      .catch((error) => log().warn(`the hunks were not listed: ${problemOf(error)}`))
      .finally(() => this.#listing.delete(session));
    return listing.done;
  }

  dispose(): void {
    this.#timers.forEach(clearTimeout);
    this.#guesses.forEach(clearTimeout);
    this.#disposables.forEach((one) => one.dispose());
    this.#changed.dispose();
  }

  async #listUntilFresh(session: string, listing: { isStale: boolean }): Promise<void> {
    for (let round = 0; round <= TRIES; round += 1) {
      listing.isStale = false;
      const reviews = await this.#listAll(session);
      if (!this.sessions.get(session)) {
        return;
      }
      const before = this.#urisOf(session);
      this.store.replace(session, reviews);
      this.#announce(session, new Set([...before, ...this.#urisOf(session)]));
      // Events meanwhile may be newer than the list, or older.
      if (!listing.isStale) {
        return;
      }
    }
  }

  async #listAll(session: string): Promise<ReviewInfo[]> {
    const all: ReviewInfo[] = [];
    for (let skip = 0; ; skip += PAGE) {
      const { reviews } = await this.connection.request("copydesk/review/list", { session, ...(skip > 0 ? { skip } : {}) });
      all.push(...reviews);
      if (!reviews.some((review) => review.total > skip + PAGE)) {
        return all;
      }
    }
  }

  #applyChange(session: string, change: ReviewChange): void {
    const listing = this.#listing.get(session);
    if (listing) {
      listing.isStale = true;
    }
    const before = this.store.review(change.review.review)?.uri;
    this.store.change(session, change);
    const uri = this.store.review(change.review.review)?.uri ?? before;
    const uris = new Set([before, uri].filter((one) => one !== undefined));
    uris.forEach((one) => this.#tries.delete(one));
    const failed = change.failed === undefined ? undefined : { review: change.review.review, message: change.failed };
    this.#announce(session, uris, failed);
  }

  #urisOf(session: string): Set<string> {
    return new Set(this.store.all({ session }).map((review) => review.uri));
  }

  #announce(session: string, uris: ReadonlySet<string>, failed?: ReviewsChange["failed"]): void {
    for (const uri of uris) {
      const document = documentOf(uri);
      if (document) {
        this.#place(uri, document);
      }
    }
    if (uris.size > 0 || failed) {
      this.#changed.fire({ session, uris, failed });
    }
  }

  #place(uri: string, document: TextDocument): void {
    const reviews = this.store.all({ uri });
    if (reviews.length === 0) {
      this.#places.delete(uri);
      this.#tries.delete(uri);
      return;
    }
    const places = this.#places.get(uri) ?? new HunkPlaces();
    this.#places.set(uri, places);
    if (places.place(document, reviews) === 0) {
      this.#tries.delete(uri);
    } else {
      this.#lookUpLater(uri, document, reviews);
    }
  }

  /** Lists again after a while: the daemon sees typing a little later. */
  #lookUpLater(uri: string, document: TextDocument, reviews: readonly ReviewState[]): void {
    const tries = this.#tries.get(uri) ?? 0;
    if (this.#timers.has(uri) || tries >= TRIES) {
      return;
    }
    if (!this.ownEdits.isTyping(document, limits.typing)) {
      this.#tries.set(uri, tries + 1);
    }
    const timer = setTimeout(() => {
      this.#timers.delete(uri);
      new Set(reviews.map((review) => review.session)).forEach((session) => void this.list(session));
    }, limits.lookupRetry);
    this.#timers.set(uri, timer);
  }

  /** Places move with the text. Those that a change touched are found again a little later, if the daemon does not send them. */
  #move({ document, contentChanges }: TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const hasGuesses = this.#places.get(uri)?.move(contentChanges);
    // Lines that were looked up in vain may be in the new text, such as one that another window has saved.
    if (contentChanges.length > 0 && this.#tries.delete(uri)) {
      this.#lookUpLater(uri, document, this.store.all({ uri }));
    }
    if (hasGuesses) {
      this.#placeLater(uri, document);
    }
  }

  #placeLater(uri: string, document: TextDocument): void {
    clearTimeout(this.#guesses.get(uri));
    const timer = setTimeout(() => {
      this.#guesses.delete(uri);
      const session = this.store.all({ uri })[0]?.session;
      if (session !== undefined && !document.isClosed) {
        this.#announce(session, new Set([uri]));
      }
    }, limits.lookupRetry);
    this.#guesses.set(uri, timer);
  }
}
