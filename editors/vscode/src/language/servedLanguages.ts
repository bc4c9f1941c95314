// Which languages VS Code serves: it has no list of language servers, so this is learned from what it shows.
//
// Contract: a language is served once VS Code has told of problems in one of its documents, even of none. Before that it may be
// starting, for a limited time, if an extension gives symbols of a document. All others are not served: the daemon's own servers are.

import type { TextDocument } from "vscode";
import { extensions, languages } from "vscode";
import { limits } from "../timeLimits";
import { late, within } from "./deadline";
import { symbolsOf } from "./providerQuestions";

export type ServedState = "served" | "starting" | "unserved";

export class ServedLanguages {
  readonly #served = new Set<string>();
  /** When symbols were first seen, by language. */
  readonly #began = new Map<string, number>();

  /** VS Code has told of the problems of a document. */
  note(document: TextDocument): void {
    this.#served.add(document.languageId);
  }

  /** Waits at most this long for extensions that still start. */
  async state(document: TextDocument, wait: number): Promise<ServedState> {
    const { languageId, uri } = document;
    if (this.#isServed(document)) {
      return "served";
    }
    const deadline = Date.now() + wait;
    // VS Code starts them for every document of the language; this only waits for them.
    const activation = `onLanguage:${languageId}`;
    const starting = extensions.all.filter(({ isActive, packageJSON }) => !isActive && isStartedBy(packageJSON, activation));
    await within(Promise.allSettled(starting.map((extension) => extension.activate())), wait);
    const began = this.#began.get(languageId);
    if (began === undefined) {
      const symbols = await within(symbolsOf(uri), Math.max(deadline - Date.now(), limits.probe));
      if (symbols === late || symbols.length === 0) {
        return this.#isServed(document) ? "served" : "unserved";
      }
      this.#began.set(languageId, Date.now());
    }
    if (this.#isServed(document)) {
      return "served";
    }
    return Date.now() - (began ?? Date.now()) < limits.firstProblems ? "starting" : "unserved";
  }

  #isServed({ languageId, uri }: TextDocument): boolean {
    return this.#served.has(languageId) || languages.getDiagnostics(uri).length > 0;
  }
}

function isStartedBy(manifest: unknown, event: string): boolean {
  const events: unknown = Object(manifest).activationEvents;
  return Array.isArray(events) && events.includes(event);
}
