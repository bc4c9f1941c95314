// The quick diff against the accepted base: bars in the gutter, and a peek with the removed lines where they stood.
//
// Contract: documents without hunks have no base, so git's own bars stand alone there. The entry in the Source Control view exists only
// while there are hunks.

import type { SourceControl } from "vscode";
import { Disposable, scm, Uri } from "vscode";
import { documentOf } from "../documents/openDocuments";
import type { Reviews } from "./reviews";
import { baseUri, type VirtualTexts } from "./virtualTexts";

export class HunkQuickDiff implements Disposable {
  #control: SourceControl | undefined;
  /** The documents that have a base now. */
  #uris = "";
  readonly #listener: Disposable;

  constructor(
    private readonly reviews: Reviews,
    private readonly texts: VirtualTexts,
  ) {
    this.#listener = reviews.onDidChange(() => this.#update());
  }

  dispose(): void {
    this.#listener.dispose();
    this.#control?.dispose();
  }

  #update(): void {
    const made = this.reviews.store.all().filter((review) => review.when === "after" && review.hunks.size > 0);
    const uris = [...new Set(made.map((review) => review.uri))].join("\n");
    if (uris === this.#uris) {
      return;
    }
    this.#uris = uris;
    // VS Code asks for the base of a document only once for each provider.
    this.#control?.dispose();
    this.#control = undefined;
    if (made.length > 0) {
      // Without a folder: VS Code asks only for documents in it, and the agent may edit in any.
      this.#control = scm.createSourceControl("copydesk", "Copydesk (agent's edits)");
      this.#control.inputBox.visible = false;
      this.#control.quickDiffProvider = { provideOriginalResource: (uri) => this.#baseOf(uri) };
    }
  }

  #baseOf(uri: Uri): Uri | undefined {
    const document = documentOf(uri);
    const hasHunks = document && this.reviews.placed(document).some((one) => one.review.when === "after");
    return hasHunks && this.texts.other(document, "after").isExact ? baseUri(uri.toString()) : undefined;
  }
}
