// What a prompt mentions after `@`: files, symbols in them, and what VS Code shows. Completed while the user writes, and taken along when the
// prompt is sent.
//
// Contract: a mention that names nothing stays text. One that names something that is empty, such as a terminal without a selection, fails,
// and the prompt is not sent: the user would think that it went along.

import type { ContextPiece } from "../../sessions/context";
import { MAX_COMPLETIONS } from "../wire/messages";
import { FileSearch, filePieceOf } from "./fileMentions";
import { SOURCES, sourcePiece } from "./sourceMentions";
import { completeSymbols, symbolPieceOf } from "./symbolMentions";

const MAX_MENTIONS = 20;
const MENTION = /(?:^|\s)@([^\s@]{1,400})/g;

export class Mentions {
  readonly #files = new FileSearch();

  /** What completes a text, the best first. */
  async complete(text: string): Promise<string[]> {
    const sources = SOURCES.filter((name) => name.startsWith(text.toLowerCase()));
    const found = text.includes("#") ? await completeSymbols(text) : await this.#files.complete(text);
    return [...sources, ...found].slice(0, MAX_COMPLETIONS);
  }

  /** What a prompt mentions. */
  async piecesOf(text: string): Promise<ContextPiece[]> {
    const names = new Set([...text.matchAll(MENTION)].map((match) => (match[1] ?? "").replace(/[.,;:!?)]+$/, "")));
    const pieces = await Promise.all([...names].slice(0, MAX_MENTIONS).map(pieceOf));
    return pieces.filter((piece) => piece !== undefined);
  }
}

async function pieceOf(name: string): Promise<ContextPiece | undefined> {
  return (await sourcePiece(name)) ?? (await filePieceOf(name)) ?? (await symbolPieceOf(name));
}
