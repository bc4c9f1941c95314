// Every time limit of the extension, in milliseconds, with its reason.
//
// Contract: only numbers. A test may change them through `limits`.

export const limits = {
  /** How long the daemon may take to answer a request. It answers at once, so then it counts as unresponsive and the request fails. */
  request: 10_000,
  /** How long `initialize` may take, which starts a daemon if none runs. Then requests fail; the connection is still awaited. A busy
   * machine takes seconds. */
  start: 30_000,
  /** The pause before a lost connection is tried again. It doubles with each loss in a row. */
  firstReconnect: 100,
  /** The longest such pause. */
  lastReconnect: 30_000,
  /** A connection that lasts this long ends a row of losses. */
  stableConnection: 60_000,
  /** How long the program may take to end when the extension is deactivated. VS Code itself waits five seconds. */
  stop: 2_000,
  /** How long `copydesk --version` may take. Then the program counts as broken. */
  versionCommand: 5_000,
  /** The same for commands such as `copydesk doctor`, which ask servers and wait for them. */
  command: 20_000,

  /** How long a document must be unchanged before its text is compared with the daemon's. */
  rest: 1_000,
  /** A pause in typing of this length counts as a moment in which an edit has a good chance. */
  typingGap: 200,
  /** How long a refusal waits for such a pause. Then the daemon may try again after the next key: in the 15 seconds that an edit has, that is
   * some 40 times. */
  refusalWait: 300,
  /** How long after a key the daemon may lag behind. Until then a decision first asks for the current hunks. */
  typing: 500,
  /** The pause before the missing lines of a hunk are looked up again: the daemon sees typing a little later. */
  lookupRetry: 400,

  /** Asks that come within this time are announced together: a session that is loaded sends all of them at once. */
  announce: 50,
  /** The same for edits. Their hunks come a little after the ask; if the user sees them, the edit is not announced. */
  announceEdit: 500,
  /** How long the status bar tells what has just happened. */
  statusMessage: 5_000,
  /** How long one of VS Code's providers may take. A hanging one never answers; the daemon itself waits 30 s. */
  provider: 15_000,
  /** The same for TypeScript's diagnostics, which come once it has read the project: 22 s were seen on a busy machine. */
  tsserver: 28_000,
  /** How long a call may take that only finds out whether there is a provider. */
  probe: 500,
  /** How long after a change of the text VS Code may tell of problems that are older: it collects them for 50 ms. */
  problemsCollected: 60,
  /** How long VS Code may take to show a problem that is to be fixed: TypeScript's come up to 1.4 s after an edit. */
  problemShown: 2_000,
  /** How long an extension that gives symbols may take to tell of problems, even of none. Then it is taken for one that never does. */
  firstProblems: 20_000,

  /** The shortest time between two writes to the output channel: about three frames of a screen. */
  transcript: 50,
  /** The same while the user types: each write costs the keys beside it some 10 ms. */
  transcriptWhileTyping: 1_000,
  /** The shortest time between two batches of changes for the chat: two frames of a screen, so that a token shows within 50 ms. */
  chatFrame: 32,
  /** How long after a key a draft may be lost by a crash. */
  drafts: 500,
  /** The pause in typing before the virtual texts of diffs are made again: VS Code itself compares after 200 ms. */
  virtualText: 200,
  /** How long the status bar shows that a comment was sent. */
  sentNote: 4_000,
  /** The pause after scrolling before CodeLenses for the new lines are offered. VS Code itself waits 250 ms. */
  scrollRest: 150,
};
