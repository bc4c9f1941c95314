// The protocol between the desk of Copydesk and its editor extensions. Made from protocol/src; do not edit.
// To bring it up to date: `UPDATE_EXPECT=1 cargo test -p copydesk-protocol`, then read what has changed.

/** The version of the protocol. */
export const PROTOCOL = 1;

/** The names of the methods, as they stand on the wire. */
export const methods = {
  /** Makes a session. It is kept once something has been said in it. */
  sessionNew: "copydesk/session/new",
  /** Sessions, the one that was used last first. */
  sessionList: "copydesk/session/list",
  /** Attaches this client to a session: it gets what there is, and from then on the session's events and open asks. */
  sessionLoad: "copydesk/session/load",
  /** Earlier parts of a session, page by page. Does not attach. */
  sessionParts: "copydesk/session/parts",
  /** Detaches this client from a session. A running turn goes on. */
  sessionLeave: "copydesk/session/leave",
  /** Makes a session that has what was said in another before a part. The other stays as it is. */
  sessionFork: "copydesk/session/fork",
  /** Gives a session another title. */
  sessionRename: "copydesk/session/rename",
  /** Deletes a session and all that was said in it. A running turn is cancelled first. */
  sessionDelete: "copydesk/session/delete",
  /** Chooses the model of a session, from its next turn on. */
  sessionSetModel: "copydesk/session/setModel",
  /** Chooses the agent of a session, from its next turn on. */
  sessionSetAgent: "copydesk/session/setAgent",
  /** Chooses whether a session's edits are reviewed before they are made or after, from the next edit on. */
  sessionSetReview: "copydesk/session/setReview",
  /** Finds sessions by what was said in them. */
  sessionSearch: "copydesk/session/search",
  /** Prompts. Answers at once; the turn is told by events. While a turn runs the prompt waits for its end. */
  turnStart: "copydesk/turn/start",
  /** Prompts into the running turn: the model reads it with its next step. Without a turn it begins one. */
  turnSteer: "copydesk/turn/steer",
  /** Ends the running turn, and with it all asks. Answers at once; without a turn nothing happens. */
  turnCancel: "copydesk/turn/cancel",
  /** Takes back what the agent did to files, and only that. */
  undo: "copydesk/undo",
  /** Takes back the last undo of a session. */
  redo: "copydesk/redo",
  /** What of the agent's edits nobody has decided yet. */
  reviewList: "copydesk/review/list",
  /** Decides hunks. What is refused is answered, with the reason, and changes nothing. */
  reviewDecide: "copydesk/review/decide",
  /** Says something about an edit without deciding it. The model is told at its next step. */
  reviewComment: "copydesk/review/comment",
  /** Has the session's model rewrite a stretch of a document. Answers at once; the edit grows in a review. */
  inlineStart: "copydesk/inline/start",
  /** Asks for something else in the place of an inline edit that is not decided yet. */
  inlineRefine: "copydesk/inline/refine",
  /** Gives an inline edit up, while it is written or after. The document is as it was. */
  inlineCancel: "copydesk/inline/cancel",
  /** The models that can be used now. */
  models: "copydesk/models",
  /** The agents that a person can choose. */
  agents: "copydesk/agents",
  /** How the desk is. */
  status: "copydesk/status",
  /** Ends language servers of the desk's own and starts them anew, whatever they broke of. */
  serversRestart: "copydesk/servers/restart",
  /** What the client's own language servers say is wrong, and how sure it is that they say it of the present text. */
  diagnostics: "copydesk/diagnostics",
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
  /** Stops the desk. */
  stop: "copydesk/stop",
  /** Something happened in a session that this client is attached to. */
  event: "copydesk/event",
  /** Asks a person whether a call may do what it wants. Sent to every attached client; the first reply wins. */
  permissionAsk: "copydesk/permission/ask",
  /** An ask needs no reply any more. Whoever still shows it takes it away and answers `cancelled`. */
  permissionSettled: "copydesk/permission/settled",
  /** Asks a person what the agent wants to know. Sent to every attached client; the first reply wins. */
  questionAsk: "copydesk/question/ask",
  /** Questions need no reply any more. Whoever still shows them takes them away and answers `cancelled`. */
  questionSettled: "copydesk/question/settled",
  /** Which of the editor's own language servers serve a document. */
  editorServers: "copydesk/editor/servers",
  /** The daemon has what it wanted to know of a document: the editor may unload it. */
  editorServersDone: "copydesk/editor/serversDone",
  /** Sends a request to one of the editor's own language servers. */
  editorServerRequest: "copydesk/editor/serverRequest",
  /** Sends a notification to one of the editor's own language servers. */
  editorServerNotify: "copydesk/editor/serverNotify",
  /** Asks the editor's own language servers where something is, or what it is. */
  editorNavigate: "copydesk/editor/navigate",
  /** What the person has selected. */
  editorSelection: "copydesk/editor/selection",
  /** The files the person has open. */
  editorOpenFiles: "copydesk/editor/openFiles",
  /** Shows a place in the editor. */
  editorShow: "copydesk/editor/show",
  /** The desk was started anew under this client: its documents are open again, its sessions are not loaded. */
  restarted: "copydesk/restarted",
  /** The desk changed a file on the disk that this client may have open. */
  documentChanged: "copydesk/document/changed",
  /** Saves an open document, as if the person had. */
  documentSave: "copydesk/document/save",
} as const;

/** Error codes. */
export const errors = {
  /** The message is no JSON. */
  parseError: -32700,
  /** The message is no request. */
  invalidRequest: -32600,
  /** There is no such method, or not in this direction. */
  methodNotFound: -32601,
  /** The params are not what the method takes; the message says where. */
  invalidParams: -32602,
  /** Something went wrong that should not have; the message is for a report. */
  internalError: -32603,
  /** `initialize` has to come first. */
  serverNotInitialized: -32002,
  /** Cancelled. The desk does not say so by itself (law 3); from a client it means the same as `cancelled`. */
  requestCancelled: -32800,
  /** The document has changed meanwhile. The desk never says so; from a client it means that it should be asked again. */
  contentModified: -32801,
  /** The request was good, and could not be done; the message says why. */
  requestFailed: -32803,
  /** There is no such session; it may have been deleted. */
  unknownSession: -31001,
  /** The session has no such part, or no such turn. */
  unknownPart: -31002,
  /** There is no such model, or it cannot be used now; the message says what is missing. */
  unknownModel: -31003,
  /** There is no agent of that name that a person can choose. */
  unknownAgent: -31004,
  /** Desk and extension do not speak the same protocol; the message says which to update and how. */
  protocolMismatch: -31005,
  /** It cannot be done while a turn runs; cancel it, or wait for its end. */
  busy: -31006,
} as const;

/** Requests that a client sends. */
export interface RequestsToDesk {
  /** Makes a session. It is kept once something has been said in it. */
  "copydesk/session/new": { params: SessionNewParams; result: SessionResult };
  /** Sessions, the one that was used last first. */
  "copydesk/session/list": { params: SessionListParams; result: SessionListResult };
  /** Attaches this client to a session: it gets what there is, and from then on the session's events and open asks. */
  "copydesk/session/load": { params: SessionLoadParams; result: SessionLoadResult };
  /** Earlier parts of a session, page by page. Does not attach. */
  "copydesk/session/parts": { params: SessionPartsParams; result: SessionPartsResult };
  /** Detaches this client from a session. A running turn goes on. */
  "copydesk/session/leave": { params: SessionParams; result: Empty };
  /** Makes a session that has what was said in another before a part. The other stays as it is. */
  "copydesk/session/fork": { params: SessionForkParams; result: SessionResult };
  /** Gives a session another title. */
  "copydesk/session/rename": { params: SessionRenameParams; result: SessionResult };
  /** Deletes a session and all that was said in it. A running turn is cancelled first. */
  "copydesk/session/delete": { params: SessionParams; result: Empty };
  /** Chooses the model of a session, from its next turn on. */
  "copydesk/session/setModel": { params: SessionSetModelParams; result: SessionResult };
  /** Chooses the agent of a session, from its next turn on. */
  "copydesk/session/setAgent": { params: SessionSetAgentParams; result: SessionResult };
  /** Chooses whether a session's edits are reviewed before they are made or after, from the next edit on. */
  "copydesk/session/setReview": { params: SessionSetReviewParams; result: SessionResult };
  /** Finds sessions by what was said in them. */
  "copydesk/session/search": { params: SessionSearchParams; result: SessionSearchResult };
  /** Prompts. Answers at once; the turn is told by events. While a turn runs the prompt waits for its end. */
  "copydesk/turn/start": { params: TurnParams; result: TurnStartResult };
  /** Prompts into the running turn: the model reads it with its next step. Without a turn it begins one. */
  "copydesk/turn/steer": { params: TurnParams; result: TurnSteerResult };
  /** Ends the running turn, and with it all asks. Answers at once; without a turn nothing happens. */
  "copydesk/turn/cancel": { params: SessionParams; result: Empty };
  /** Takes back what the agent did to files, and only that. */
  "copydesk/undo": { params: UndoParams; result: UndoResult };
  /** Takes back the last undo of a session. */
  "copydesk/redo": { params: SessionParams; result: UndoResult };
  /** What of the agent's edits nobody has decided yet. */
  "copydesk/review/list": { params: ReviewListParams; result: ReviewListResult };
  /** Decides hunks. What is refused is answered, with the reason, and changes nothing. */
  "copydesk/review/decide": { params: ReviewDecideParams; result: ReviewDecideResult };
  /** Says something about an edit without deciding it. The model is told at its next step. */
  "copydesk/review/comment": { params: ReviewCommentParams; result: ReviewCommentResult };
  /** Has the session's model rewrite a stretch of a document. Answers at once; the edit grows in a review. */
  "copydesk/inline/start": { params: InlineStartParams; result: InlineStartResult };
  /** Asks for something else in the place of an inline edit that is not decided yet. */
  "copydesk/inline/refine": { params: InlineRefineParams; result: Empty };
  /** Gives an inline edit up, while it is written or after. The document is as it was. */
  "copydesk/inline/cancel": { params: InlineCancelParams; result: Empty };
  /** The models that can be used now. */
  "copydesk/models": { params: Empty; result: ModelsResult };
  /** The agents that a person can choose. */
  "copydesk/agents": { params: AgentsParams; result: AgentsResult };
  /** How the desk is. */
  "copydesk/status": { params: Empty; result: StatusResult };
  /** Ends language servers of the desk's own and starts them anew, whatever they broke of. */
  "copydesk/servers/restart": { params: ServersRestartParams; result: ServersRestartResult };
  /** What the client's own language servers say is wrong, and how sure it is that they say it of the present text. */
  "copydesk/diagnostics": { params: DiagnosticsParams; result: DiagnosticsResult };
  /** Changes how much the daemon logs. */
  "copydesk/log/set": { params: LogSetParams; result: LogSetResult };
  /** Stops the desk. */
  "copydesk/stop": { params: StopParams; result: StopResult };
}

/** Requests that a client answers. */
export interface RequestsToClient {
  /** Asks a person whether a call may do what it wants. Sent to every attached client; the first reply wins. */
  "copydesk/permission/ask": { params: PermissionAskParams; result: PermissionReply };
  /** Asks a person what the agent wants to know. Sent to every attached client; the first reply wins. */
  "copydesk/question/ask": { params: QuestionAskParams; result: QuestionReply };
  /** Which of the editor's own language servers serve a document. */
  "copydesk/editor/servers": { params: EditorServersParams; result: EditorServersResult };
  /** Sends a request to one of the editor's own language servers. */
  "copydesk/editor/serverRequest": { params: EditorServerMessageParams; result: EditorServerResponse };
  /** Asks the editor's own language servers where something is, or what it is. */
  "copydesk/editor/navigate": { params: NavigateParams; result: NavigateResult };
  /** What the person has selected. */
  "copydesk/editor/selection": { params: Empty; result: SelectionResult };
  /** The files the person has open. */
  "copydesk/editor/openFiles": { params: Empty; result: OpenFilesResult };
  /** Shows a place in the editor. */
  "copydesk/editor/show": { params: ShowParams; result: ShowResult };
  /** Saves an open document, as if the person had. */
  "copydesk/document/save": { params: DocumentSaveParams; result: DocumentSaveResult };
}

/** Notifications that a client gets. */
export interface NotificationsToClient {
  /** Something happened in a session that this client is attached to. */
  "copydesk/event": { params: EventParams };
  /** An ask needs no reply any more. Whoever still shows it takes it away and answers `cancelled`. */
  "copydesk/permission/settled": { params: PermissionSettledParams };
  /** Questions need no reply any more. Whoever still shows them takes them away and answers `cancelled`. */
  "copydesk/question/settled": { params: QuestionSettledParams };
  /** The daemon has what it wanted to know of a document: the editor may unload it. */
  "copydesk/editor/serversDone": { params: EditorServersDoneParams };
  /** Sends a notification to one of the editor's own language servers. */
  "copydesk/editor/serverNotify": { params: EditorServerMessageParams };
  /** The desk was started anew under this client: its documents are open again, its sessions are not loaded. */
  "copydesk/restarted": { params: Empty };
  /** The desk changed a file on the disk that this client may have open. */
  "copydesk/document/changed": { params: DocumentChangedParams };
}

/** A named set of prompt, model and rules. */
export interface AgentInfo {
  /** Its name. */
  name: string;
  /** When to use it. */
  description: string;
  /** `PROVIDER/MODEL`, where it has one of its own. */
  model?: string;
}

/** The agent that the session continues as after `plan_enter` or `plan_exit`. */
export interface AgentSwitchMetadata {
  /** The plan that the user approved, for `plan_exit`. */
  path?: string;
  /** The agent's name. */
  agent: string;
}

/** Whose agents. */
export interface AgentsParams {
  /** The folder whose configuration counts; where it is missing, the client's first workspace folder. */
  folder?: string;
}

/** The agents that a person can choose. */
export interface AgentsResult {
  /** The one that is used where nobody chose comes first. */
  agents: AgentInfo[];
}

/** Whether an editor could say. The desk asks its own language servers where it could not. */
export type AnswerState =
  /** It could, even if there was nothing to find. */
  | "answered"
  /** No language server of this editor can say. */
  | "unsupported"
  /** A language server could, but is not ready yet. */
  | "starting"
  /** The time that the desk gave is over, or the person cancelled the work. */
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

/** A call of a tool. */
export interface CallInfo {
  /** The model's name for this call, unique within its step. */
  call: string;
  /** The tool's name; `invalid` where there is none that could have been meant. */
  name: string;
  /** JSON as the model wrote it, and once the call is made as it was understood. While it is being written it is no valid JSON. */
  arguments: string;
  /** The part of the call that stands for this one, as `batch` does. */
  parent?: string;
  /** What the running call showed last: the `metadata` of its last `progress` event. */
  progress?: CallMetadata;
  /** What came of it; missing until something did. */
  output?: CallOutputInfo;
}

/** What a view shows of a call: the fields of its tool, and `CallNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own. */
export type CallMetadata =
  /** `edit`, `multiedit`, `write`, `apply_patch` */
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

/** What came of a call. */
export interface CallOutputInfo {
  /** One line for the person. */
  title: string;
  /** What the model reads. */
  output: string;
  /** Whether the model is told that the call failed. */
  isError?: boolean;
  /** What the user is shown. */
  metadata?: CallMetadata;
  /** Images and PDFs that the call gave back. */
  media?: MediaContent[];
  /** How long it took. */
  milliseconds: number;
}

/** What was done to a file. */
export type ChangeReason =
  /** It was made, or a command changed it and nobody knows whether it was there before. */
  | "created"
  /** It has another content. */
  | "written"
  /** It is not there any more. */
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
  /** Its path for people, relative to the workspace; only where there are several files. */
  path?: string;
}

/** What a client says of itself: `initializationOptions.copydesk`. */
export interface ClientHello {
  /** The version of the protocol that it speaks. */
  protocol: number;
  /** Its name, such as `vscode` or `nvim`. */
  client: string;
  /** The extension's version. */
  version: string;
}

/** A command that `bash` would run. */
export interface CommandAskMetadata {
  /** The command. A view shows it, whatever the title says. */
  command: string;
  /** The folder that it would run in, relative to the workspace. */
  workdir: string;
  /** What the model says that it does. */
  description?: string;
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
  /** The end of what it has printed so far; when it is done, only if it failed. */
  output?: string;
  /** What is wrong with files that it changed; missing if nothing was checked. */
  diagnostics?: DiagnosticsMetadata;
}

/** Something the person pointed at: a file, a stretch of it, or words from elsewhere in the editor. */
export interface ContextItem {
  /** The document. */
  uri: string;
  /** Where in it; the whole where it is missing. */
  range?: WireRange;
  /** The text as the person saw it; where it is missing, the desk reads the document. */
  text?: string;
}

/** What the desk says of itself: `capabilities.experimental.copydesk`. */
export interface DaemonHello {
  /** The version of the protocol that it speaks. */
  protocol: number;
  /** The desk's version. */
  version: string;
  /** The desk's process. */
  pid: number;
}

/** One problem. */
export interface DiagnosticInfo {
  /** Where. */
  range: WireRange;
  /** How bad. */
  severity: SeverityInfo;
  /** The server's name for this kind of problem, such as `E0308`. */
  code?: string;
  /** Who says so, such as `rustc`. */
  source?: string;
  /** What is wrong. */
  message: string;
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

/** Which diagnostics. */
export interface DiagnosticsParams {
  /** The document; all that the editor knows of where it is missing. */
  uri?: string;
  /** The version of the document that they should be for, as in LSP. */
  version?: number;
  /** How long to wait for that version, in milliseconds; where it is missing, not at all. */
  wait?: number;
  /** How much of that to wait for language servers that are not ready, in milliseconds; where it is missing, all of it. */
  waitReady?: number;
}

/** What the editor's language servers say. */
export interface DiagnosticsResult {
  /** Whether the editor could say. */
  state: AnswerState;
  /** One for every document that was asked about or has any. */
  files?: FileDiagnostics[];
}

/** A file that was changed on the disk, by the desk or by a command of the agent. */
export interface DocumentChangedParams {
  /** The file. */
  uri: string;
  /** What was done to it. */
  reason: ChangeReason;
}

/** What to save. */
export interface DocumentSaveParams {
  /** The document. */
  uri: string;
}

/** Whether it is saved. */
export interface DocumentSaveResult {
  /** Whether the disk has the document's text now. */
  saved: boolean;
  /** Why not. */
  message?: string;
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

/** Something that happened. A client passes over events that it does not know. */
export type EventInfo =
  /** The session's title, agent, model or time has changed. */
  | {
      event: "session";
      /** As it is now. */
      session: SessionInfo;
    }
  /** A turn begins. */
  | {
      event: "turnStarted";
      /** Its number, from 1. */
      turn: number;
      /** The id of the prompt that it begins with. Its part follows, unless it cannot be kept. */
      prompt: string;
    }
  /** A part is new or has changed; a known id replaces what the client has. */
  | {
      event: "part";
      /** The whole of it. */
      part: PartInfo;
    }
  /** A part that is being written has grown. */
  | {
      event: "delta";
      /** The part's id. */
      part: string;
      /** To be added to `text` of a text or reasoning, to `arguments` of a call. */
      text: string;
    }
  /** A part will not be: the attempt it belonged to failed. The client takes it away. */
  | {
      event: "void";
      /** The part's id. */
      part: string;
    }
  /** A running call has something to show; it replaces what it showed before. */
  | {
      event: "progress";
      /** The part's id. */
      part: string;
      /** What the user is shown. */
      metadata: CallMetadata;
    }
  /** A call waits for a person. The request `copydesk/permission/ask` is what is answered. */
  | ({ event: "asked" } & PermissionAskInfo)
  /** Somebody replied, or nobody needs to any more. */
  | {
      event: "settled";
      /** The ask's id. */
      ask: string;
    }
  /** The agent waits for answers. The request `copydesk/question/ask` is what is answered. */
  | ({ event: "questioned" } & QuestionAskInfo)
  /** Somebody answered, or nobody needs to any more. */
  | {
      event: "answered";
      /** The id of the questions. */
      question: string;
    }
  /** What is undecided has changed: the agent edited, a person decided or typed. */
  | ({ event: "reviewChanged" } & ReviewChange)
  /** A command in the background has begun or ended, in a turn or between two. */
  | {
      event: "jobs";
      /** Those that run now. */
      running: JobInfo[];
      /** Those that have ended since the last such event. */
      ended: JobInfo[];
    }
  /** A turn is over. Exactly one for every `turnStarted`. */
  | {
      event: "turnEnded";
      /** Its number. */
      turn: number;
      /** Why. */
      end: TurnEndInfo;
    }
  /** Something the user should know about the session's setup: a key of the configuration that is left out, instructions that could not be fetched. It does not stop the work. */
  | {
      event: "warning";
      /** For the user. */
      message: string;
    }
  /** The session was deleted. It is the last event; nobody is attached any more. */
  | { event: "deleted" };

/** An event and its place among the events of its session. */
export interface EventParams {
  /** The session's id. */
  session: string;
  /** Counts up by one with every event of the session, as long as the desk runs. A client that sees a gap loads again. */
  seq: number;
  /** What happened. */
  event: EventInfo;
}

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
  /** The version of the document when they were looked at, as in LSP; missing where it is not open. */
  version?: number;
  /** How sure it is that they are for that version. */
  proof: ProofLevel;
  /** Why that is not known; only with `unknown`. */
  why?: string;
  /** All of them. */
  items: DiagnosticInfo[];
  /** Who has not seen this text, because it looks only at what is saved: the compiler behind a language server, by the source that its diagnostics name. */
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
  /** Its path for people, relative to the workspace; only where there are several files. */
  path?: string;
  /** What the change made wrong, or would; missing if nothing was checked. */
  diagnostics?: DiagnosticsMetadata;
  /** How many places each tier of the matcher found, by its name: `exact`, `indentation`, … */
  tiers?: Record<string, number>;
}

/** A file that came, went, or has another name. */
export interface FileHunkInfo {
  /** Its id. */
  hunk: string;
  /** What a decision on it expects. */
  expected: string;
  /** What the agent did. */
  kind: FileHunkKind;
  /** The path it had, where it was renamed. */
  from?: string;
  /** The ids of the parts of the calls that did it. */
  by: string[];
}

/** What became of a file. */
export type FileHunkKind =
  /** Rejecting deletes it. */
  | "created"
  /** Rejecting restores it. */
  | "deleted"
  /** Rejecting gives it its name back. */
  | "renamed";

/** Files and folders that `glob`, `list` or `read` listed. */
export interface FileListMetadata {
  /** How many are listed. */
  count: number;
  /** Whether there are more. */
  truncated: boolean;
}

/** Lines that are others. */
export interface HunkInfo {
  /** Its id, which it keeps as long as it lives. */
  hunk: string;
  /** What a decision on it expects: it is refused where the hunk is another by then. */
  expected: string;
  /** The first of its lines in the document, from 0: the new lines after, the old ones before. Where it has none there, the line before which they belong. A client that has typed since looks whether the lines still stand there. */
  line: number;
  /** Old lines, without their ends; at most 2,000. */
  old: string[];
  /** New lines, without their ends; at most 2,000. */
  new: string[];
  /** How many old lines there are. */
  oldLines: number;
  /** How many new lines there are. */
  newLines: number;
  /** What differs within lines; only in hunks that are not long. */
  words?: WordDiffInfo[];
  /** The ids of the parts of the calls that made it. */
  by: string[];
  /** A person has typed in it. */
  edited?: boolean;
  /** A decision on it is on its way through the editor. */
  deciding?: boolean;
  /** What is said to be wrong in its new lines, and was not before the agent's edits, as far as that is known; only of edits that are made. */
  problems?: HunkProblem[];
}

/** Lines of a hunk, counted from its first one on either side. */
export interface HunkLines {
  /** Old lines. */
  old?: number[];
  /** New lines. */
  new?: number[];
}

/** One problem in a new line of a hunk. */
export interface HunkProblem {
  /** Counted from the hunk's first line. */
  line: number;
  /** How bad. */
  severity: SeverityInfo;
  /** The source's name for this kind of problem, such as `E0308`. */
  code?: string;
  /** Who says so, such as `rust-analyzer`. */
  source: string;
  /** What is wrong, in one line. */
  message: string;
}

/** An inline edit that is not wanted any more. */
export interface InlineCancelParams {
  /** The session's id. */
  session: string;
  /** The review of the edit. */
  review: string;
}

/** What else the person wants of an inline edit. */
export interface InlineRefineParams {
  /** The session's id. */
  session: string;
  /** The review of the edit. */
  review: string;
  /** What to change about it; without words the model tries again. */
  instruction?: string;
}

/** What to rewrite, and how. */
export interface InlineStartParams {
  /** The session whose model writes. What it says is not part of the conversation. */
  session: string;
  /** The document. */
  uri: string;
  /** What was selected. */
  range: WireRange;
  /** What the person wants. */
  instruction: string;
}

/** Where the edit will be. */
export interface InlineStartResult {
  /** The review in which it stands, `before`, and grows as the model writes. */
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
  /** As in the params. */
  level: string;
}

/** How often a tier of matching found the place of an edit. */
export interface MatchTierCount {
  /** `exact`, or what was overlooked: `indentation`, `typography`, … */
  tier: string;
  /** How often. */
  count: number;
}

/** An image or a PDF. */
export interface MediaContent {
  /** Such as `image/png`. */
  mime: string;
  /** The bytes, in base64 with padding. */
  base64: string;
  /** The name of the file, where it had one. */
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
  /** For people. */
  name: string;
  /** The provider's name, for people. */
  provider: string;
  /** Tokens that it can have before it, where that is known. */
  context?: number;
  /** Tokens that it can write, where that is known. */
  output?: number;
  /** It runs on the desk's machine. */
  local?: boolean;
}

/** The models that can be used now. */
export interface ModelsResult {
  /** Grouped by provider. */
  models: ModelInfo[];
  /** The one that is used where nobody chose. */
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

/** What can be asked. */
export type NavigateKind =
  /** Where it is defined. */
  | "definition"
  /** Where it is declared. */
  | "declaration"
  /** Where its type is defined. */
  | "typeDefinition"
  /** Where it is implemented. */
  | "implementation"
  /** Where it is used. */
  | "references"
  /** What it is, in words. */
  | "hover"
  /** The symbols of the document. */
  | "documentSymbols"
  /** The symbols of the workspace whose names match `query`. */
  | "workspaceSymbols"
  /** Who calls it. */
  | "incomingCalls"
  /** Whom it calls. */
  | "outgoingCalls";

/** What to find. */
export interface NavigateParams {
  /** What is asked about it. */
  kind: NavigateKind;
  /** The document; needed for all but `workspaceSymbols`. */
  uri?: string;
  /** Where in it; needed for all but the symbols. */
  position?: WirePosition;
  /** The name, or a piece of it, for `workspaceSymbols`. */
  query?: string;
  /** How long to wait for the language server, in milliseconds; where it is missing, as long as the editor likes. */
  wait?: number;
}

/** What was found. Which of the lists is filled follows from what was asked. */
export interface NavigateResult {
  /** Whether the editor could say. */
  state: AnswerState;
  /** Definitions, declarations, implementations, references. */
  locations?: WireLocation[];
  /** Symbols, and the two ends of calls. */
  symbols?: SymbolInfo[];
  /** Hover, as Markdown. */
  text?: string;
  /** The language server that answered, where the editor tells. */
  server?: string;
}

/** A file the person has open. */
export interface OpenFile {
  /** The document. */
  uri: string;
  /** It has the focus. */
  active?: boolean;
  /** It can be seen. */
  visible?: boolean;
  /** It has changes that are not saved. */
  dirty?: boolean;
  /** LSP's id of its language. */
  language?: string;
}

/** The files the person has open. */
export interface OpenFilesResult {
  /** The one that was used last first, where the editor knows. */
  files?: OpenFile[];
}

/** What a part is. */
export type PartContentInfo =
  /** What a person asked. */
  | ({ kind: "prompt" } & PromptInfo)
  /** An image or a PDF that came with a prompt. */
  | ({ kind: "file" } & MediaContent)
  /** What the model said. */
  | ({ kind: "text" } & TextContent)
  /** What the model let us see of its thinking. */
  | ({ kind: "reasoning" } & TextContent)
  /** A call of a tool. */
  | ({ kind: "call" } & CallInfo)
  /** A request to the model begins. */
  | {
      kind: "stepStart";
      /** `PROVIDER/MODEL` */
      model: string;
    }
  /** A request to the model is answered. */
  | ({ kind: "stepFinish" } & StepFinishInfo)
  /** A request to the model failed, and another attempt will be made. */
  | {
      kind: "retry";
      /** Which retry this is, from 1. */
      attempt: number;
      /** What went wrong, for a person. */
      message: string;
      /** When the next attempt is made, in milliseconds since 1970. */
      at: number;
    }
  /** Something the model is told at its next step without anybody having said it. */
  | ({ kind: "note" } & TextContent);

/** One thing that was said or done. */
export interface PartInfo {
  /** Unique; the order of parts is that in which they are sent, not that of their ids. */
  id: string;
  /** The session's id. */
  session: string;
  /** The number of its turn, from 1. */
  turn: number;
  /** The number of its step, from 1 within the turn; 0 for what came before the first request to the model. */
  step: number;
  /** When it began, in milliseconds since 1970. */
  created: number;
  /** When it last changed, in milliseconds since 1970. */
  updated: number;
  /** Where it is on its way. */
  state: PartStateInfo;
  /** What it is. */
  content: PartContentInfo;
}

/** Where a part is on its way. One that is completed is on the desk's disk. */
export type PartStateInfo =
  /** It has not begun. */
  | { kind: "pending" }
  /** It is under way. */
  | { kind: "running" }
  /** It is done. */
  | { kind: "completed" }
  /** It failed. */
  | {
      kind: "error";
      /** Why, for a person. */
      message: string;
    }
  /** The desk ended, or the person cancelled, while it ran. */
  | { kind: "interrupted" };

/** What a call wants to do. */
export interface PermissionAskInfo {
  /** The ask's id. The same ask may come more than once, when a client attaches again. */
  ask: string;
  /** The id of the call's part, whose event may come later than the ask. */
  part: string;
  /** The key of the rule that asks, such as `bash` or `edit`. */
  key: string;
  /** What is to be allowed: each path, each command. */
  patterns: string[];
  /** What `always` would allow from now on; empty where that cannot be said, and then `always` is not offered. */
  always: string[];
  /** One line for the person. */
  title: string;
  /** What the user is shown. */
  metadata?: PermissionAskMetadata;
}

/** What a view shows of an ask: the fields of its tool, and `PermissionAskNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own. */
export type PermissionAskMetadata =
  /** `edit`, `multiedit`, `write`, `apply_patch` */
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
  /** The ask's id. The same ask may come more than once, when a client attaches again. */
  ask: string;
  /** The id of the call's part, whose event may come later than the ask. */
  part: string;
  /** The key of the rule that asks, such as `bash` or `edit`. */
  key: string;
  /** What is to be allowed: each path, each command. */
  patterns: string[];
  /** What `always` would allow from now on; empty where that cannot be said, and then `always` is not offered. */
  always: string[];
  /** One line for the person. */
  title: string;
  /** What the user is shown. */
  metadata?: PermissionAskMetadata;
}

/** What a person replied, or that nobody did. */
export type PermissionReply =
  /** This time. */
  | { reply: "once" }
  /** This time, and whatever the ask has under `always` for as long as the session remembers. */
  | { reply: "always" }
  /** No. With a reason the model is told it and goes on; without one the turn stops. */
  | {
      reply: "reject";
      /** What the model is told. One without words is none. */
      reason?: string;
    }
  /** Nobody is at this client who could be asked, as where a script prompts: the call is refused, and the model is told why and goes on. */
  | { reply: "nobody" }
  /** No reply from this client: the ask was settled, or its window was closed. It stays open for others. */
  | { reply: "cancelled" };

/** An ask that needs no reply any more. */
export interface PermissionSettledParams {
  /** The session's id. */
  session: string;
  /** The ask's id. */
  ask: string;
  /** The name of the client that replied; missing where it was this one, or where nobody did. */
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

/** How sure it is that an answer is about the text as it is now. */
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

/** What a person, or an agent in a person's place, asked. */
export interface PromptInfo {
  /** The words. */
  text: string;
  /** It came while the turn ran, and joined it. */
  steers?: boolean;
}

/** How sure it is that diagnostics are for the text in question. */
export type ProofLevel =
  /** A language server said so: it was asked for this version, or named it. */
  | "proven"
  /** They came after this version, and nothing has changed for a while. */
  | "likely"
  /** They may be for an older text. */
  | "unknown";

/** `data` of the error with which `initialize` fails when the two do not speak the same protocol. */
export interface ProtocolMismatch {
  /** The version of the protocol that the desk speaks. */
  desk: number;
  /** The version of the protocol that the client speaks. */
  client: number;
  /** The side to update. */
  update: ProtocolSide;
  /** Trying again does not help: vscode-languageclient offers it otherwise. */
  retry: boolean;
}

/** One of the two that talk. */
export type ProtocolSide =
  /** The daemon. */
  | "desk"
  /** The editor's extension. */
  | "client";

/** Questions that are asked together. */
export interface QuestionAskInfo {
  /** Their id. The same questions may come more than once, when a client attaches again. */
  question: string;
  /** The id of the call's part, whose event may come later than the questions. */
  part: string;
  /** Who asks, where it is an agent that works for the session's own. */
  agent?: string;
  /** At least one. */
  questions: QuestionInfo[];
}

/** Questions and their session. */
export interface QuestionAskParams {
  /** The session's id. */
  session: string;
  /** Their id. The same questions may come more than once, when a client attaches again. */
  question: string;
  /** The id of the call's part, whose event may come later than the questions. */
  part: string;
  /** Who asks, where it is an agent that works for the session's own. */
  agent?: string;
  /** At least one. */
  questions: QuestionInfo[];
}

/** One question. */
export interface QuestionInfo {
  /** A word or two, for a tab or a title. */
  header: string;
  /** The question. */
  text: string;
  /** What can be chosen. */
  options: QuestionOptionInfo[];
  /** Whether more than one may be chosen. */
  multiple: boolean;
  /** Whether the person may write an answer of their own. */
  custom: boolean;
}

/** What can be chosen. */
export interface QuestionOptionInfo {
  /** What is sent back when it is chosen. */
  label: string;
  /** What it would mean. */
  description?: string;
}

/** What a person answered, or that nobody did. */
export type QuestionReply =
  /** The person answered. */
  | {
      reply: "answered";
      /** For each question, in their order: the labels that were chosen, or the person's own words. */
      answers: string[][];
    }
  /** There is no answer. With a reason the model is told it and goes on; without one the person does not want to answer, and the turn stops. */
  | {
      reply: "rejected";
      /** What the model is told. One without words is none. */
      reason?: string;
    }
  /** No reply from this client: the questions were settled, or its window was closed. They stay open for others. */
  | { reply: "cancelled" };

/** Questions that need no reply any more. */
export interface QuestionSettledParams {
  /** The session's id. */
  session: string;
  /** The id of the questions. */
  question: string;
  /** The name of the client that answered; missing where it was this one, or where nobody did. */
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

/** A review as it has become. The session event `reviewChanged` has it. */
export interface ReviewChange {
  /** Of its hunks only those that are new or others than before. One without hunks and without a file is over. */
  review: ReviewInfo;
  /** The ids of the hunks that are no more. */
  gone?: string[];
  /** Why an inline edit came to nothing, for the person. */
  failed?: string;
}

/** Something to say to the model about its edits, without deciding them. It is told at its next step; several go together. */
export interface ReviewCommentParams {
  /** The session's id. */
  session: string;
  /** The document. */
  uri: string;
  /** The first of the lines that it is about, from 0. */
  line: number;
  /** How many lines; where it is missing, one. */
  lines?: number;
  /** What to say. */
  text: string;
}

/** What waits to be said. */
export interface ReviewCommentResult {
  /** How many comments wait for the model's next step, this one included. */
  comments: number;
}

/** What a person decided. */
export interface ReviewDecideParams {
  /** The session's id. */
  session: string;
  /** Each stands or falls by itself. */
  decisions: ReviewDecision[];
}

/** What became of the decisions. */
export interface ReviewDecideResult {
  /** One for each decision, in their order. */
  decided: ReviewDecisionResult[];
}

/** A decision on a hunk, a file, or everything in a review. */
export interface ReviewDecision {
  /** The id of the hunk, or of the review. */
  hunk: string;
  /** As the screen has it. */
  expected: string;
  /** Yes or no. */
  verdict: ReviewVerdict;
  /** Only these lines; the rest of the hunk stays undecided. */
  lines?: HunkLines;
  /** Accepted with this text in the place of the hunk's lines. */
  text?: string;
  /** What the model is told with it. One without words is none. */
  comment?: string;
  /** The person knows that a created file they have typed in is going to be deleted. */
  confirmed?: boolean;
}

/** What became of a decision. */
export type ReviewDecisionOutcome =
  /** It is carried out. */
  | "done"
  /** The hunk is gone or another by now, or the editor did not make the change. Nothing has happened. */
  | "refused"
  /** A person has typed in the file that would be deleted: to be decided again, with `confirmed`. */
  | "confirm";

/** What became of a decision. */
export interface ReviewDecisionResult {
  /** As in the decision. */
  hunk: string;
  /** What became of it. */
  outcome: ReviewDecisionOutcome;
  /** Why, for a person. */
  message?: string;
}

/** The undecided edits of one document. */
export interface ReviewInfo {
  /** Its id. As `hunk` of a decision it stands for everything in it. */
  review: string;
  /** The document. */
  uri: string;
  /** The same for a person: relative to the session's folder where it lies in it. */
  path: string;
  /** Whether its edits are made. */
  when: ReviewTimingInfo;
  /** The ask of the call that waits for it. */
  ask?: string;
  /** An inline edit whose model is still at work. It can be decided when that is over. */
  writing?: boolean;
  /** What a decision on everything in it expects. */
  expected: string;
  /** The file itself, where the agent created, deleted or renamed it. It is one of the hunks. */
  file?: FileHunkInfo;
  /** In the order of the text. */
  hunks: HunkInfo[];
  /** How many hunks of lines it has altogether. */
  total: number;
  /** New lines of all hunks. */
  additions: number;
  /** Old lines of all hunks. */
  deletions: number;
}

/** Which reviews of a session to list. */
export interface ReviewListParams {
  /** The session's id. */
  session: string;
  /** Only those of this document. */
  uri?: string;
  /** Passes over so many hunks of each review: a list has at most 1,000 of one. */
  skip?: number;
}

/** What is undecided. */
export interface ReviewListResult {
  /** One for each document, sorted by path; two where some of its edits are made and others wait. */
  reviews: ReviewInfo[];
  /** How many comments wait for the model's next step. */
  comments: number;
}

/** Whether an edit is reviewed before it is made or after. */
export type ReviewTimingInfo =
  /** The call waits; nothing is changed before somebody accepts it. */
  | "before"
  /** The edit is made, and the turn goes on. */
  | "after";

/** Yes or no. */
export type ReviewVerdict =
  /** The new lines stay, or come. */
  | "accept"
  /** The old lines stay, or come back. */
  | "reject";

/** What `websearch` or `codesearch` would search for. */
export interface SearchAskMetadata {
  /** The words. */
  query: string;
}

/** A selection, or the place of the cursor. */
export interface SelectionInfo {
  /** The document. */
  uri: string;
  /** Where in it; empty where only the cursor is there. */
  range: WireRange;
  /** The text that is selected. */
  text: string;
}

/** What the person has selected. */
export interface SelectionResult {
  /** Missing where no document has the focus or had it last. */
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

/** A language server of the desk's own. */
export interface ServerInfo {
  /** Its name, such as `rust-analyzer`. */
  name: string;
  /** The folder that it works in. */
  root: string;
  /** How it is. */
  state: ServerState;
  /** What it is doing, or why it does nothing. */
  message?: string;
  /** How much of that is done. */
  percent?: number;
  /** How many documents it holds. */
  documents: number;
  /** What it uses, in bytes, with all that it started. */
  memory?: number;
  /** Its process, while there is one. */
  pid?: number;
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

/** How a language server is. */
export type ServerState =
  /** It was started, and has not answered. */
  | "starting"
  /** It reads the project: what it finds nothing in may be wrong. */
  | "indexing"
  /** It can be asked. */
  | "ready"
  /** It broke, and is started again soon. */
  | "resting"
  /** It broke too often; `servers/restart` starts it again. */
  | "givenUp"
  /** Nobody needed it for a while. */
  | "ending";

/** The editor told a language server of files on the disk. */
export interface ServerWatchedParams {
  /** The server. */
  server: number;
  /** The files, as in `workspace/didChangeWatchedFiles`. */
  changes: WatchedFileChange[];
}

/** Which language servers to start anew. */
export interface ServersRestartParams {
  /** The name of the server, in whatever folders it works. */
  name: string;
}

/** What became of it. */
export interface ServersRestartResult {
  /** How many there were of that name. */
  servers: number;
}

/** A session, and where another one goes its own way. */
export interface SessionForkParams {
  /** The session's id. */
  session: string;
  /** The id of the first part that the new session does not have. */
  before: string;
}

/** A conversation with an agent. The desk owns it; it outlives every window. */
export interface SessionInfo {
  /** Unique; later ones sort after earlier ones. */
  id: string;
  /** The folder it works in: an absolute path on the desk's machine. */
  folder: string;
  /** Missing until there is one. */
  title?: string;
  /** The agent's name. */
  agent: string;
  /** `PROVIDER/MODEL`, where one was chosen for this session. */
  model?: string;
  /** The session whose call began this one. */
  parent?: string;
  /** When its edits are reviewed, where a person chose that. */
  review?: ReviewTimingInfo;
  /** When it was made, in milliseconds since 1970. */
  created: number;
  /** When anything last happened in it, in milliseconds since 1970. */
  updated: number;
}

/** Which sessions to list. */
export interface SessionListParams {
  /** Only those that work in this folder. */
  folder?: string;
  /** At most so many; where it is missing, 50. */
  limit?: number;
  /** Only those last used before this session: the id of the last one of the page before. */
  before?: string;
}

/** A page of sessions. */
export interface SessionListResult {
  /** The one that was used last first. A page that is not full is the last. */
  sessions: SessionInfo[];
}

/** Which session to attach to. */
export interface SessionLoadParams {
  /** The session's id. */
  session: string;
  /** At most so many parts, the last ones; where it is missing, 200. */
  limit?: number;
}

/** All that a client needs to show a session, as of `seq`. */
export interface SessionLoadResult {
  /** The session as it is now. */
  session: SessionInfo;
  /** The last parts in their order, those under way included, with what they have so far. */
  parts: PartInfo[];
  /** Whether there are parts before these: see `copydesk/session/parts`. */
  earlier: boolean;
  /** The number of the turn that runs; missing where none does. */
  running?: number;
  /** The last event that is contained in this. Events up to it are dropped, whenever they come. */
  seq: number;
  /** Asks that wait for a reply. Each is also sent to this client as a request. */
  asks: PermissionAskInfo[];
  /** Questions that wait for a reply. They are also sent to this client as requests. */
  questions: QuestionAskInfo[];
  /** Commands that run in the background. */
  jobs?: JobInfo[];
  /** What the user was warned of since the daemon has the session at hand: see the event `warning`. */
  warnings?: string[];
}

/** What a new session is to be. */
export interface SessionNewParams {
  /** The folder to work in; where it is missing, the client's first workspace folder. */
  folder?: string;
  /** The agent's name; where it is missing, the configured one. */
  agent?: string;
  /** `PROVIDER/MODEL`; where it is missing, the agent's or the configured one. */
  model?: string;
}

/** Names a session. */
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
  /** At most so many, the last ones; where it is missing, 200. */
  limit?: number;
}

/** A page of parts. */
export interface SessionPartsResult {
  /** In their order. */
  parts: PartInfo[];
  /** Whether there are parts before these. */
  earlier: boolean;
}

/** A session and its new title. */
export interface SessionRenameParams {
  /** The session's id. */
  session: string;
  /** The new title. */
  title: string;
}

/** The session as it is now. */
export interface SessionResult {
  /** The session as it is now. */
  session: SessionInfo;
}

/** One place where the words stand. */
export interface SessionSearchMatch {
  /** The session's id. */
  session: string;
  /** The session's title; missing where it has none. */
  title?: string;
  /** The id of the part in which they stand. */
  part: string;
  /** A line or so around them. */
  excerpt: string;
}

/** What to look for. */
export interface SessionSearchParams {
  /** Words; all of them must be there. */
  query: string;
  /** At most so many; where it is missing, 50. */
  limit?: number;
}

/** What was found. */
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

/** When the edits of a session are reviewed. */
export interface SessionSetReviewParams {
  /** The session's id. */
  session: string;
  /** From the next edit on; where it is missing, as the rules say. */
  review?: ReviewTimingInfo;
}

/** A session that the desk has at hand. */
export interface SessionStatus {
  /** The session's id. */
  session: string;
  /** Whether a turn runs. */
  running: boolean;
}

/** How bad a problem is. */
export type SeverityInfo =
  /** It does not work. */
  | "error"
  /** It may not work. */
  | "warning"
  /** Worth knowing. */
  | "information"
  /** A suggestion. */
  | "hint";

/** What to show. */
export interface ShowParams {
  /** The document. */
  uri: string;
  /** Where in it. */
  range?: WireRange;
  /** Whether the cursor goes there too. */
  focus?: boolean;
}

/** Whether it is shown. */
export interface ShowResult {
  /** Whether it is shown. */
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

/** How the desk is. */
export interface StatusResult {
  /** The desk's version. */
  version: string;
  /** The version of the protocol that it speaks. */
  protocol: number;
  /** Its process. */
  pid: number;
  /** When it was started, in milliseconds since 1970. */
  started: number;
  /** How many clients are attached to it. */
  clients: number;
  /** The sessions that it has at hand. */
  sessions: SessionStatus[];
  /** How many documents the clients have open. */
  documents: number;
  /** How strictly the places of agents' edits were found since the desk began, the most frequent way first. */
  tiers?: MatchTierCount[];
  /** The language servers that it runs itself, by name. */
  servers?: ServerInfo[];
  /** Those that would be of use and are not installed. */
  missing?: MissingServer[];
}

/** How a request to the model ended. */
export interface StepFinishInfo {
  /** Why the model stopped. */
  stop: StopReasonInfo;
  /** What was used. */
  usage: UsageInfo;
  /** US dollars, where the price is known. */
  cost?: number;
}

/** When to stop. */
export interface StopParams {
  /** When to stop. */
  when: StopTiming;
}

/** Why a model stopped. */
export type StopReasonInfo =
  /** It has said what it wanted to say. */
  | "end"
  /** It waits for the results of its calls. */
  | "calls"
  /** It ran into the output limit; the last part may be cut. */
  | "length"
  /** It ran into the end of its context window. */
  | "context"
  /** The model or a filter of the provider refused. */
  | "refused"
  /** The provider asks to be called again. */
  | "paused"
  /** The stream broke after complete calls had been received: they stand, the rest is lost. */
  | "broken";

/** What the stop waits for. */
export interface StopResult {
  /** How many turns still run. */
  waitingFor: number;
}

/** When to stop. */
export type StopTiming =
  /** When no turn runs any more. Until then everything works as before. */
  | "idle"
  /** At once. Running turns are cancelled; what is completed is kept. */
  | "now";

/** A named thing in a document. */
export interface SymbolInfo {
  /** Its name. */
  name: string;
  /** LSP's word for what it is, such as `function` or `struct`. */
  kind?: string;
  /** More about it, such as its signature. */
  detail?: string;
  /** What it is part of. */
  container?: string;
  /** The document. */
  uri: string;
  /** All of it. */
  range: WireRange;
  /** How deep it stands in the document, from 0; the list is in the order of the document. */
  depth?: number;
  /** Where the calls are, for the ends of calls: in this document for incoming ones, in the one asked about for outgoing ones. */
  calls?: WireRange[];
}

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

/** Words. */
export interface TextContent {
  /** The words, Markdown where the model wrote them. */
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

/** Why a turn is over. */
export type TurnEndInfo =
  /** The model has said what it wanted to say. */
  | { kind: "done" }
  /** A person cancelled it, or the desk stopped. */
  | { kind: "cancelled" }
  /** A person rejected an ask without a reason to go on with. */
  | { kind: "rejected" }
  /** The model would have gone on, but no more steps are allowed. */
  | {
      kind: "stepLimit";
      /** So many are. */
      steps: number;
    }
  /** It could not go on. */
  | {
      kind: "failed";
      /** Why, for a person. */
      message: string;
    };

/** What a person asks of a session. */
export interface TurnParams {
  /** The session's id. */
  session: string;
  /** The words. */
  text: string;
  /** Images and PDFs. */
  files?: MediaContent[];
  /** What the person pointed at. */
  context?: ContextItem[];
}

/** What became of a prompt. */
export interface TurnStartResult {
  /** It waits for the end of the running turn. */
  queued: boolean;
  /** The id of the part that the prompt will be. The event `turnStarted` of its turn names it. */
  prompt: string;
}

/** What became of a prompt. */
export interface TurnSteerResult {
  /** It joins the running turn; otherwise it began one. */
  joined: boolean;
  /** The id of the part that the prompt will be. */
  prompt: string;
}

/** What became of one file. */
export type UndoOutcome =
  /** What the agent did is taken back. */
  | "undone"
  /** A person has since changed the same lines; the file is left as it is. */
  | "conflict"
  /** The file is not there any more. */
  | "gone"
  /** There was nothing of it left to take back. */
  | "unchanged";

/** What to take back. */
export interface UndoParams {
  /** The session's id. */
  session: string;
  /** How much. */
  what: UndoScope;
}

/** What became of it, file by file. */
export interface UndoResult {
  /** Empty where there was nothing to take back. */
  files: UndoneFile[];
}

/** How much to take back. What a person wrote is never taken along. */
export type UndoScope =
  /** What one call did: the id of its part. */
  | { call: string }
  /** What one turn did: its number. */
  | { turn: number }
  /** What was done after a part: its id. */
  | { after: string };

/** What became of one file. */
export interface UndoneFile {
  /** The document. */
  uri: string;
  /** What became of it. */
  outcome: UndoOutcome;
  /** Why, for a person. */
  message?: string;
}

/** Tokens of one request. */
export interface UsageInfo {
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

/** A stretch of text in a document. */
export interface WireLocation {
  /** The document. */
  uri: string;
  /** Where in it. */
  range: WireRange;
}

/** A place between two characters. */
export interface WirePosition {
  /** From 0. */
  line: number;
  /** From 0, in the position encoding that LSP negotiated. */
  character: number;
}

/** A stretch of text. */
export interface WireRange {
  /** Where it begins. */
  start: WirePosition;
  /** Where it ends; what stands there is not part of it. */
  end: WirePosition;
}

/** What differs in an old line and in the new line at the same place of a hunk. */
export interface WordDiffInfo {
  /** Counted from the hunk's first line, on both sides. */
  line: number;
  /** From where to where, in bytes of the line. */
  old: unknown[][];
  /** From where to where, in bytes of the line. */
  new: unknown[][];
}
