// Asks as documents: virtual, read only, complete.
//
// Contract: a document is there as long as its ask is open, and its tab is closed after that. It takes no focus from a quick pick.

import type { CancellationToken, TextDocumentContentProvider } from "vscode";
import { Disposable, EventEmitter, TabInputText, Uri, window, workspace } from "vscode";
import type { Sessions } from "../sessions/sessions";
import { originOf } from "./askOrigin";
import type { Asks, OpenAsk } from "./asks";
import { documentText, subjectOf, titleOf } from "./askText";

const SCHEME = "copydesk-ask";

/** The longest name of a tab. */
const MAX_NAME = 40;

/** The document's URI. Its path is the name of the tab, and chooses the language. */
function uriOf(ask: OpenAsk): Uri {
  const isDiff = ask.kind === "permission" && subjectOf(ask.params).language === "diff";
  const name = titleOf(ask).slice(0, MAX_NAME).replace(/[/\\]/g, "∕");
  return Uri.from({ scheme: SCHEME, path: `/${name}.${isDiff ? "diff" : "md"}`, query: ask.id });
}

export class AskDocuments implements TextDocumentContentProvider, Disposable {
  readonly #disposables: Disposable[];
  readonly #changed = new EventEmitter<Uri>();

  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly asks: Asks,
    private readonly sessions: Sessions,
  ) {
    this.#disposables = [
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      asks.onDidChange(() => this.#closeSettled()),
      // A tab that came back with the window was empty until now.
      asks.onDidOpen((ask) => this.#changed.fire(uriOf(ask))),
      this.#changed,
    ];
  }

  provideTextDocumentContent(uri: Uri, _: CancellationToken): string {
    const ask = this.asks.get(uri.query);
    return ask ? documentText(ask, originOf(ask, this.sessions)) : "This was answered, or is asked no more.\n";
  }

  /** Shows an ask in full. */
  async show(ask: OpenAsk, preserveFocus: boolean): Promise<void> {
    const document = await workspace.openTextDocument(uriOf(ask));
    await window.showTextDocument(document, { preview: true, preserveFocus });
  }

  dispose(): void {
    this.#disposables.forEach((one) => one.dispose());
  }

  #closeSettled(): void {
    const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
    const over = tabs.filter(({ input }) => input instanceof TabInputText && input.uri.scheme === SCHEME && !this.asks.get(input.uri.query));
    if (over.length > 0) {
      window.tabGroups.close(over, true).then(undefined, () => undefined);
    }
  }
}
