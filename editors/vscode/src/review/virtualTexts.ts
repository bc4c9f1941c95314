// Virtual documents for diffs: `copydesk-base` is a document before the agent's edits, `copydesk-proposal` is it with the proposed ones.
//
// Contract: read-only and made when asked for. What the user typed elsewhere is in both sides of a diff, so only the agent's edits
// differ. A document that does not exist counts as empty.

import type { ReviewTimingInfo } from "copydesk-protocol";
import type { TextDocument, TextDocumentContentProvider } from "vscode";
import { Disposable, EndOfLine, EventEmitter, Uri, workspace } from "vscode";
import { documentOf } from "../documents/openDocuments";
import { limits } from "../timeLimits";
import type { OtherText } from "./otherText";
import { otherText } from "./otherText";
import { HunkPlaces } from "./places";
import type { Reviews } from "./reviews";

export const BASE = "copydesk-base";
export const PROPOSAL = "copydesk-proposal";

function virtualUri(scheme: string, uri: string): Uri {
  return Uri.from({ scheme, path: Uri.parse(uri).path, query: uri });
}

/** The document before the agent's edits. */
export function baseUri(uri: string): Uri {
  return virtualUri(BASE, uri);
}

/** The document with the proposed edits. */
export function proposalUri(uri: string): Uri {
  return virtualUri(PROPOSAL, uri);
}

/** The real document of a virtual one. */
export function realUri(uri: Uri): string | undefined {
  return uri.scheme === BASE || uri.scheme === PROPOSAL ? uri.query : undefined;
}

function linesOf(document: TextDocument): string[] {
  return document.getText().split(/\r\n|\r|\n/);
}

export class VirtualTexts implements TextDocumentContentProvider, Disposable {
  readonly #changed = new EventEmitter<Uri>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #disposables: Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(private readonly reviews: Reviews) {
    this.#disposables = [
      workspace.registerTextDocumentContentProvider(BASE, this),
      workspace.registerTextDocumentContentProvider(PROPOSAL, this),
      reviews.onDidChange(({ uris }) => uris.forEach((uri) => this.#refresh(uri))),
      workspace.onDidChangeTextDocument(({ document }) => this.#refreshLater(document.uri.toString())),
    ];
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const real = realUri(uri) ?? "";
    const document = await this.#open(real);
    const { lines } = this.#other(real, document, uri.scheme === BASE ? "after" : "before");
    return lines.join(document?.eol === EndOfLine.CRLF ? "\r\n" : "\n");
  }

  /** The other text of an open document. */
  other(document: TextDocument, when: ReviewTimingInfo): OtherText {
    return this.#other(document.uri.toString(), document, when);
  }

  dispose(): void {
    this.#timers.forEach(clearTimeout);
    this.#disposables.forEach((one) => one.dispose());
    this.#changed.dispose();
  }

  async #open(uri: string): Promise<TextDocument | undefined> {
    try {
      return documentOf(uri) ?? (await workspace.openTextDocument(Uri.parse(uri)));
    } catch {
      return undefined;
    }
  }

  #other(uri: string, document: TextDocument | undefined, when: ReviewTimingInfo): OtherText {
    if (document) {
      return otherText(linesOf(document), this.reviews.placed(document), when);
    }
    const places = new HunkPlaces();
    const nothing = { lineCount: 0, lineAt: () => ({ text: "" }) };
    places.place(nothing, this.reviews.store.all({ uri }));
    return otherText([], places.all(), when);
  }

  #refresh(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    for (const virtual of [baseUri(uri), proposalUri(uri)]) {
      if (documentOf(virtual)) {
        this.#changed.fire(virtual);
      }
    }
  }

  /** Typing outside of the hunks changes both sides alike, a little later. */
  #refreshLater(uri: string): void {
    if (this.reviews.store.hasDocument(uri)) {
      clearTimeout(this.#timers.get(uri));
      this.#timers.set(uri, setTimeout(() => this.#refresh(uri), limits.virtualText));
    }
  }
}
