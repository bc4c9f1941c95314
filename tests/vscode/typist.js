// A user who types while the agent edits the same documents. A seed decides what and where; every character typed is unique.
//
// Contract: `T.state.typist` has `begin`, `type`, `stop`, `rest`, `finish` and `close`. The user types in the first document; in the others, in the
// background, other extensions insert. The documents are Greek, the agent writes Greek, and the user types other
// characters, so that each character of the final text has one possible author.

/** The first of the characters that this typist types: private ones, of one UTF-16 unit. */
const FIRST_TYPED = 0xe000;
const LAST_TYPED = 0xf8ff;
/** Between two keys of one word, at most. */
const MAX_KEY_PAUSE_MS = 40;
/** After so many words, at most, the user looks up. VS Code refuses nearly every edit in a document in which somebody never does. */
const MAX_WORDS = 6;
/** How long, at most. */
const MAX_REST_MS = 500;

const GREEK = "αβγδεζηθικ";
/** A number in Greek letters, which is no part of a longer one. */
const numeral = (number) => "«" + String(number).replace(/\d/g, (digit) => GREEK[digit]) + "»";

function randomNumbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

let round;

/** Writes a document with places for the agent; says what it will replace. */
async function makeDocument(random, name, edits) {
  const lines = [];
  const planned = [];
  for (let at = 0; at < edits; at++) {
    for (let more = random(3); more >= 0; more--) lines.push(`λόγος ${"λ".repeat(random(20))}`);
    lines.push(`πριν ${numeral(at)} μετά`);
    const replacement = random(3) === 0 ? `νέο ${numeral(at)}\nκαι ${numeral(at)} μετά` : `νέο ${numeral(at)} μετά`;
    planned.push({ file: name, old: `πριν ${numeral(at)} μετά`, new: replacement });
  }
  await vscode.workspace.fs.writeFile(T.uri(name), new TextEncoder().encode(lines.join("\n") + "\n"));
  return planned;
}

/** Opens new documents with so many places for the agent in each; the first is the active one. */
async function begin(seed, counts) {
  const random = randomNumbers(seed);
  round = { random, files: [], typed: [], next: FIRST_TYPED, isTyping: false, actions: 0 };
  for (const [at, edits] of counts.entries()) {
    const name = `typist_${seed}_${at}.txt`;
    round.files.push({ name, planned: await makeDocument(random, name, edits) });
  }
  for (const file of [...round.files].reverse()) {
    round.editor = await T.open(file.name);
    file.document = round.editor.document;
  }
  return round.files.map((file) => ({ name: file.name, planned: file.planned }));
}

/** A character that was never typed in this round, and is expected in a document from now on. */
function unique(document) {
  if (round.next > LAST_TYPED) throw new Error("the typist has no characters left");
  const typed = { text: String.fromCharCode(round.next++), document, count: 1, history: [] };
  round.typed.push(typed);
  return typed;
}

/** Makes an edit as another extension does. What VS Code answered, and what was there before and after, is told if the character is wrong at the end. */
async function applied(typed, what, edit) {
  const { version } = typed.document;
  const before = countOf(typed);
  const answer = await vscode.workspace.applyEdit(edit);
  typed.history.push(`${what} at version ${version} with ${before} there: ${answer}, version ${typed.document.version} with ${countOf(typed)} there`);
  return answer;
}

/** A place in a document: often where the agent is at work. */
function somewhere(document) {
  let line = round.random(document.lineCount);
  if (round.random(3) === 0) {
    const places = document.getText().split("\n").map((text, at) => (/[«»]/.test(text) ? at : -1)).filter((at) => at >= 0);
    if (places.length > 0) line = Math.max(0, places[round.random(places.length)] - 1 + round.random(3));
  }
  line = Math.min(line, document.lineCount - 1);
  const length = document.lineAt(line).text.length;
  // Most people type at the end of a line.
  return new vscode.Position(line, round.random(3) === 0 ? round.random(length + 1) : length);
}

const pause = (most) => new Promise((resolve) => setTimeout(resolve, round.random(most)));

async function typeWord(first) {
  const at = somewhere(round.editor.document);
  round.editor.selection = new vscode.Selection(at, at);
  if (first) await vscode.commands.executeCommand("type", { text: first });
  for (let more = round.random(4); more >= 0; more--) {
    await vscode.commands.executeCommand("type", { text: unique(round.editor.document).text });
    await pause(MAX_KEY_PAUSE_MS);
  }
}

const actions = [
  () => typeWord(),
  () => typeWord("\n"),
  async function insertByAnotherExtension() {
    const { document } = round.files[round.random(round.files.length)];
    const typed = unique(document);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, somewhere(document), typed.text);
    typed.count = (await applied(typed, "insert", edit)) ? 1 : 0;
  },
  async function deleteWhatWasTyped() {
    const known = round.typed.filter((typed) => typed.count === 1);
    if (known.length === 0) return;
    const typed = known[round.random(known.length)];
    const start = typed.document.getText().indexOf(typed.text);
    if (start < 0) return;
    const edit = new vscode.WorkspaceEdit();
    edit.delete(typed.document.uri, new vscode.Range(typed.document.positionAt(start), typed.document.positionAt(start + 1)));
    if (await applied(typed, "delete", edit)) typed.count = 0;
  },
];
/** How often each of them is chosen. */
const weights = [0, 0, 0, 0, 1, 2, 2, 2, 3, 3];

/** Types until `stop`. */
async function type() {
  round.isTyping = true;
  while (round.isTyping) {
    for (let words = round.random(MAX_WORDS); words >= 0 && round.isTyping; words--) {
      await actions[weights[round.random(weights.length)]]();
      round.actions++;
    }
    await pause(MAX_REST_MS);
  }
}

const countOf = (typed) => typed.document.getText().split(typed.text).length - 1;

/** Waits until everything typed is in its document. `keys` was typed at the page meanwhile. Returns the texts as they are now. */
async function rest(keys) {
  for (const text of keys) round.typed.push({ text, document: round.files[0].document, count: 1, history: [] });
  // If that never happens, `finish` says what is missing.
  await T.until(() => round.typed.every((typed) => countOf(typed) >= typed.count)).catch(() => {});
  return round.files.map((file) => file.document.getText());
}

/** What is wrong with the final texts, and what of the agent is in them. */
function finish() {
  const wrong = round.typed
    .filter((typed) => countOf(typed) !== typed.count)
    .map((typed) => `${typed.document.fileName}: ${escape(typed.text)} is there ${countOf(typed)} times instead of ${typed.count}; ${typed.history.join("; ")}`);
  // Enter may have been pressed inside of what the agent wrote, and characters typed.
  const squeezed = (text) => round.typed.reduce((rest, typed) => rest.split(typed.text).join(""), text).replace(/\s/g, "");
  const files = round.files.map(({ document, planned }) => {
    const text = squeezed(document.getText());
    const has = (piece) => text.split(squeezed(piece)).length - 1;
    return { text: document.getText(), edits: planned.map((edit) => ({ old: has(edit.old), new: has(edit.new) })) };
  });
  return { wrong, files, typed: round.typed.length, actions: round.actions };
}

/** Saves and closes the documents of the last rounds. */
async function close() {
  await vscode.workspace.saveAll();
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

T.state.typist = {
  begin,
  type,
  stop: () => {
    round.isTyping = false;
  },
  rest,
  finish,
  close,
};
