// Asks VS Code's providers, under a time limit, and says honestly what an empty answer means.
//
// Contract: an answer is about the text that the document has when it is asked and still has when it is answered; otherwise it fails
// with `ContentModified`. An empty answer counts as "nothing found" only if the language is known to have such a provider.

import type { Uri } from "vscode";
import { documentOf } from "../documents/openDocuments";
import { limits } from "../timeLimits";
import { lspPosition } from "./convert";
import { late, within } from "./deadline";
import { HierarchyItems } from "./hierarchyItems";
import type { WireParams } from "./providerQuestions";
import { questions, symbolsOf, unambiguous, uriOf } from "./providerQuestions";
import { contentModified, RequestProblem } from "./requestProblem";
import type { VirtualServer } from "./virtualServer";

/** How many names of a document are tried to find out whether a provider exists. */
const MAX_PROBED = 3;

export class Providers {
  readonly #items = new HierarchyItems();
  /** Languages and methods that have been answered before. */
  readonly #known = new Set<string>();

  async ask(server: VirtualServer, method: string, params: WireParams, end: AbortSignal): Promise<unknown> {
    const document = params.textDocument ? documentOf(uriOf(params)) : undefined;
    const version = document?.version;
    const answer = await this.#askInTime(method, params, end);
    if (document && (document.isClosed || document.version !== version)) {
      throw contentModified();
    }
    const language = document?.languageId ?? [...server.languages].join(", ");
    const key = `${language} ${method}`;
    if (!isEmpty(answer)) {
      this.#known.add(key);
      return answer;
    }
    const isKnown = server.kind === "typescript" || unambiguous.has(method) || this.#known.has(key);
    if (isKnown || (document && params.position && (await this.#probe(method, document.uri, end)))) {
      this.#known.add(key);
      return answer;
    }
    throw new RequestProblem(`VS Code found nothing, or has no extension that answers this for ${language}`);
  }

  async #askInTime(method: string, params: WireParams, end: AbortSignal): Promise<unknown> {
    const question = questions[method];
    if (!question) {
      throw new RequestProblem(`VS Code does not answer ${method}`);
    }
    const answer = await within(question(params, this.#items), limits.provider, end);
    if (answer === late) {
      throw new RequestProblem(`an extension of VS Code did not answer within ${limits.provider / 1000} s`);
    }
    return answer;
  }

  /** Whether the method has an answer at one of the document's own names: then there is a provider. */
  async #probe(method: string, uri: Uri, end: AbortSignal): Promise<boolean> {
    const symbols = await within(symbolsOf(uri), limits.probe, end);
    for (const symbol of symbols === late ? [] : symbols.slice(0, MAX_PROBED)) {
      const { start } = "selectionRange" in symbol ? symbol.selectionRange : symbol.location.range;
      const params = { textDocument: { uri: uri.toString() }, position: lspPosition(start) };
      const question = questions[method];
      const answer = question ? await within(question(params, this.#items), limits.probe, end) : late;
      if (answer === late || !isEmpty(answer)) {
        return answer !== late;
      }
    }
    return false;
  }
}

function isEmpty(answer: unknown): boolean {
  return answer === undefined || answer === null || (Array.isArray(answer) && answer.length === 0);
}
