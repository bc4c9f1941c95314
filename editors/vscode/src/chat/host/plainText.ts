// Makes texts of models, tools and repositories harmless, and cuts them to the limits of the messages.
//
// Contract: pure. Control characters become visible signs, so that no text can recolour, reorder or hide another. A delta is treated
// character by character, so the pieces of a stream give what the whole text gives. What is cut says so.

import { MAX_DETAIL, MAX_LABEL, MAX_TEXT } from "../wire/rows";

/** Controls besides tab and line feed, and the marks that change the direction of text (Trojan Source). */
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Sequences of terminals: colours, cursor, titles, links. */
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (character === "\r") {
    return "";
  }
  // Unicode has a picture of each C0 control.
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A text of a model, as it is shown. */
export function plainText(text: string): string {
  return text.replace(HARMFUL, visible);
}

/** The output of a command: without the sequences that a terminal would obey. A line that was rewritten shows its last text. */
export function terminalText(text: string): string {
  const lines = text.replace(TERMINAL, "").replaceAll("\r\n", "\n").split("\n");
  return plainText(lines.map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1)).join("\n"));
}

/** Ends a text at a limit, not inside a surrogate pair. */
export function cutAt(text: string, most: number): string {
  if (text.length <= most) {
    return text;
  }
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}

/** A text for a row; a longer one is cut and says how much is missing. */
export function rowTextOf(text: string): string {
  const plain = plainText(text);
  return plain.length <= MAX_TEXT ? plain : `${cutAt(plain, MAX_TEXT - 100)}\n\n… ${plain.length - MAX_TEXT + 100} more characters are not shown.`;
}

/** The beginning of a text for a detail. */
export function detailTextOf(text: string): string {
  return text.length <= MAX_DETAIL ? text : `${cutAt(text, MAX_DETAIL)}\n… ${text.length - MAX_DETAIL} more characters are not shown.`;
}

/** One line for a label. */
export function labelOf(text: unknown, most = 300): string {
  const line = typeof text === "string" ? plainText(text.slice(0, 4 * most).replace(/[\r\n\t\u2028\u2029]+/g, " ")).trim() : "";
  return line.length > most ? `${cutAt(line, Math.min(most, MAX_LABEL) - 1)}…` : line;
}

/** One line of code for a label: its indentation stays. */
export function codeLineOf(text: string): string {
  const line = plainText(text.slice(0, 1_000));
  return cutAt(text.length > 1_000 ? `${line} … ${text.length - 1_000} more characters` : line, MAX_LABEL);
}

/** A finite number, whatever a tool sent. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
