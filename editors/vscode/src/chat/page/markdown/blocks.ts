// Splits a growing Markdown text into blocks that can be drawn one by one.
//
// Contract: pure. A block ends at a blank line outside a fence, unless the next line continues it. Only the last block of a growing text
// can change, so the others are parsed once. Lines and paragraphs without an end are cut, so that no text can stop the page.

/** A longer line shows its beginning. */
const MAX_LINE = 5_000;
/** A longer block is ended at a line. */
const MAX_BLOCK = 20_000;
const MAX_FENCE = 200_000;

export interface BlockList {
  /** The text that was split. */
  text: string;
  blocks: string[];
  /** Where the last block begins. */
  last: number;
}

const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;
const FENCE = /^\s*(`{3,}|~{3,})/;
/** The beginning of a line that may become an item of a list. */
const UNCLEAR = /^\s*(?:[-*+]|\d{1,9}[.)]?)?$/;

/** Cuts lines that are too long, and says so. */
export function cutLines(text: string): string {
  if (text.length <= MAX_LINE) {
    return text;
  }
  const cut = (line: string) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}… (${line.length - MAX_LINE} more characters)` : line);
  return text.split("\n").map(cut).join("\n");
}

/** Whether a line after a blank one belongs to the block before it. */
function continues(first: string, line: string): boolean {
  return /^\s/.test(line) || (LIST_ITEM.test(first) && LIST_ITEM.test(line));
}

/** Splits a text from `start` on, which begins a block. */
function split(text: string, start: number): { blocks: string[]; last: number } {
  const blocks: string[] = [];
  let [begin, fence, isAfterBlank] = [start, "", false];
  for (let at = start; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, Math.min(end, at + 200));
    const isBlank = line.trim() === "" && end - at < 200;
    const isUnclear = newline < 0 && UNCLEAR.test(line);
    const isTooLong = at - begin > (fence === "" ? MAX_BLOCK : MAX_FENCE);
    if (at > begin && ((fence === "" && isAfterBlank && !isBlank && !isUnclear && !continues(text.slice(begin, begin + 200), line)) || isTooLong)) {
      blocks.push(text.slice(begin, at));
      [begin, fence] = [at, ""];
    }
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence === "") {
      fence = mark;
    } else if (mark.startsWith(fence) && line.trim() === mark) {
      fence = "";
    }
    isAfterBlank = isBlank && fence === "";
    at = end + 1;
  }
  return { blocks: [...blocks, text.slice(begin)], last: begin };
}

/** The blocks of a text; those of a text that it continues are reused. */
export function splitBlocks(text: string, before?: BlockList): BlockList {
  if (before && text.length >= before.text.length && text.startsWith(before.text)) {
    const { blocks, last } = split(text, before.last);
    return { text, blocks: [...before.blocks.slice(0, -1), ...blocks], last };
  }
  return { text, ...split(text, 0) };
}
