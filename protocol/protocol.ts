// The protocol between the Copydesk daemon and its editor extensions. Generated from protocol/src; do not edit.
// To update it: `UPDATE_EXPECT=1 cargo test -p copydesk-protocol`, then read the diff.

/** The version of the protocol. */
export const PROTOCOL = 1;

/** The names of the methods, as on the wire. */
export const methods = {
  /** Creates a session, and stores it at once. */
  sessionNew: "copydesk/session/new",
  /** Lists sessions, last used first. */
  sessionList: "copydesk/session/list",
  /** Lists the sessions of a folder that run, wait for the user, or have undecided hunks. */
  sessionPending: "copydesk/session/pending",
  /** Attaches this client to a session: it gets the present state, and from then on the session's events and asks. */
  sessionLoad: "copydesk/session/load",
  /** Returns earlier parts of a session, page by page. Does not attach. */
  sessionParts: "copydesk/session/parts",
  /** Detaches this client from a session. A running turn continues. */
  sessionLeave: "copydesk/session/leave",
  /** Creates a session with the history of another one before a part. The other session does not change. */
  sessionFork: "copydesk/session/fork",
  /** Sets the title of a session. */
  sessionRename: "copydesk/session/rename",
  /** Deletes a session and its history. Cancels a running turn first. */
  sessionDelete: "copydesk/session/delete",
  /** Sets the model of a session, from its next turn on. */
  sessionSetModel: "copydesk/session/setModel",
  /** Sets the agent of a session, from its next turn on. */
  sessionSetAgent: "copydesk/session/setAgent",
  /** Sets whether a session's edits are reviewed before or after they are made, from the next edit on. */
  sessionSetReview: "copydesk/session/setReview",
  /** Sets what runs unasked in a session, from the next call on. */
  sessionSetPreset: "copydesk/session/setPreset",
  /** Finds sessions by their content. */
  sessionSearch: "copydesk/session/search",
  /** Prompts. Answers at once; events report the turn. While a turn runs, the prompt is queued. */
  turnStart: "copydesk/turn/start",
  /** Prompts into the running turn: the model reads it at its next step. Without a turn it starts one. */
  turnSteer: "copydesk/turn/steer",
  /** Cancels the running turn and all its asks. Answers at once. Does nothing without a turn. */
  turnCancel: "copydesk/turn/cancel",
  /** Stops one running call, such as a command. The model is told, and the turn continues. Does nothing if the call has ended. */
  turnStopCall: "copydesk/turn/stopCall",
  /** Reverts the agent's edits of files, and nothing else. */
  undo: "copydesk/undo",
  /** Reverts the last undo of a session. */
  redo: "copydesk/redo",
  /** Lists the agent's undecided edits. */
  reviewList: "copydesk/review/list",
  /** Decides hunks. The result says which decisions were refused and why; those change nothing. */
  reviewDecide: "copydesk/review/decide",
  /** Comments on an edit without deciding it. The model reads the comment at its next step. */
  reviewComment: "copydesk/review/comment",
  /** Asks the session's model to rewrite a range of a document. Answers at once; the edit grows in a review. */
  inlineStart: "copydesk/inline/start",
  /** Asks the model to change an undecided inline edit. */
  inlineRefine: "copydesk/inline/refine",
  /** Drops an inline edit, while the model writes it or after. The document is unchanged. */
  inlineCancel: "copydesk/inline/cancel",
  /** Lists the models that can be used now. */
  models: "copydesk/models",
  /** Lists the providers of models, and what those lack that cannot be used. Looks for servers on the daemon's machine. */
  providerList: "copydesk/provider/list",
  /** Stores the user's key for a provider. */
  providerSetKey: "copydesk/provider/setKey",
  /** Lists the agents that a user can choose. */
  agents: "copydesk/agents",
  /** Returns the state of the daemon. */
  status: "copydesk/status",
  /** Records whether the user trusts a folder. Only a user's own choice may be sent. */
  trustSet: "copydesk/trust/set",
  /** Lists what the user always allows in a project and in its running sessions. */
  permissionList: "copydesk/permission/list",
  /** Takes back what the user always allows. Only a user's own choice may be sent. */
  permissionRevoke: "copydesk/permission/revoke",
  /** Explains which rules decide about a call, without making it. */
  permissionExplain: "copydesk/permission/explain",
  /** Restarts language servers of the daemon, also those that it gave up. */
  serversRestart: "copydesk/servers/restart",
  /** Returns the diagnostics of the client's own language servers, and the certainty that they are for the present text. */
  diagnostics: "copydesk/diagnostics",
  /** Checks whether the daemon has the text that a document has in the editor. */
  documentVerify: "copydesk/document/verify",
  /** A language server of the editor is there. */
  serverStarted: "copydesk/server/started",
  /** The editor told a language server of a document. */
  serverDocument: "copydesk/server/document",
  /** The editor told a language server of files on the disk. */
  serverWatched: "copydesk/server/watched",
  /** A language server sent the editor a message. */
  serverReceived: "copydesk/server/received",
  /** A language server of the editor has ended. */
  serverEnded: "copydesk/server/ended",
  /** Changes how much the daemon logs. */
  logSet: "copydesk/log/set",
  /** Stops the daemon. */
  stop: "copydesk/stop",
  /** An event of a session that this client is attached to. */
  event: "copydesk/event",
  /** Asks the user to approve a call. Sent to every attached client; the first reply wins. */
  permissionAsk: "copydesk/permission/ask",
  /** An ask needs no reply any more. A client that still shows it removes it and answers `cancelled`. */
  permissionSettled: "copydesk/permission/settled",
  /** Asks the user the agent's questions. Sent to every attached client; the first reply wins. */
  questionAsk: "copydesk/question/ask",
  /** Questions need no reply any more. A client that still shows them removes them and answers `cancelled`. */
  questionSettled: "copydesk/question/settled",
  /** Names the editor's own language servers of a document. */
  editorServers: "copydesk/editor/servers",
  /** The daemon needs a document no more: the editor may unload it. */
  editorServersDone: "copydesk/editor/serversDone",
  /** Sends a request to one of the editor's own language servers. */
  editorServerRequest: "copydesk/editor/serverRequest",
  /** Sends a notification to one of the editor's own language servers. */
  editorServerNotify: "copydesk/editor/serverNotify",
  /** Returns the user's selection. */
  editorSelection: "copydesk/editor/selection",
  /** Returns the files that the user has open. */
  editorOpenFiles: "copydesk/editor/openFiles",
  /** Shows a range of a document in the editor. */
  editorShow: "copydesk/editor/show",
  /** A new daemon serves this client: its documents are open again, its sessions are not loaded. */
  restarted: "copydesk/restarted",
  /** The daemon changed a file on the disk that this client may have open. */
  documentChanged: "copydesk/document/changed",
  /** Saves an open document as the user would. */
  documentSave: "copydesk/document/save",
} as const;

/** Error codes. */
export const errors = {
  /** The message is not JSON. */
  parseError: -32700,
  /** The message is not a request. */
  invalidRequest: -32600,
  /** The method does not exist, or not in this direction. */
  methodNotFound: -32601,
  /** The params are invalid; the message says where. */
  invalidParams: -32602,
  /** A bug in the daemon; please report the message. */
  internalError: -32603,
  /** The client has to send `initialize` first. */
  serverNotInitialized: -32002,
  /** Cancelled. The daemon never sends it (law 3); from a client it means `cancelled`. */
  requestCancelled: -32800,
  /** The document changed meanwhile. The daemon never sends it; from a client it means: ask again. */
  contentModified: -32801,
  /** The request was valid but failed; the message says why. */
  requestFailed: -32803,
  /** The session does not exist; it may have been deleted. */
  unknownSession: -31001,
  /** The session has no such part or turn. */
  unknownPart: -31002,
  /** The model does not exist or cannot be used now; the message says what is missing. */
  unknownModel: -31003,
  /** The user can choose no agent of that name. */
  unknownAgent: -31004,
  /** Daemon and extension do not speak the same protocol; the message says which to update and how. */
  protocolMismatch: -31005,
  /** The request fails while a turn runs; cancel the turn or wait for its end. */
  busy: -31006,
} as const;

/** Requests that a client sends. */
export interface RequestsToDaemon {
  /** Creates a session, and stores it at once. */
  "copydesk/session/new": { params: SessionNewParams; result: SessionResult };
  /** Lists sessions, last used first. */
  "copydesk/session/list": { params: SessionListParams; result: SessionListResult };
  /** Lists the sessions of a folder that run, wait for the user, or have undecided hunks. */
  "copydesk/session/pending": { params: SessionPendingParams; result: SessionPendingResult };
  /** Attaches this client to a session: it gets the present state, and from then on the session's events and asks. */
  "copydesk/session/load": { params: SessionLoadParams; result: SessionLoadResult };
  /** Returns earlier parts of a session, page by page. Does not attach. */
  "copydesk/session/parts": { params: SessionPartsParams; result: SessionPartsResult };
  /** Detaches this client from a session. A running turn continues. */
  "copydesk/session/leave": { params: SessionParams; result: Empty };
  /** Creates a session with the history of another one before a part. The other session does not change. */
  "copydesk/session/fork": { params: SessionForkParams; result: SessionResult };
  /** Sets the title of a session. */
  "copydesk/session/rename": { params: SessionRenameParams; result: SessionResult };
  /** Deletes a session and its history. Cancels a running turn first. */
  "copydesk/session/delete": { params: SessionParams; result: Empty };
  /** Sets the model of a session, from its next turn on. */
  "copydesk/session/setModel": { params: SessionSetModelParams; result: SessionResult };
  /** Sets the agent of a session, from its next turn on. */
  "copydesk/session/setAgent": { params: SessionSetAgentParams; result: SessionResult };
  /** Sets whether a session's edits are reviewed before or after they are made, from the next edit on. */
  "copydesk/session/setReview": { params: SessionSetReviewParams; result: SessionResult };
  /** Sets what runs unasked in a session, from the next call on. */
  "copydesk/session/setPreset": { params: SessionSetPresetParams; result: SessionResult };
  /** Finds sessions by their content. */
  "copydesk/session/search": { params: SessionSearchParams; result: SessionSearchResult };
  /** Prompts. Answers at once; events report the turn. While a turn runs, the prompt is queued. */
  "copydesk/turn/start": { params: TurnParams; result: TurnStartResult };
  /** Prompts into the running turn: the model reads it at its next step. Without a turn it starts one. */
  "copydesk/turn/steer": { params: TurnParams; result: TurnSteerResult };
  /** Cancels the running turn and all its asks. Answers at once. Does nothing without a turn. */
  "copydesk/turn/cancel": { params: SessionParams; result: Empty };
  /** Stops one running call, such as a command. The model is told, and the turn continues. Does nothing if the call has ended. */
  "copydesk/turn/stopCall": { params: TurnStopCallParams; result: Empty };
  /** Reverts the agent's edits of files, and nothing else. */
  "copydesk/undo": { params: UndoParams; result: UndoResult };
  /** Reverts the last undo of a session. */
  "copydesk/redo": { params: SessionParams; result: UndoResult };
  /** Lists the agent's undecided edits. */
  "copydesk/review/list": { params: ReviewListParams; result: ReviewListResult };
  /** Decides hunks. The result says which decisions were refused and why; those change nothing. */
  "copydesk/review/decide": { params: ReviewDecideParams; result: ReviewDecideResult };
  /** Comments on an edit without deciding it. The model reads the comment at its next step. */
  "copydesk/review/comment": { params: ReviewCommentParams; result: ReviewCommentResult };
  /** Asks the session's model to rewrite a range of a document. Answers at once; the edit grows in a review. */
  "copydesk/inline/start": { params: InlineStartParams; result: InlineStartResult };
  /** Asks the model to change an undecided inline edit. */
  "copydesk/inline/refine": { params: InlineRefineParams; result: Empty };
  /** Drops an inline edit, while the model writes it or after. The document is unchanged. */
  "copydesk/inline/cancel": { params: InlineCancelParams; result: Empty };
  /** Lists the models that can be used now. */
  "copydesk/models": { params: ModelsParams; result: ModelsResult };
  /** Lists the providers of models, and what those lack that cannot be used. Looks for servers on the daemon's machine. */
  "copydesk/provider/list": { params: ProviderListParams; result: ProviderListResult };
  /** Stores the user's key for a provider. */
  "copydesk/provider/setKey": { params: ProviderSetKeyParams; result: ProviderSetKeyResult };
  /** Lists the agents that a user can choose. */
  "copydesk/agents": { params: AgentsParams; result: AgentsResult };
  /** Returns the state of the daemon. */
  "copydesk/status": { params: Empty; result: StatusResult };
  /** Records whether the user trusts a folder. Only a user's own choice may be sent. */
  "copydesk/trust/set": { params: TrustSetParams; result: TrustInfo };
  /** Lists what the user always allows in a project and in its running sessions. */
  "copydesk/permission/list": { params: PermissionListParams; result: PermissionListResult };
  /** Takes back what the user always allows. Only a user's own choice may be sent. */
  "copydesk/permission/revoke": { params: PermissionRevokeParams; result: PermissionRevokeResult };
  /** Explains which rules decide about a call, without making it. */
  "copydesk/permission/explain": { params: PermissionExplainParams; result: PermissionExplainResult };
  /** Restarts language servers of the daemon, also those that it gave up. */
  "copydesk/servers/restart": { params: ServersRestartParams; result: ServersRestartResult };
  /** Returns the diagnostics of the client's own language servers, and the certainty that they are for the present text. */
  "copydesk/diagnostics": { params: DiagnosticsParams; result: DiagnosticsResult };
  /** Checks whether the daemon has the text that a document has in the editor. */
  "copydesk/document/verify": { params: DocumentVerifyParams; result: DocumentVerifyResult };
  /** Changes how much the daemon logs. */
  "copydesk/log/set": { params: LogSetParams; result: LogSetResult };
  /** Stops the daemon. */
  "copydesk/stop": { params: StopParams; result: StopResult };
}

/** Requests that a client answers. */
export interface RequestsToClient {
  /** Asks the user to approve a call. Sent to every attached client; the first reply wins. */
  "copydesk/permission/ask": { params: PermissionAskParams; result: PermissionReply };
  /** Asks the user the agent's questions. Sent to every attached client; the first reply wins. */
  "copydesk/question/ask": { params: QuestionAskParams; result: QuestionReply };
  /** Names the editor's own language servers of a document. */
  "copydesk/editor/servers": { params: EditorServersParams; result: EditorServersResult };
  /** Sends a request to one of the editor's own language servers. */
  "copydesk/editor/serverRequest": { params: EditorServerMessageParams; result: EditorServerResponse };
  /** Returns the user's selection. */
  "copydesk/editor/selection": { params: Empty; result: SelectionResult };
  /** Returns the files that the user has open. */
  "copydesk/editor/openFiles": { params: Empty; result: OpenFilesResult };
  /** Shows a range of a document in the editor. */
  "copydesk/editor/show": { params: ShowParams; result: ShowResult };
  /** Saves an open document as the user would. */
  "copydesk/document/save": { params: DocumentSaveParams; result: DocumentSaveResult };
}

/** Notifications that a client gets. */
export interface NotificationsToClient {
  /** An event of a session that this client is attached to. */
  "copydesk/event": { params: EventParams };
  /** An ask needs no reply any more. A client that still shows it removes it and answers `cancelled`. */
  "copydesk/permission/settled": { params: PermissionSettledParams };
  /** Questions need no reply any more. A client that still shows them removes them and answers `cancelled`. */
  "copydesk/question/settled": { params: QuestionSettledParams };
  /** The daemon needs a document no more: the editor may unload it. */
  "copydesk/editor/serversDone": { params: EditorServersDoneParams };
  /** Sends a notification to one of the editor's own language servers. */
  "copydesk/editor/serverNotify": { params: EditorServerMessageParams };
  /** A new daemon serves this client: its documents are open again, its sessions are not loaded. */
  "copydesk/restarted": { params: Empty };
  /** The daemon changed a file on the disk that this client may have open. */
  "copydesk/document/changed": { params: DocumentChangedParams };
}

/** A named set of prompt, model and rules. */
export interface AgentInfo {
  /** Its name. */
  name: string;
  /** When to use it. */
  description: string;
  /** `PROVIDER/MODEL`, if it has its own. */
  model?: string;
}

/** The agent that the session continues as after `plan_enter` or `plan_exit`. */
export interface AgentSwitchMetadata {
  /** The plan that the user approved, for `plan_exit`. */
  path?: string;
  /** The agent's name. */
  agent: string;
}

/** Which agents to list. */
export interface AgentsParams {
  /** The folder whose configuration applies; by default the client's first workspace folder. */
  folder?: string;
}

/** The agents that a user can choose. */
export interface AgentsResult {
  /** The default comes first. */
  agents: AgentInfo[];
}

/** Where a reply of `always` counts. */
export type AlwaysScopeInfo =
  /** In this session. */
  | "session"
  /** In every session of the project, while the user trusts it. The daemon keeps it outside the repository. */
  | "project";

/** Whether an editor could answer. If not, the daemon asks its own language servers. */
export type AnswerState =
  /** It could, even if the result is empty. */
  | "answered"
  /** No language server of this editor supports the request. */
  | "unsupported"
  /** A language server supports it, but is not ready yet. */
  | "starting"
  /** The daemon's timeout has passed, or the user cancelled the work. */
  | "cancelled";

/** A question. */
export interface AskedQuestionMetadata {
  /** A word or two; may be empty. */
  header: string;
  /** The question itself. */
  text: string;
}

/** A command that `bash` started in the background. */
export interface BackgroundCommandMetadata {
  /** The job's number. */
  job: number;
  /** The file with everything that it prints. */
  file?: string;
  /** Whether it runs in the sandbox; missing if the sandbox is off. */
  sandboxed?: boolean;
}

/** What a `batch` ran. Each call also has a part of its own. */
export interface BatchMetadata {
  /** The calls, in their order. */
  calls: BatchedCallMetadata[];
  /** How many calls did not run because one batch takes no more. */
  surplus: number;
  /** Whether one of them looked at a background command that still runs; missing if not. */
  running?: boolean;
}

/** A call of a `batch`. */
export interface BatchedCallMetadata {
  /** The tool's name. */
  name: string;
  /** The title of its output. */
  title: string;
  /** Whether it failed. */
  isError: boolean;
}

/** A tool call. */
export interface CallInfo {
  /** The model's id of this call, unique within its step. */
  call: string;
  /** The tool's name; `invalid` if the model named none that we know. */
  name: string;
  /** JSON as the model wrote it; once the call runs, as the daemon read it. Incomplete while the model writes it. */
  arguments: string;
  /** The part of the call that made this one, such as a `batch`. */
  parent?: string;
  /** The `metadata` of the running call's last `progress` event. */
  progress?: CallMetadata;
  /** Its output; missing until it ends. */
  output?: CallOutputInfo;
}

/** What a view shows of a call: the fields of its tool, and `CallNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own. */
export type CallMetadata =
  /** `edit`, `multiedit`, `write`, `apply_patch`, `refactor` */
  | EditMetadata
  /** `task` */
  | TaskMetadata
  /** `todowrite`, `todoread` */
  | TodoListMetadata
  /** `question` */
  | QuestionsMetadata
  /** `batch` */
  | BatchMetadata
  /** `webfetch` */
  | WebPageMetadata
  /** `websearch`, `codesearch` */
  | WebSearchMetadata
  /** `skill` */
  | SkillMetadata
  /** `read` of a text */
  | TextPageMetadata
  /** `read` of an image or a PDF */
  | MediaFileMetadata
  /** `lsp` */
  | CodePlacesMetadata
  /** `grep` */
  | TextSearchMetadata
  /** `glob`, `list`, `read` of a folder */
  | FileListMetadata
  /** `job` */
  | JobMetadata
  /** `bash` in the background */
  | BackgroundCommandMetadata
  /** `plan_enter`, `plan_exit` */
  | AgentSwitchMetadata
  /** `bash` */
  | CommandMetadata
  /** Beside the fields of any tool. */
  | CallNotes;

/** What the daemon adds to the fields of any tool. */
export interface CallNotes {
  /** What the daemon repaired in the arguments that the model wrote, one line each. */
  repaired?: string[];
  /** The permission key that the daemon asked for before it ran the call, and that was denied: the call did not run. */
  refused?: string;
}

/** The output of a call. */
export interface CallOutputInfo {
  /** One line for the user. */
  title: string;
  /** What the model reads. */
  output: string;
  /** Whether the call failed, as the model sees it. */
  isError?: boolean;
  /** What the user is shown. */
  metadata?: CallMetadata;
  /** Images and PDFs that the call returned. */
  media?: MediaContent[];
  /** How long the call took. */
  milliseconds: number;
}

/** How a file changed. */
export type ChangeReason =
  /** It was created, or a command changed it and it may be new. */
  | "created"
  /** Its content changed. */
  | "written"
  /** It was deleted. */
  | "deleted";

/** A file and how it is changed. */
export interface ChangedFileMetadata {
  /** Its absolute path. */
  filepath: string;
  /** In unified form; empty where the diffs of the call are too long together. */
  diff?: string;
  /** Lines that were added. */
  additions: number;
  /** Lines that were removed. */
  deletions: number;
  /** The absolute path that it was moved from. */
  from?: string;
  /** Its path for users, relative to the workspace; only if there are several files. */
  path?: string;
}

/** How a client introduces itself: `initializationOptions.copydesk`. */
export interface ClientHello {
  /** The version of the protocol that it speaks. */
  protocol: number;
  /** Its name, such as `vscode` or `nvim`. */
  client: string;
  /** The extension's version. */
  version: string;
}

/** A place in code. */
export interface CodePlaceMetadata {
  /** The absolute path. */
  path: string;
  /** From 1. */
  line: number;
  /** From 1, in characters. */
  column: number;
  /** The text of the line, or the name of what is there. */
  text: string;
}

/** Places in code that `lsp` found. */
export interface CodePlacesMetadata {
  /** Those that are listed, at most 200. */
  places: CodePlaceMetadata[];
  /** How many there are. */
  matches: number;
  /** Whether there are more than listed. */
  truncated: boolean;
  /** What the call waits for, while it runs. */
  waiting?: string;
}

/** A command that `bash` would run. */
export interface CommandAskMetadata {
  /** The command. A view shows it, whatever the title says. */
  command: string;
  /** The folder that it would run in, relative to the workspace. */
  workdir: string;
  /** What the model says that it does. */
  description?: string;
  /** Whether it would run in the sandbox; missing if the sandbox is off. */
  sandboxed?: boolean;
  /** What it could change and reach in the sandbox, or why it would run outside. */
  sandboxNote?: string;
}

/** A command of `bash`. While it runs there is only `output`. */
export interface CommandMetadata {
  /** The exit code; missing while it runs, and if a signal, the timeout or the user ended it. */
  exit?: number;
  /** Whether it printed more than the output holds; missing while it runs. */
  truncated?: boolean;
  /** The signal that ended it. */
  signal?: number;
  /** Whether it was ended at its timeout; missing if not. */
  timedOut?: boolean;
  /** Whether it ran in the sandbox; missing if the sandbox is off. */
  sandboxed?: boolean;
  /** Why it did not run in the sandbox, or what the sandbox probably stopped. */
  sandboxNote?: string;
  /** The end of what it has printed so far; when it is done, only if it failed. */
  output?: string;
  /** What is wrong with files that it changed; missing if nothing was checked. */
  diagnostics?: DiagnosticsMetadata;
}

/** A compaction of the conversation. */
export interface CompactionInfo {
  /** Why it is made. */
  reason: CompactionReasonInfo;
  /** What the model reads instead; empty while it is being written. */
  summary: string;
  /** The model that wrote the summary, as `PROVIDER/MODEL`; none if the daemon made it by rule. */
  model?: string;
  /** Why the model's own summary does not count, for the user. */
  failure?: string;
  /** About how many tokens a request had before. */
  tokensBefore: number;
  /** About how many tokens it has now; 0 while the summary is being written. */
  tokensAfter: number;
  /** What the provider charged for the summary, in US dollars, if the price is known. */
  cost?: number;
}

/** Why a conversation is compacted. */
export type CompactionReasonInfo =
  /** It comes near the end of the model's context. */
  | "full"
  /** The provider refused a request because it was too long. */
  | "refused"
  /** The user asked for it, with the prompt `/compact`. */
  | "asked";

/** Something that the user points at: a document, a range of it, or another text in the editor. */
export interface ContextItem {
  /** The document. */
  uri: string;
  /** The range in it; by default the whole document. */
  range?: WireRange;
  /** The text as the user saw it; by default the daemon reads the document. */
  text?: string;
}

/** What fills the model's context, in tokens. The sum is the provider's count if it counts; the shares are estimates. */
export interface ContextUseInfo {
  /** The size of the context, as far as known. */
  window: number;
  /** The system prompt, with the instruction files. */
  system: number;
  /** The descriptions of the tools. */
  tools: number;
  /** What `read` returned, and what the user attached. */
  files: number;
  /** The outputs of the other calls. */
  outputs: number;
  /** Prompts, notes, and what the model wrote. */
  conversation: number;
  /** The summary of the older part. */
  summary: number;
}

/** A line of a hunk that is longer than what was sent of it. */
export interface CutLineInfo {
  /** The line, counted from the hunk's first line. */
  line: number;
  /** The length of the whole line in bytes, without its line ending. */
  bytes: number;
}

/** How the daemon introduces itself: `capabilities.experimental.copydesk`. */
export interface DaemonHello {
  /** The version of the protocol that it speaks. */
  protocol: number;
  /** The daemon's version. */
  version: string;
  /** The daemon's process id. */
  pid: number;
}

/** One diagnostic. */
export interface DiagnosticInfo {
  /** Where. */
  range: WireRange;
  /** Its severity. */
  severity: SeverityInfo;
  /** The server's code for this kind of problem, such as `E0308`. */
  code?: string;
  /** The tool that reports it, such as `rustc`. */
  source?: string;
  /** What is wrong. */
  message: string;
  /** The problem in another file that it repeats, as in a file that includes a broken one. */
  echoOf?: WireLocation;
}

/** What changes made wrong, and how sure that is. A source with the proof `unknown` is not clean: a view says so. */
export interface DiagnosticsMetadata {
  /** Who was asked, and how sure the answer is. */
  reports: ProblemSourceMetadata[];
  /** Problems that the change made. */
  new: ProblemMetadata[];
  /** Problems that may be new: the baseline is not known. */
  unsure: ProblemMetadata[];
  /** How many older problems the change fixed. */
  fixed: number;
  /** How many older problems remain. */
  remaining: number;
  /** How long the daemon waited for the sources. */
  waitedMs: number;
  /** How many problems are in neither list because there are too many. */
  unlisted?: number;
}

/** Which diagnostics to return. */
export interface DiagnosticsParams {
  /** The document; by default all that the editor has diagnostics for. */
  uri?: string;
  /** The version of the document that they must be for, as in LSP. */
  version?: number;
  /** How long to wait for that version, in milliseconds; by default not at all. */
  wait?: number;
  /** How much of `wait` to spend on language servers that are not ready, in milliseconds; by default all of it. */
  waitReady?: number;
}

/** The diagnostics of the editor's language servers. */
export interface DiagnosticsResult {
  /** Whether the editor could answer. */
  state: AnswerState;
  /** One entry for the requested document, or for every document with diagnostics. */
  files?: FileDiagnostics[];
}

/** A file that the daemon, or a command of the agent, changed on the disk. */
export interface DocumentChangedParams {
  /** The file. */
  uri: string;
  /** How it changed. */
  reason: ChangeReason;
}

/** What to save. */
export interface DocumentSaveParams {
  /** The document. */
  uri: string;
}

/** Whether the document is saved. */
export interface DocumentSaveResult {
  /** Whether the file now has the document's text. */
  saved: boolean;
  /** Why not. */
  message?: string;
}

/** The text of a document in the editor. */
export interface DocumentVerifyParams {
  /** The document. */
  uri: string;
  /** Its version. */
  version: number;
  /** The length of the text in bytes of UTF-8, with its line ends. */
  bytes: number;
  /** Its SHA-256 in hexadecimal. It may be missing; then only the length is compared. */
  sha256?: string;
}

/** Whether the daemon has the same text. */
export interface DocumentVerifyResult {
  /** False if its text of this version is another. Then the client closes the document and opens it again. */
  same: boolean;
}

/** What a call changed, or an ask would change: one file or several. */
export type EditMetadata =
  /** One file. */
  | FileEditMetadata
  /** Several, or none of those that are shown. */
  | MultiFileEditMetadata;

/** A message for a language server of the editor. */
export interface EditorServerMessageParams {
  /** The server. */
  server: number;
  /** The daemon's number of a request. A notification has none; `$/cancelRequest` names the number of the request that it ends. */
  id?: number;
  /** The message's method. */
  method: string;
  /** The message's params. */
  params?: unknown;
  /** The document that it is about. If the server has another version of it, the message is not sent. */
  document?: ServerDocumentVersion;
  /** Until the response, the editor does not make the edits that the server asks for (`workspace/applyEdit`). It answers that they are made, and reports them as received: the user reviews them first. */
  takesEdits?: boolean;
}

/** The server's response. */
export interface EditorServerResponse {
  /** Its result. */
  result?: unknown;
  /** Why there is none. */
  error?: ServerResponseError;
}

/** The daemon needs a document no more. */
export interface EditorServersDoneParams {
  /** The document. */
  uri: string;
}

/** Which language servers of the editor serve a document. */
export interface EditorServersParams {
  /** The document. With a time to wait, the editor loads it if it is not open. */
  uri: string;
  /** How long to wait for servers that still start, in milliseconds; not at all if it is missing. */
  wait?: number;
}

/** The servers. By now they were told of the document as it is, and the editor has reported that, or does so next. */
export interface EditorServersResult {
  /** Whether there are any; `starting` if one of them still starts. */
  state: AnswerState;
  /** The document, as the servers know it. */
  uri?: string;
  /** The version under which the editor sends the document to the daemon; missing if it does not. */
  version?: number;
  /** Those that were started. */
  servers?: number[];
}

/** An object without fields. */
export type Empty = Record<string, never>;

/** An event. A client ignores events that it does not know. */
export type EventInfo =
  /** The session's title, agent, model or time changed. */
  | {
      event: "session";
      /** Its present state. */
      session: SessionInfo;
    }
  /** A turn starts. */
  | {
      event: "turnStarted";
      /** Its number, from 1. */
      turn: number;
      /** The id of the prompt that started it. Its part follows, unless the store rejects it. */
      prompt: string;
    }
  /** A part is new or has changed; a known id replaces the client's copy. */
  | {
      event: "part";
      /** The whole part. */
      part: PartInfo;
    }
  /** An unfinished part has grown. */
  | {
      event: "delta";
      /** The part's id. */
      part: string;
      /** To append to the `text` of a text or reasoning, or to the `arguments` of a call. */
      text: string;
    }
  /** A part is dropped, because its attempt failed. The client removes it. */
  | {
      event: "void";
      /** The part's id. */
      part: string;
    }
  /** A running call shows something; it replaces what it showed before. */
  | {
      event: "progress";
      /** The part's id. */
      part: string;
      /** What the user is shown. */
      metadata: CallMetadata;
    }
  /** A call waits for the user. Clients reply to the request `copydesk/permission/ask`, not to this event. */
  | ({ event: "asked" } & PermissionAskInfo)
  /** A client replied, or the ask needs no reply any more. */
  | {
      event: "settled";
      /** The ask's id. */
      ask: string;
    }
  /** The agent waits for answers. Clients reply to the request `copydesk/question/ask`, not to this event. */
  | ({ event: "questioned" } & QuestionAskInfo)
  /** A client answered, or the questions need no answer any more. */
  | {
      event: "answered";
      /** The id of the questions. */
      question: string;
    }
  /** The undecided hunks changed: the agent edited, or the user decided or typed. */
  | ({ event: "reviewChanged" } & ReviewChange)
  /** Decisions and comments that the model has not read yet: all of them, at most the last 50. A note tells the model at its next step; then there are none. */
  | {
      event: "feedback";
      /** The oldest first. */
      items: FeedbackInfo[];
    }
  /** A background command started or ended, in a turn or between two. */
  | {
      event: "jobs";
      /** Those that run now. */
      running: JobInfo[];
      /** Those that have ended since the last such event. */
      ended: JobInfo[];
    }
  /** A turn ended. Exactly one for every `turnStarted`. */
  | {
      event: "turnEnded";
      /** Its number. */
      turn: number;
      /** Why. */
      end: TurnEndInfo;
    }
  /** A warning about the session's setup, such as an ignored configuration key or instructions that could not be fetched. The work continues. */
  | {
      event: "warning";
      /** For the user. */
      message: string;
    }
  /** The session was deleted. This is its last event, and all clients are detached. */
  | { event: "deleted" };

/** An event and its number among the events of its session. */
export interface EventParams {
  /** The session's id. */
  session: string;
  /** Increases by one with every event of the session while the daemon runs. A client that sees a gap loads again. */
  seq: number;
  /** What happened. */
  event: EventInfo;
}

/** What a user did with an edit, or said about lines, that the model has not read yet. */
export interface FeedbackInfo {
  /** The path of the document for the user. */
  path: string;
  /** The first line, from 1, at the time; 0 is the file itself. */
  line: number;
  /** How many lines. */
  lines: number;
  /** What happened. */
  kind: FeedbackKindInfo;
  /** What the user said about it. */
  comment?: string;
}

/** What a user did with an edit. */
export type FeedbackKindInfo =
  /** Accepted it, perhaps with changes or only in part. */
  | "accepted"
  /** Rejected it, or a part of it. */
  | "rejected"
  /** Commented on lines without a decision. */
  | "commented";

/** An address that `webfetch` would load. */
export interface FetchAskMetadata {
  /** The address. */
  url: string;
}

/** A file that a task changed. */
export interface FileChangeStats {
  /** Its absolute path. */
  filepath: string;
  /** Lines that were added. */
  additions: number;
  /** Lines that were removed. */
  deletions: number;
}

/** The diagnostics of one document. */
export interface FileDiagnostics {
  /** The document. */
  uri: string;
  /** The version of the document when the editor collected them, as in LSP; missing if it is not open. */
  version?: number;
  /** The certainty that they are for that version. */
  proof: ProofLevel;
  /** Why that is not known; only with `unknown`. */
  why?: string;
  /** All of them. */
  items: DiagnosticInfo[];
  /** Sources that have not seen this text because they check only saved files, such as the compiler behind a language server; by the `source` of their diagnostics. */
  unseen?: string[];
}

/** A change to one file. */
export interface FileEditMetadata {
  /** Its absolute path. */
  filepath: string;
  /** In unified form; empty where the diffs of the call are too long together. */
  diff?: string;
  /** Lines that were added. */
  additions: number;
  /** Lines that were removed. */
  deletions: number;
  /** The absolute path that it was moved from. */
  from?: string;
  /** Its path for users, relative to the workspace; only if there are several files. */
  path?: string;
  /** What the change made wrong, or would; missing if nothing was checked. */
  diagnostics?: DiagnosticsMetadata;
  /** How many places each tier of the matcher found, by its name: `exact`, `indentation`, … */
  tiers?: Record<string, number>;
}

/** A created, deleted or renamed file. */
export interface FileHunkInfo {
  /** Its id. */
  hunk: string;
  /** The value of `expected` in a decision on it. */
  expected: string;
  /** What the agent did. */
  kind: FileHunkKind;
  /** Its old path, if the agent renamed it. */
  from?: string;
  /** The ids of the parts of the calls that did it. */
  by: string[];
}

/** What the agent did to a file. */
export type FileHunkKind =
  /** Rejecting deletes it. */
  | "created"
  /** Rejecting restores it. */
  | "deleted"
  /** Rejecting restores its old name. */
  | "renamed";

/** Files and folders that `glob`, `list` or `read` listed. */
export interface FileListMetadata {
  /** How many are listed. */
  count: number;
  /** Whether there are more. */
  truncated: boolean;
}

/** Changed lines. */
export interface HunkInfo {
  /** Its id, which does not change. */
  hunk: string;
  /** The value of `expected` in a decision on it. The daemon refuses the decision if the hunk has changed since. */
  expected: string;
  /** Its first line in the document, from 0: of the new lines *after*, of the old ones *before*. If the document has none of them, the line before which they belong. A client whose text changed since checks that the lines are still there. */
  line: number;
  /** Old lines without line endings; at most 2,000, and 1 MB. A line above 8 KB is cut to its beginning. */
  old: string[];
  /** New lines without line endings, with the same limits. */
  new: string[];
  /** The lines of `old` that are cut. */
  oldCut?: CutLineInfo[];
  /** The lines of `new` that are cut. */
  newCut?: CutLineInfo[];
  /** How many old lines there are. */
  oldLines: number;
  /** How many new lines there are. */
  newLines: number;
  /** The differences within lines; only for short hunks. */
  words?: WordDiffInfo[];
  /** The ids of the parts of the calls that made it. */
  by: string[];
  /** The user has typed in it. */
  edited?: boolean;
  /** The editor is carrying out a decision on it. */
  deciding?: boolean;
  /** The problems in its new lines that the agent's edits caused, as far as known; only if the edit is made. */
  problems?: HunkProblem[];
}

/** Lines of a hunk, counted from its first line on each side. */
export interface HunkLines {
  /** Old lines. */
  old?: number[];
  /** New lines. */
  new?: number[];
}

/** One problem in a new line of a hunk. */
export interface HunkProblem {
  /** The line, counted from the hunk's first line. */
  line: number;
  /** Its severity. */
  severity: SeverityInfo;
  /** The source's code for this kind of problem, such as `E0308`. */
  code?: string;
  /** The source that reports it, such as `rust-analyzer`. */
  source: string;
  /** What is wrong, in one line. */
  message: string;
}

/** The inline edit to drop. */
export interface InlineCancelParams {
  /** The session's id. */
  session: string;
  /** The review of the edit. */
  review: string;
}

/** How to change an inline edit. */
export interface InlineRefineParams {
  /** The session's id. */
  session: string;
  /** The review of the edit. */
  review: string;
  /** What to change; if blank or missing, the model tries again. */
  instruction?: string;
}

/** What to rewrite, and how. */
export interface InlineStartParams {
  /** The session whose model writes. The edit is not part of the conversation. */
  session: string;
  /** The document. */
  uri: string;
  /** The selection. */
  range: WireRange;
  /** The user's instruction; empty if there is a text. */
  instruction?: string;
  /** The replacement, if it is written already, such as code from the conversation. Then no model is asked. */
  text?: string;
}

/** The review of the edit. */
export interface InlineStartResult {
  /** The id of a review `before`, which grows as the model writes. */
  review: string;
}

/** A command in the background. None outlives its session. */
export interface JobInfo {
  /** Its number, as the agent calls it. */
  id: number;
  /** The first line of the command. */
  command: string;
  /** `running for 3.0 s`, `exit code 1 after 3.0 s`. */
  state: string;
}

/** A background command that `job` looked at, waited for or stopped. */
export interface JobMetadata {
  /** The job's number. */
  job: number;
  /** Whether it still runs. */
  running: boolean;
}

/** One pattern that the user always allows. */
export interface KeptReplyInfo {
  /** The key of the rules, such as `bash`. */
  key: string;
  /** What is allowed. */
  pattern: string;
  /** Where it counts. */
  scope: AlwaysScopeInfo;
  /** The session, for the scope `session`. */
  session?: string;
  /** When the user allowed it, in milliseconds since 1970; for the scope `project`. */
  since?: number;
}

/** What a client needs that missed events of a turn. */
export interface LastTurnInfo {
  /** Its number. */
  turn: number;
  /** The id of its prompt. */
  prompt: string;
  /** Why it ended; missing while it runs. */
  end?: TurnEndInfo;
}

/** How long a log level holds. */
export type LogLevelEnd =
  /** Until the daemon exits. */
  | "exit"
  /** Until this client detaches. */
  | "detach";

/** What the daemon logs from now on. */
export interface LogSetParams {
  /** `off`, `error`, `warn`, `info`, `debug` or `trace`, or for one crate of the daemon `servers=debug`; separated by commas. Without it, the level that the daemon was started with. */
  level?: string;
  /** How long the level holds; without it, until the daemon exits. */
  until?: LogLevelEnd;
}

/** The level that holds now. */
export interface LogSetResult {
  /** In the form of the params. */
  level: string;
}

/** How often a tier of matching located an edit. */
export interface MatchTierCount {
  /** `exact`, or the difference that it ignores: `indentation`, `typography`, … */
  tier: string;
  /** How often. */
  count: number;
}

/** An image or a PDF. */
export interface MediaContent {
  /** The MIME type, such as `image/png`. */
  mime: string;
  /** The bytes, as base64 with padding. */
  base64: string;
  /** The name of the file, if it has one. */
  name?: string;
}

/** An image or a PDF that `read` showed the model. */
export interface MediaFileMetadata {
  /** Such as `image/png`. */
  mime: string;
}

/** A language server that is not installed. */
export interface MissingServer {
  /** Its name. */
  name: string;
  /** The language that it is for. */
  language: string;
  /** How to install it. */
  hint: string;
}

/** A model that can be used. */
export interface ModelInfo {
  /** `PROVIDER/MODEL` */
  id: string;
  /** Its name for users. */
  name: string;
  /** The provider's name for users. */
  provider: string;
  /** The size of its context window in tokens, if known. */
  context?: number;
  /** The most tokens that it can write, if known. */
  output?: number;
  /** It runs on the daemon's machine. */
  local?: boolean;
  /** It is the built-in model, which answers until another is set up and can do little. */
  offline?: boolean;
}

/** Whose default model to name. */
export interface ModelsParams {
  /** The folder whose configuration applies; by default the client's first workspace folder. */
  folder?: string;
  /** The agent's name; by default the configured one. */
  agent?: string;
  /** Also list the models of servers on the daemon's machine, which are asked first. One that hangs costs half a second. */
  local?: boolean;
}

/** The models that can be used now. */
export interface ModelsResult {
  /** Grouped by provider. */
  models: ModelInfo[];
  /** `PROVIDER/MODEL`: the model of a session of this agent in this folder whose user chose none. */
  default?: string;
}

/** Changes to several files. */
export interface MultiFileEditMetadata {
  /** The files and their changes. */
  files: ChangedFileMetadata[];
  /** Lines that were added, in all of them. */
  additions: number;
  /** Lines that were removed, in all of them. */
  deletions: number;
  /** What the changes made wrong, or would; missing if nothing was checked. */
  diagnostics?: DiagnosticsMetadata;
  /** How many places each tier of the matcher found, by its name: `exact`, `indentation`, … */
  tiers?: Record<string, number>;
}

/** A file that the user has open. */
export interface OpenFile {
  /** The document. */
  uri: string;
  /** It has the focus. */
  active?: boolean;
  /** It is visible in a window. */
  visible?: boolean;
  /** It has unsaved changes. */
  dirty?: boolean;
  /** Its LSP language id. */
  language?: string;
}

/** The files that the user has open. */
export interface OpenFilesResult {
  /** Last used first, if the editor knows. */
  files?: OpenFile[];
}

/** The content of a part. */
export type PartContentInfo =
  /** A prompt. */
  | ({ kind: "prompt" } & PromptInfo)
  /** An image or a PDF that came with a prompt. */
  | ({ kind: "file" } & MediaContent)
  /** The model's answer. */
  | ({ kind: "text" } & TextContent)
  /** The model's reasoning, as far as the provider shows it. */
  | ({ kind: "reasoning" } & TextContent)
  /** A tool call. */
  | ({ kind: "call" } & CallInfo)
  /** A model request starts. */
  | {
      kind: "stepStart";
      /** `PROVIDER/MODEL` */
      model: string;
    }
  /** A model request ended. */
  | ({ kind: "stepFinish" } & StepFinishInfo)
  /** A model request failed, and the daemon will retry it. */
  | {
      kind: "retry";
      /** The number of the retry, from 1. */
      attempt: number;
      /** Why the request failed, for the user. */
      message: string;
      /** When the daemon retries, in milliseconds since 1970. */
      at: number;
    }
  /** A note of the daemon that the model reads at its next step. */
  | ({ kind: "note" } & TextContent)
  /** For the model, a summary takes the place of the older part of the conversation. Nothing is removed for the user. While it runs, the summary is being written. */
  | ({ kind: "compaction" } & CompactionInfo)
  /** For the model, notes take the place of old outputs of calls. Nothing is removed for the user. */
  | ({ kind: "pruning" } & PruningInfo)
  /** The end of a turn that the model did not finish. The turn has no later part. */
  | {
      kind: "turnEnd";
      /** Why it ended. */
      end: TurnEndInfo;
    };

/** One part of a session: a prompt, a text of the model, a call, … */
export interface PartInfo {
  /** Unique. Parts are ordered as they are sent, not by their ids. */
  id: string;
  /** The session's id. */
  session: string;
  /** The number of its turn, from 1. */
  turn: number;
  /** The number of its step, from 1 within the turn; 0 before the first model request. */
  step: number;
  /** When it began, in milliseconds since 1970. */
  created: number;
  /** When it last changed, in milliseconds since 1970. */
  updated: number;
  /** Its state. */
  state: PartStateInfo;
  /** Its content. */
  content: PartContentInfo;
}

/** The state of a part. The daemon has stored every completed part. */
export type PartStateInfo =
  /** It has not started. */
  | { kind: "pending" }
  /** It has started. */
  | { kind: "running" }
  /** It is done. */
  | { kind: "completed" }
  /** It failed. */
  | {
      kind: "error";
      /** Why, for the user. */
      message: string;
    }
  /** The daemon ended, or the user cancelled, while it ran. */
  | { kind: "interrupted" };

/** A session that runs, waits for the user, or has undecided hunks. */
export interface PendingSessionInfo {
  /** The present state of the session. */
  session: SessionInfo;
  /** Whether a turn runs. */
  running: boolean;
  /** How many asks and questions wait for the user. */
  waiting: number;
  /** How many hunks of applied edits are undecided. */
  undecided: number;
}

/** Whether a call runs without asking, after asking, or not at all. */
export type PermissionActionInfo =
  /** It runs without asking. */
  | "allow"
  /** The user is asked. */
  | "ask"
  /** It does not run. */
  | "deny";

/** What a call wants to do. */
export interface PermissionAskInfo {
  /** The ask's id. A client that attaches again gets the same ask again. */
  ask: string;
  /** The id of the call's part, whose event may arrive after the ask. */
  part: string;
  /** The key of the rule that asks, such as `bash` or `edit`. */
  key: string;
  /** What the call needs: each path, each command. */
  patterns: string[];
  /** What `always` would allow from now on. If it is empty, the client does not offer `always`. */
  always: string[];
  /** Whether `always` may be replied with the scope `project`: the user trusts the folder, and a project may keep such a reply. */
  projectAlways?: boolean;
  /** Why the daemon did not accept this client's last reply. The client asks again. */
  problem?: string;
  /** One line for the user. */
  title: string;
  /** The rule that asks, and where it stands. */
  why?: string;
  /** What the user is shown. */
  metadata?: PermissionAskMetadata;
}

/** What a view shows of an ask: the fields of its tool, and `PermissionAskNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own. */
export type PermissionAskMetadata =
  /** `edit`, `multiedit`, `write`, `apply_patch`, `refactor` */
  | EditMetadata
  /** `bash` */
  | CommandAskMetadata
  /** `plan_exit` */
  | PlanAskMetadata
  /** `webfetch` */
  | FetchAskMetadata
  /** `websearch`, `codesearch` */
  | SearchAskMetadata
  /** `task` */
  | TaskAskMetadata
  /** A call that the model repeats, whichever tool it is of. */
  | RepeatedCallAskMetadata
  /** `skill` */
  | SkillAskMetadata
  /** Beside the fields of any tool. */
  | PermissionAskNotes;

/** What the daemon adds to the fields of any ask. */
export interface PermissionAskNotes {
  /** The id of the session that asks, if it works on a task for this one. */
  session?: string;
}

/** An ask and its session. */
export interface PermissionAskParams {
  /** The session's id. */
  session: string;
  /** The ask's id. A client that attaches again gets the same ask again. */
  ask: string;
  /** The id of the call's part, whose event may arrive after the ask. */
  part: string;
  /** The key of the rule that asks, such as `bash` or `edit`. */
  key: string;
  /** What the call needs: each path, each command. */
  patterns: string[];
  /** What `always` would allow from now on. If it is empty, the client does not offer `always`. */
  always: string[];
  /** Whether `always` may be replied with the scope `project`: the user trusts the folder, and a project may keep such a reply. */
  projectAlways?: boolean;
  /** Why the daemon did not accept this client's last reply. The client asks again. */
  problem?: string;
  /** One line for the user. */
  title: string;
  /** The rule that asks, and where it stands. */
  why?: string;
  /** What the user is shown. */
  metadata?: PermissionAskMetadata;
}

/** What is decided about one path or command. */
export interface PermissionDecisionInfo {
  /** The key of the rules. */
  key: string;
  /** The path, or the command as it was understood. */
  pattern: string;
  /** What happens. */
  action: PermissionActionInfo;
  /** The rule that decides, and where it stands. */
  why: string;
}

/** A call to explain without making it. */
export interface PermissionExplainParams {
  /** Where the call would be made. By default the client's first workspace folder. */
  folder?: string;
  /** The key of the rules: `bash`, `read`, `edit`, `webfetch`, … */
  key?: string;
  /** The command, the path or the address. Without `key` as a user types it: such a key and then the call, else a command. */
  target: string;
  /** For this agent. By default the configured one. */
  agent?: string;
  /** Under this preset. By default the configured one. */
  preset?: PermissionPresetInfo;
}

/** What the rules decide about a call. Replies for a session do not count. */
export interface PermissionExplainResult {
  /** The strictest of all decisions. */
  action: PermissionActionInfo;
  /** The agent whose rules count. */
  agent: string;
  /** The preset that counts. */
  preset: PermissionPresetInfo;
  /** Each part of the call. All must be allowed. */
  decisions: PermissionDecisionInfo[];
  /** What `always` would allow. */
  always: string[];
  /** Where a command would run, if the sandbox is on. */
  sandbox?: PermissionSandboxInfo;
  /** What the rules alone do not decide, in sentences. */
  notes: string[];
}

/** The project whose replies to list. */
export interface PermissionListParams {
  /** A folder of the project. By default the client's first workspace folder. */
  folder?: string;
}

/** What the user always allows in a project. */
export interface PermissionListResult {
  /** The root of the project. */
  project: string;
  /** Whether the user trusts it. If not, the project's replies do not count. */
  trusted: boolean;
  /** Those of the project, then those of its running sessions. */
  replies: KeptReplyInfo[];
}

/** What runs unasked, in one word. */
export type PermissionPresetInfo =
  /** Everything that changes or runs something asks. */
  | "careful"
  /** As `careful`, but commands that only read run unasked, and so do those in the sandbox that change no files by their own words. */
  | "normal"
  /** Edits and commands inside the workspace run unasked; secrets, the network and other folders ask. */
  | "trusting";

/** The reply of the user, or of a client without one. */
export type PermissionReply =
  /** Allow it this time. */
  | { reply: "once" }
  /** Allow it this time, and more from now on. If the daemon cannot accept the patterns, it sends the ask again with a `problem`. */
  | {
      reply: "always";
      /** Where it counts. */
      scope?: AlwaysScopeInfo;
      /** What to allow: the user's own list. By default what the ask lists as `always`. It need not match this call. */
      patterns?: string[];
    }
  /** Reject it. With a reason, the model is told and continues; without one, the turn stops. */
  | {
      reply: "reject";
      /** For the model. Blank counts as missing. */
      reason?: string;
    }
  /** This client has no user, as when a script prompts. The daemon rejects the call; the model is told why and continues. */
  | { reply: "nobody" }
  /** No reply from this client: the ask was settled, or the user closed its window. It stays open for other clients. */
  | { reply: "cancelled" };

/** Which replies to take back: all of the project and its running sessions that have the given properties. */
export interface PermissionRevokeParams {
  /** A folder of the project. By default the client's first workspace folder. */
  folder?: string;
  /** Only this pattern. */
  pattern?: string;
  /** Only this key. */
  key?: string;
  /** Only this scope. */
  scope?: AlwaysScopeInfo;
  /** Of the sessions, only this one. */
  session?: string;
}

/** The replies that were taken back. A waiting call is not affected; the next one is asked about. */
export interface PermissionRevokeResult {
  /** In the order of the list. */
  revoked: KeptReplyInfo[];
}

/** Where a command would run. */
export interface PermissionSandboxInfo {
  /** Whether it would run in the sandbox. */
  sandboxed: boolean;
  /** A sentence: with which rights, or why not in the sandbox. */
  what: string;
}

/** A settled ask. */
export interface PermissionSettledParams {
  /** The session's id. */
  session: string;
  /** The ask's id. */
  ask: string;
  /** The name of the client that replied; missing if it was this one or none. */
  by?: string;
}

/** A plan that would be carried out. */
export interface PlanAskMetadata {
  /** The plan, Markdown. */
  plan: string;
}

/** A problem. */
export interface ProblemMetadata {
  /** The file, relative to the workspace if it is inside. */
  path: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 code units. */
  column: number;
  /** How bad it is. */
  severity: ProblemSeverity;
  /** The source's code for it, such as `E0308`. */
  code?: string;
  /** Who says so. */
  source: string;
  /** What is wrong, in one line. */
  message: string;
}

/** The certainty that an answer is about the current text. */
export type ProblemProof =
  /** The source was asked about this version, or named it. */
  | "proven"
  /** The answer came after the change, and names no version. */
  | "likely"
  /** There is no answer about this text. */
  | "unknown";

/** How bad a problem is, in the words of LSP. */
export type ProblemSeverity =
  /** An error. */
  | "error"
  /** A warning. */
  | "warning"
  /** A remark. */
  | "information"
  /** A hint. */
  | "hint";

/** A source of diagnostics, such as a language server. */
export interface ProblemSourceMetadata {
  /** Its name. */
  source: string;
  /** How sure its answer is. */
  proof: ProblemProof;
  /** Why it is not known, if so. */
  why?: string;
}

/** A prompt of the user, or of the agent that called a subagent. */
export interface PromptInfo {
  /** Its text. */
  text: string;
  /** It arrived during the turn and joined it. */
  steers?: boolean;
  /** The path and lines of each piece of context that goes with it. */
  context?: string[];
}

/** The certainty that diagnostics are for the requested text. */
export type ProofLevel =
  /** A language server answered a pull for this version, or published them with it. */
  | "proven"
  /** They arrived after this version, and have not changed for a while. */
  | "likely"
  /** They may be for an older text. */
  | "unknown";

/** `data` of the error with which `initialize` fails if the two sides do not speak the same protocol. */
export interface ProtocolMismatch {
  /** The version of the protocol that the daemon speaks. */
  desk: number;
  /** The version of the protocol that the client speaks. */
  client: number;
  /** The side to update. */
  update: ProtocolSide;
  /** Always false, because a retry does not help: vscode-languageclient would offer one. */
  retry: boolean;
}

/** One of the two sides. */
export type ProtocolSide =
  /** The daemon. */
  | "desk"
  /** The editor's extension. */
  | "client";

/** A provider of models. */
export interface ProviderInfo {
  /** As in `PROVIDER/MODEL`. */
  id: string;
  /** Its name for users. */
  name: string;
  /** It is a server on the daemon's machine. */
  local?: boolean;
  /** Its models can be used now. */
  usable: boolean;
  /** Where the key in use comes from, if there is one. Never the key. */
  key?: string;
  /** What the user must do before it is usable. */
  missing?: string;
  /** The page where users create a key. */
  keyPage?: string;
}

/** Whose providers to list. */
export interface ProviderListParams {
  /** The folder whose configuration applies; by default the client's first workspace folder. */
  folder?: string;
}

/** The providers, usable or not. */
export interface ProviderListResult {
  /** Usable ones first. Servers of the daemon's machine are listed if they answer or are configured; the built-in model is not. */
  providers: ProviderInfo[];
}

/** A key that the user has typed. */
export interface ProviderSetKeyParams {
  /** The provider's id. */
  provider: string;
  /** The key. The client keeps no copy and does not log it. */
  key: string;
}

/** The key is stored. */
export interface ProviderSetKeyResult {
  /** It replaced another one. */
  replaced: boolean;
  /** Where the key in use comes from, if another one takes precedence over this one. */
  overriddenBy?: string;
}

/** Old outputs that the model does not read any more. */
export interface PruningInfo {
  /** How many there are. */
  outputs: number;
  /** About how many tokens a request had before. */
  tokensBefore: number;
  /** About how many tokens it has now. */
  tokensAfter: number;
}

/** Questions that the agent asks together. */
export interface QuestionAskInfo {
  /** Their id. A client that attaches again gets the same questions again. */
  question: string;
  /** The id of the call's part, whose event may arrive after the questions. */
  part: string;
  /** The subagent that asks; missing if it is the session's own agent. */
  agent?: string;
  /** At least one. */
  questions: QuestionInfo[];
}

/** Questions and their session. */
export interface QuestionAskParams {
  /** The session's id. */
  session: string;
  /** Their id. A client that attaches again gets the same questions again. */
  question: string;
  /** The id of the call's part, whose event may arrive after the questions. */
  part: string;
  /** The subagent that asks; missing if it is the session's own agent. */
  agent?: string;
  /** At least one. */
  questions: QuestionInfo[];
}

/** One question. */
export interface QuestionInfo {
  /** One or two words for a tab or a title. */
  header: string;
  /** The question. */
  text: string;
  /** The options. */
  options: QuestionOptionInfo[];
  /** Whether the user may choose more than one. */
  multiple: boolean;
  /** Whether the user may write their own answer. */
  custom: boolean;
}

/** An option. */
export interface QuestionOptionInfo {
  /** The answer that stands for it. */
  label: string;
  /** What it means. */
  description?: string;
}

/** The user's answers, or why there are none. */
export type QuestionReply =
  /** The user answered. */
  | {
      reply: "answered";
      /** For each question, in order: the chosen labels, or the user's own words. */
      answers: string[][];
    }
  /** The user does not answer. With a reason, the model is told and continues; without one, the turn stops. */
  | {
      reply: "rejected";
      /** For the model. Blank counts as missing. */
      reason?: string;
    }
  /** No reply from this client: the questions were settled, or the user closed their window. They stay open for other clients. */
  | { reply: "cancelled" };

/** Settled questions. */
export interface QuestionSettledParams {
  /** The session's id. */
  session: string;
  /** The id of the questions. */
  question: string;
  /** The name of the client that answered; missing if it was this one or none. */
  by?: string;
}

/** What `question` asked the user, and the answers. */
export interface QuestionsMetadata {
  /** The questions. */
  questions: AskedQuestionMetadata[];
  /** For each question the labels that were chosen, or the user's own words; empty where there is no answer. */
  answers: string[][];
}

/** A call that the model has made several times, with the same result. */
export interface RepeatedCallAskMetadata {
  /** The tool's name. */
  name: string;
  /** The arguments of the call. */
  arguments: unknown;
  /** How often it was made. */
  times: number;
}

/** A changed review, for the session event `reviewChanged`. */
export interface ReviewChange {
  /** The review, with only its new and changed hunks. Without hunks and without a file it is over. */
  review: ReviewInfo;
  /** The ids of the hunks that are gone. */
  gone?: string[];
  /** Why a proposed edit was not made, for the user. */
  failed?: string;
}

/** A comment on the agent's edits that does not decide them. The model reads all comments at its next step. */
export interface ReviewCommentParams {
  /** The session's id. */
  session: string;
  /** The document. */
  uri: string;
  /** The first line that it is about, from 0. */
  line: number;
  /** How many lines; by default one. */
  lines?: number;
  /** The comment. */
  text: string;
}

/** The comments that wait. */
export interface ReviewCommentResult {
  /** How many comments wait for the model's next step, including this one. */
  comments: number;
}

/** The user's decisions. */
export interface ReviewDecideParams {
  /** The session's id. */
  session: string;
  /** Each succeeds or fails by itself. */
  decisions: ReviewDecision[];
}

/** The outcomes of the decisions. */
export interface ReviewDecideResult {
  /** One for each decision, in order. */
  decided: ReviewDecisionResult[];
}

/** A decision on a hunk, a file, or a whole review. */
export interface ReviewDecision {
  /** The id of the hunk, or of the review. */
  hunk: string;
  /** `expected` of the hunk or review that the user saw. */
  expected: string;
  /** Accept or reject. */
  verdict: ReviewVerdict;
  /** Only these lines; the rest of the hunk stays undecided. */
  lines?: HunkLines;
  /** Accepts this text instead of the hunk's lines. */
  text?: string;
  /** A comment for the model. Blank counts as missing. */
  comment?: string;
  /** The user confirms the deletion of a created file in which they typed. */
  confirmed?: boolean;
}

/** The outcome of a decision. */
export type ReviewDecisionOutcome =
  /** The daemon carried it out. */
  | "done"
  /** The hunk is gone or has changed, or the editor did not make the change. Nothing has changed. */
  | "refused"
  /** The user has typed in the file that the decision would delete. To delete it, send the decision again with `confirmed`. */
  | "confirm";

/** The outcome of a decision. */
export interface ReviewDecisionResult {
  /** The id in the decision. */
  hunk: string;
  /** The outcome. */
  outcome: ReviewDecisionOutcome;
  /** Why, for the user. */
  message?: string;
}

/** The undecided edits of one document. */
export interface ReviewInfo {
  /** Its id. As `hunk` of a decision it stands for the whole review. */
  review: string;
  /** The document. */
  uri: string;
  /** Its path for the user: relative to the session's folder if it is inside. */
  path: string;
  /** Whether its edits are made. */
  when: ReviewTimingInfo;
  /** The ask of the call that waits for the review. */
  ask?: string;
  /** The model still writes this inline edit. The user can decide it afterwards. */
  writing?: boolean;
  /** The value of `expected` in a decision on the whole review. */
  expected: string;
  /** The file itself, if the agent created, deleted or renamed it. It is one of the hunks. */
  file?: FileHunkInfo;
  /** In text order. */
  hunks: HunkInfo[];
  /** How many hunks of lines it has. */
  total: number;
  /** The number of new lines in all hunks. */
  additions: number;
  /** The number of old lines in all hunks. */
  deletions: number;
}

/** Which reviews of a session to list. */
export interface ReviewListParams {
  /** The session's id. */
  session: string;
  /** Only reviews of this document. */
  uri?: string;
  /** How many hunks of each review to skip. A list has at most 1,000 hunks of a review. */
  skip?: number;
}

/** The undecided edits. */
export interface ReviewListResult {
  /** One for each document, sorted by path; two if some of its edits are made and others wait. */
  reviews: ReviewInfo[];
  /** How many comments wait for the model's next step. */
  comments: number;
}

/** Whether the user reviews an edit before or after it is made. */
export type ReviewTimingInfo =
  /** The call waits; nothing changes before the user accepts it. */
  | "before"
  /** The edit is made, and the turn continues. */
  | "after";

/** Accept or reject. */
export type ReviewVerdict =
  /** The new lines stay, or replace the old ones. */
  | "accept"
  /** The old lines stay, or are restored. */
  | "reject";

/** What `websearch` or `codesearch` would search for. */
export interface SearchAskMetadata {
  /** The words. */
  query: string;
}

/** A selection, or the position of the cursor. */
export interface SelectionInfo {
  /** The document. */
  uri: string;
  /** Its range; empty if it is only the cursor. */
  range: WireRange;
  /** The selected text. */
  text: string;
}

/** The user's selection. */
export interface SelectionResult {
  /** Missing if no document has or had the focus. */
  selection?: SelectionInfo;
}

/** What the editor did with a document. */
export type ServerDocumentEvent =
  /** It opened it, or opened it again. */
  | "opened"
  /** It changed the text. */
  | "changed"
  /** It sends the same text to the daemon under another version from now on. */
  | "renumbered"
  /** It saved it. */
  | "saved"
  /** It closed it. */
  | "closed";

/** The editor told a language server of a document. */
export interface ServerDocumentParams {
  /** The server. */
  server: number;
  /** The document, as the server knows it. */
  uri: string;
  /** What happened. */
  event: ServerDocumentEvent;
  /** LSP's id of its language, when it is opened. */
  language?: string;
  /** The version that the server was told. */
  version?: number;
  /** The version under which the editor sends the same text to the daemon; missing if it does not. */
  document?: number;
  /** It has changes that are not saved. */
  modified?: boolean;
  /** The server had it open before the editor reported anything. */
  running?: boolean;
}

/** A document as a language server of the editor knows it. */
export interface ServerDocumentVersion {
  /** The document. */
  uri: string;
  /** The version that the server was told by the editor. */
  version: number;
}

/** A language server of the editor has ended. */
export interface ServerEndedParams {
  /** The server. */
  server: number;
}

/** A language server that the daemon runs. */
export interface ServerInfo {
  /** Its name, such as `rust-analyzer`. */
  name: string;
  /** The folder that it works in. */
  root: string;
  /** Its state. */
  state: ServerState;
  /** What it does now, or why it does nothing. */
  message?: string;
  /** How much of that is done, in percent. */
  percent?: number;
  /** How many documents it has open. */
  documents: number;
  /** The memory of it and its child processes, in bytes. */
  memory?: number;
  /** Its process id, while it runs. */
  pid?: number;
  /** Whether it runs in the sandbox, while it runs; none if the sandbox is off. */
  sandboxed?: boolean;
}

/** A language server sent the editor a message. */
export interface ServerReceivedParams {
  /** The server. */
  server: number;
  /** The message's method. */
  method: string;
  /** The message's params, unchanged. */
  params?: unknown;
}

/** Why a server did not respond. If the text was another one by then, the code is LSP's `ContentModified`. */
export interface ServerResponseError {
  /** LSP's code. */
  code: number;
  /** In words. */
  message: string;
}

/** A language server of the editor is there. */
export interface ServerStartedParams {
  /** The editor's number of it, which no other server of this connection gets. */
  server: number;
  /** The editor's name of it, such as `lua_ls`. */
  name: string;
  /** Its own name, from its response to `initialize`. */
  ownName?: string;
  /** LSP's ids of the languages that it serves, if the editor does not know which server it is. */
  languages?: string[];
  /** The program and its arguments, if the editor knows them. */
  command?: string[];
  /** The folder that it works in, as a URI. */
  root?: string;
  /** How it counts characters, as LSP names it; UTF-16 if it is missing. */
  encoding?: string;
  /** Its capabilities, from its response to `initialize`. */
  capabilities?: unknown;
  /** It ran before the editor reported anything. The editor then reports its registrations and its running progress as received. */
  running?: boolean;
}

/** The state of a language server. */
export type ServerState =
  /** It has not answered `initialize` yet. */
  | "starting"
  /** It reads the project; until then it may miss problems. */
  | "indexing"
  /** It answers requests. */
  | "ready"
  /** It crashed, and the daemon restarts it soon. */
  | "resting"
  /** It crashed too often; `servers/restart` starts it again. */
  | "givenUp"
  /** It is shutting down, because it was unused for a while. */
  | "ending";

/** The editor told a language server of files on the disk. */
export interface ServerWatchedParams {
  /** The server. */
  server: number;
  /** The files, as in `workspace/didChangeWatchedFiles`. */
  changes: WatchedFileChange[];
}

/** Which language servers to restart. */
export interface ServersRestartParams {
  /** The name of the server, in whatever folders it works. */
  name: string;
}

/** How many language servers were restarted. */
export interface ServersRestartResult {
  /** Those of that name; 0 if there is none. */
  servers: number;
}

/** A session, and where to fork it. */
export interface SessionForkParams {
  /** The session's id. */
  session: string;
  /** The id of the first part that the new session does not have. */
  before: string;
}

/** A conversation with an agent. The daemon owns it; it outlives every window. */
export interface SessionInfo {
  /** Unique; later ones sort after earlier ones. */
  id: string;
  /** The folder it works in: an absolute path on the daemon's machine. */
  folder: string;
  /** Missing until the session has one. */
  title?: string;
  /** The agent's name. */
  agent: string;
  /** `PROVIDER/MODEL`, if the user chose one for this session. */
  model?: string;
  /** The session whose call started this one. */
  parent?: string;
  /** When its edits are reviewed, if the user chose that. */
  review?: ReviewTimingInfo;
  /** What runs unasked, if the user chose that for this session. */
  preset?: PermissionPresetInfo;
  /** What runs unasked: the user's choice or else the configuration's, as far as the trust of the folder lets it count. Missing in lists. */
  activePreset?: PermissionPresetInfo;
  /** When it was created, in milliseconds since 1970. */
  created: number;
  /** When it last changed, in milliseconds since 1970. */
  updated: number;
}

/** Which sessions to list. */
export interface SessionListParams {
  /** Only sessions in this folder. */
  folder?: string;
  /** The most to return; by default 50. */
  limit?: number;
  /** Only sessions last used before this one: the id of the last session of the previous page. */
  before?: string;
}

/** A page of sessions. */
export interface SessionListResult {
  /** Last used first. A page that is not full is the last. */
  sessions: SessionInfo[];
}

/** Which session to attach to. */
export interface SessionLoadParams {
  /** The session's id. */
  session: string;
  /** The most parts to return, counted from the last; by default 200. */
  limit?: number;
}

/** Everything that a client needs to show a session, as of `seq`. */
export interface SessionLoadResult {
  /** The present state of the session. */
  session: SessionInfo;
  /** The last parts in order, including unfinished ones with their content so far. */
  parts: PartInfo[];
  /** Whether there are parts before these: see `copydesk/session/parts`. */
  earlier: boolean;
  /** The number of the running turn; missing if none runs. */
  running?: number;
  /** The last turn, if one began since the daemon hosts the session. */
  lastTurn?: LastTurnInfo;
  /** The last event that this includes. The client drops events up to it, whenever they arrive. */
  seq: number;
  /** Open asks. The daemon also sends each to this client as a request. */
  asks: PermissionAskInfo[];
  /** Open questions. The daemon also sends them to this client as requests. */
  questions: QuestionAskInfo[];
  /** Decisions and comments that the model has not read yet: see the event `feedback`. */
  feedback?: FeedbackInfo[];
  /** Running background commands. */
  jobs?: JobInfo[];
  /** The warnings since the daemon hosts the session: see the event `warning`. */
  warnings?: string[];
  /** Whether the user trusts its folder. */
  trust?: TrustInfo;
}

/** The properties of a new session. */
export interface SessionNewParams {
  /** The folder to work in; by default the client's first workspace folder. */
  folder?: string;
  /** The agent's name; by default the configured one. */
  agent?: string;
  /** `PROVIDER/MODEL`; by default the agent's or the configured one. */
  model?: string;
}

/** A session. */
export interface SessionParams {
  /** The session's id. */
  session: string;
}

/** Which page of a session's parts. */
export interface SessionPartsParams {
  /** The session's id. */
  session: string;
  /** Only parts before this one: the id of the first part that the client has. */
  before: string;
  /** The most to return, counted from the last; by default 200. */
  limit?: number;
}

/** A page of parts. */
export interface SessionPartsResult {
  /** In order. */
  parts: PartInfo[];
  /** Whether there are parts before these. */
  earlier: boolean;
}

/** Where to look for sessions that need the user. */
export interface SessionPendingParams {
  /** The sessions' folder; by default the client's first workspace folder. */
  folder?: string;
}

/** The sessions that run or need the user. */
export interface SessionPendingResult {
  /** Last used first, at most 20. */
  sessions: PendingSessionInfo[];
}

/** A session and its new title. */
export interface SessionRenameParams {
  /** The session's id. */
  session: string;
  /** The new title. */
  title: string;
}

/** The present state of the session. */
export interface SessionResult {
  /** The present state of the session. */
  session: SessionInfo;
}

/** A part that matches. */
export interface SessionSearchMatch {
  /** The session's id. */
  session: string;
  /** The session's title; missing if it has none. */
  title?: string;
  /** The id of the part. */
  part: string;
  /** The text around the match, about a line. */
  excerpt: string;
}

/** What to search for. */
export interface SessionSearchParams {
  /** Words, all of which must occur. */
  query: string;
  /** The most to return; by default 50. */
  limit?: number;
}

/** The matches. */
export interface SessionSearchResult {
  /** The latest first. */
  found: SessionSearchMatch[];
}

/** A session and its new agent. */
export interface SessionSetAgentParams {
  /** The session's id. */
  session: string;
  /** The agent's name. */
  agent: string;
}

/** A session and its new model. */
export interface SessionSetModelParams {
  /** The session's id. */
  session: string;
  /** `PROVIDER/MODEL` */
  model: string;
}

/** The preset of a session. */
export interface SessionSetPresetParams {
  /** The session's id. */
  session: string;
  /** From the next call on; by default the configuration decides. */
  preset?: PermissionPresetInfo;
}

/** When the user reviews the edits of a session. */
export interface SessionSetReviewParams {
  /** The session's id. */
  session: string;
  /** From the next edit on; by default the permission rules decide. */
  review?: ReviewTimingInfo;
}

/** A session that the daemon hosts. */
export interface SessionStatus {
  /** The session's id. */
  session: string;
  /** Whether a turn runs. */
  running: boolean;
  /** The names of the clients that show it, one for each. */
  attached?: string[];
}

/** The severity of a problem, as in LSP. */
export type SeverityInfo =
  /** An error. */
  | "error"
  /** A warning. */
  | "warning"
  /** Information. */
  | "information"
  /** A hint. */
  | "hint";

/** What to show. */
export interface ShowParams {
  /** The document. */
  uri: string;
  /** The range to scroll to. */
  range?: WireRange;
  /** Whether the editor moves the focus and the cursor there. */
  focus?: boolean;
}

/** Whether the editor shows the document. */
export interface ShowResult {
  /** Whether the editor shows it. */
  shown: boolean;
}

/** A skill that would be loaded. */
export interface SkillAskMetadata {
  /** Its file. */
  path: string;
}

/** A skill that `skill` loaded. */
export interface SkillMetadata {
  /** Its name. */
  name: string;
  /** Its file. */
  path: string;
  /** Whether it comes from the repository, not from the user's own folders. */
  foreign: boolean;
  /** The files beside it, relative to its folder. */
  files: string[];
}

/** The state of the daemon. */
export interface StatusResult {
  /** The daemon's version. */
  version: string;
  /** The version of the protocol that it speaks. */
  protocol: number;
  /** Its process id. */
  pid: number;
  /** When it was started, in milliseconds since 1970. */
  started: number;
  /** How many clients are attached to it. */
  clients: number;
  /** The sessions that it hosts. */
  sessions: SessionStatus[];
  /** How many documents the clients have open. */
  documents: number;
  /** How strictly the agents' edits matched since the daemon started, the most frequent tier first. */
  tiers?: MatchTierCount[];
  /** Its own language servers, sorted by name. */
  servers?: ServerInfo[];
  /** Useful language servers that are not installed. */
  missing?: MissingServer[];
}

/** How a model request ended. */
export interface StepFinishInfo {
  /** Why the model stopped. */
  stop: StopReasonInfo;
  /** The tokens it used. */
  usage: UsageInfo;
  /** The cost in US dollars, if the price is known. */
  cost?: number;
  /** What fills the model's context with this request and its response; missing in sessions of older daemons. */
  context?: ContextUseInfo;
}

/** When to stop. */
export interface StopParams {
  /** When to stop. */
  when: StopTiming;
}

/** Why a model stopped. */
export type StopReasonInfo =
  /** It finished its answer. */
  | "end"
  /** It waits for the results of its calls. */
  | "calls"
  /** It reached the output limit; the last part may be incomplete. */
  | "length"
  /** It reached the end of its context window. */
  | "context"
  /** The model or a filter of the provider refused. */
  | "refused"
  /** The provider asks for another request. */
  | "paused"
  /** The stream broke after complete calls: those are kept, the rest is lost. */
  | "broken";

/** What the stop waits for. */
export interface StopResult {
  /** How many turns still run. */
  waitingFor: number;
}

/** When to stop. */
export type StopTiming =
  /** When no turn runs. Until then everything works as before. */
  | "idle"
  /** At once. The daemon cancels running turns and keeps completed parts. */
  | "now";

/** A task that would be given to another agent. */
export interface TaskAskMetadata {
  /** What the agent would be told. */
  prompt: string;
}

/** A task, while the agent works on it and when it is done. */
export interface TaskMetadata {
  /** The agent's name. */
  agent: string;
  /** The task in a few words. */
  description: string;
  /** The id of the session that works on it. */
  session: string;
  /** How many calls the agent has made. */
  calls: number;
  /** What it does at the moment, in a few words; missing before it begins and after it is done. */
  now?: string;
  /** The tokens that it has used, those of its own tasks included. */
  usage: TaskUsage;
  /** US dollars, if the price is known. */
  cost?: number;
  /** How it ended; missing while it runs. */
  state?: TaskState;
  /** The files that it changed, when it is done; missing if there are none. */
  files?: FileChangeStats[];
}

/** How a task ended. */
export type TaskState =
  /** The agent is done. */
  | "completed"
  /** The agent would have continued, but may not take more steps. */
  | "out of steps"
  /** The user cancelled it. */
  | "cancelled"
  /** The user rejected an ask of it, and so stopped it. */
  | "rejected"
  /** It failed. */
  | "failed";

/** Tokens of all requests of a task together. */
export interface TaskUsage {
  /** Read by the model, without what a cache had or took. */
  input: number;
  /** Written by the model, its reasoning included. */
  output: number;
  /** Written as reasoning. */
  reasoning: number;
  /** Read from a cache. */
  cacheRead: number;
  /** Written to a cache. */
  cacheWrite: number;
}

/** A text. */
export interface TextContent {
  /** Markdown if the model wrote it. */
  text: string;
}

/** Lines of a text that `read` showed the model. */
export interface TextPageMetadata {
  /** The first line, from 1. */
  first: number;
  /** The last line. */
  last: number;
  /** How many lines the file has. */
  total: number;
  /** Whether the file goes on after the last line. */
  truncated: boolean;
}

/** Lines that `grep` found. */
export interface TextSearchMetadata {
  /** How many are listed. */
  matches: number;
  /** Whether there are more. */
  truncated: boolean;
}

/** One thing to do. */
export interface TodoEntryMetadata {
  /** What is to be done, in a few words. */
  content: string;
  /** How far it is. */
  status: TodoEntryStatus;
  /** How important it is. */
  priority?: TodoEntryPriority;
}

/** How important a thing to do is. */
export type TodoEntryPriority =
  /** More than others. */
  | "high"
  /** As others. */
  | "medium"
  /** Less than others. */
  | "low";

/** How far a thing to do is. */
export type TodoEntryStatus =
  /** Not begun. */
  | "pending"
  /** The agent works on it. */
  | "in_progress"
  /** Done. */
  | "completed"
  /** Given up. */
  | "cancelled";

/** The whole list. That of the last `todowrite` is the session's. */
export interface TodoListMetadata {
  /** What is to be done, in its order. */
  todos: TodoEntryMetadata[];
  /** Whether the list has other items than the one before it; if not, only their statuses changed. */
  isNew?: boolean;
}

/** Whether the user trusts a folder. */
export interface TrustInfo {
  /** The folder whose trust counts: the root of the repository, or the folder itself. */
  folder: string;
  /** What the user said. It counts from the next prompt on. */
  trust: TrustState;
}

/** What the user says about a folder. */
export interface TrustSetParams {
  /** The folder, which may lie above a repository. Without it, the repository of the client's first workspace folder. The answer counts for all below it. */
  folder?: string;
  /** Whether the user trusts it. */
  trusted: boolean;
  /** The editor asked the user itself, some time ago. The answer counts for the repository that contains the folder, and only if the user has not answered here: the configuration may have changed since, or the user their mind. */
  passedOn?: boolean;
}

/** What the user said about a folder, or about one above it. */
export type TrustState =
  /** The user trusts it. */
  | "trusted"
  /** The user was asked and does not. */
  | "restricted"
  /** The user has not been asked. A client that can ask does so before its first prompt. */
  | "unasked";

/** Why a turn ended. */
export type TurnEndInfo =
  /** The model finished its answer. */
  | { kind: "done" }
  /** The user cancelled it, or the daemon stopped. */
  | { kind: "cancelled" }
  /** The user rejected an ask without a reason for the model. */
  | { kind: "rejected" }
  /** The model would have continued, but the turn reached its limit of steps. */
  | {
      kind: "stepLimit";
      /** The limit. */
      steps: number;
    }
  /** It failed. */
  | {
      kind: "failed";
      /** Why, for the user. */
      message: string;
    }
  /** The daemon ended during it. Only a part says this, when the session is loaded again. */
  | { kind: "interrupted" };

/** A prompt to a session. */
export interface TurnParams {
  /** The session's id. */
  session: string;
  /** Its text. */
  text: string;
  /** Images and PDFs. */
  files?: MediaContent[];
  /** What the user points at. */
  context?: ContextItem[];
  /** The id of an earlier prompt, of any session, whose context and files go with this one, too. A piece that `context` names is not repeated, nor is a file of `files`. */
  contextOf?: string;
  /** The client answers the asks of this turn by itself; no user sees them. So the daemon does not check edits before it asks. */
  unattended?: boolean;
}

/** What happened to a prompt. */
export interface TurnStartResult {
  /** Whether it waits for the end of the running turn. */
  queued: boolean;
  /** The id of the prompt's part. The event `turnStarted` of its turn names it. */
  prompt: string;
}

/** What happened to a prompt. */
export interface TurnSteerResult {
  /** Whether it joined the running turn; if not, it started one. */
  joined: boolean;
  /** The id of the prompt's part. */
  prompt: string;
}

/** A running call. */
export interface TurnStopCallParams {
  /** The session's id. */
  session: string;
  /** The id of the call's part. */
  part: string;
}

/** The outcome for one file. */
export type UndoOutcome =
  /** The agent's edits are reverted. */
  | "undone"
  /** The user has changed the same lines since; the file stays as it is. */
  | "conflict"
  /** The file does not exist any more. */
  | "gone"
  /** None of the agent's edits were left to revert. */
  | "unchanged";

/** What to revert. */
export interface UndoParams {
  /** The session's id. */
  session: string;
  /** Which edits. Without it, those of the last turn whose edits are not all undone. */
  what?: UndoScope;
}

/** The outcome for each file. */
export interface UndoResult {
  /** Empty if there was nothing to revert. */
  files: UndoneFile[];
  /** The turn that was found, if the request did not say which edits. */
  turn?: number;
}

/** Which of the agent's edits to revert. The user's own edits always stay. */
export type UndoScope =
  /** The edits of one call: the id of its part. */
  | { call: string }
  /** The edits of one turn: its number. */
  | { turn: number }
  /** The edits after a part: its id. */
  | { after: string };

/** The outcome for one file. */
export interface UndoneFile {
  /** The document. */
  uri: string;
  /** The outcome. */
  outcome: UndoOutcome;
  /** Why, for the user. */
  message?: string;
}

/** The tokens of one request. */
export interface UsageInfo {
  /** Read by the model, without those read from or written to a cache. */
  input: number;
  /** Written by the model, including its reasoning. */
  output: number;
  /** Written as reasoning. */
  reasoning: number;
  /** Read from a cache. */
  cacheRead: number;
  /** Written to a cache. */
  cacheWrite: number;
}

/** One file on the disk. */
export interface WatchedFileChange {
  /** The file. */
  uri: string;
  /** LSP's `FileChangeType`. */
  type: number;
}

/** What `webfetch` loaded. */
export interface WebPageMetadata {
  /** The address, after redirects. */
  url: string;
  /** The title of an HTML page. */
  title?: string;
  /** The media type; may be empty. */
  type: string;
  /** The size of the body. */
  bytes: number;
  /** The HTTP status. */
  status: number;
}

/** What `websearch` or `codesearch` found. */
export interface WebSearchMetadata {
  /** What was searched for. */
  query: string;
  /** How many results there are; missing if the search engine does not say. */
  count?: number;
}

/** A range of a document. */
export interface WireLocation {
  /** The document. */
  uri: string;
  /** The range in it. */
  range: WireRange;
}

/** A position between two characters. */
export interface WirePosition {
  /** From 0. */
  line: number;
  /** From 0, in the position encoding that LSP negotiated. */
  character: number;
}

/** A range of text. */
export interface WireRange {
  /** Its start. */
  start: WirePosition;
  /** Its end, exclusive. */
  end: WirePosition;
}

/** The differences between an old line of a hunk and the new line with the same number. */
export interface WordDiffInfo {
  /** The line, counted from the hunk's first line, on both sides. */
  line: number;
  /** Start and end of each difference, in bytes of the line. */
  old: unknown[][];
  /** Start and end of each difference, in bytes of the line. */
  new: unknown[][];
}
