//! The table of methods: name on the wire (all begin with `copydesk/`), direction, kind, params, result, and whether the
//! answer may wait for a person.

use crate::daemon::{
    AgentsParams, AgentsResult, Empty, LogSetParams, LogSetResult, ModelsResult, ServersRestartParams,
    ServersRestartResult, StatusResult, StopParams, StopResult,
};
use crate::document::{DocumentChangedParams, DocumentSaveParams, DocumentSaveResult};
use crate::editor::{
    DiagnosticsParams, DiagnosticsResult, OpenFilesResult, SelectionResult, ShowParams, ShowResult,
};
use crate::event::EventParams;
use crate::inline::{InlineCancelParams, InlineRefineParams, InlineStartParams, InlineStartResult};
use crate::method::methods;
use crate::navigation::{NavigateParams, NavigateResult};
use crate::permission::{PermissionAskParams, PermissionReply, PermissionSettledParams};
use crate::question::{QuestionAskParams, QuestionReply, QuestionSettledParams};
use crate::review::{
    ReviewCommentParams, ReviewCommentResult, ReviewDecideParams, ReviewDecideResult, ReviewListParams,
    ReviewListResult, SessionSetReviewParams,
};
use crate::server::{
    EditorServerMessageParams, EditorServerResponse, EditorServersDoneParams, EditorServersParams,
    EditorServersResult, ServerDocumentParams, ServerEndedParams, ServerReceivedParams, ServerStartedParams,
    ServerWatchedParams,
};
use crate::session::{
    SessionForkParams, SessionListParams, SessionListResult, SessionLoadParams, SessionLoadResult,
    SessionNewParams, SessionParams, SessionPartsParams, SessionPartsResult, SessionRenameParams,
    SessionResult, SessionSearchParams, SessionSearchResult, SessionSetAgentParams, SessionSetModelParams,
};
use crate::turn::{TurnParams, TurnStartResult, TurnSteerResult};
use crate::undo::{UndoParams, UndoResult};

methods! {
    /// Makes a session. It is kept once something has been said in it.
    ToDesk Request SessionNew = "session/new" (SessionNewParams => SessionResult)
    /// Sessions, the one that was used last first.
    ToDesk Request SessionList = "session/list" (SessionListParams => SessionListResult)
    /// Attaches this client to a session: it gets what there is, and from then on the session's events and open asks.
    ToDesk Request SessionLoad = "session/load" (SessionLoadParams => SessionLoadResult)
    /// Earlier parts of a session, page by page. Does not attach.
    ToDesk Request SessionParts = "session/parts" (SessionPartsParams => SessionPartsResult)
    /// Detaches this client from a session. A running turn goes on.
    ToDesk Request SessionLeave = "session/leave" (SessionParams => Empty)
    /// Makes a session that has what was said in another before a part. The other stays as it is.
    ToDesk Request SessionFork = "session/fork" (SessionForkParams => SessionResult)
    /// Gives a session another title.
    ToDesk Request SessionRename = "session/rename" (SessionRenameParams => SessionResult)
    /// Deletes a session and all that was said in it. A running turn is cancelled first.
    ToDesk Request SessionDelete = "session/delete" (SessionParams => Empty)
    /// Chooses the model of a session, from its next turn on.
    ToDesk Request SessionSetModel = "session/setModel" (SessionSetModelParams => SessionResult)
    /// Chooses the agent of a session, from its next turn on.
    ToDesk Request SessionSetAgent = "session/setAgent" (SessionSetAgentParams => SessionResult)
    /// Chooses whether a session's edits are reviewed before they are made or after, from the next edit on.
    ToDesk Request SessionSetReview = "session/setReview" (SessionSetReviewParams => SessionResult)
    /// Finds sessions by what was said in them.
    ToDesk Request SessionSearch = "session/search" (SessionSearchParams => SessionSearchResult)
    /// Prompts. Answers at once; the turn is told by events. While a turn runs the prompt waits for its end.
    ToDesk Request TurnStart = "turn/start" (TurnParams => TurnStartResult)
    /// Prompts into the running turn: the model reads it with its next step. Without a turn it begins one.
    ToDesk Request TurnSteer = "turn/steer" (TurnParams => TurnSteerResult)
    /// Ends the running turn, and with it all asks. Answers at once; without a turn nothing happens.
    ToDesk Request TurnCancel = "turn/cancel" (SessionParams => Empty)
    /// Takes back what the agent did to files, and only that.
    ToDesk Request Undo = "undo" (UndoParams => UndoResult)
    /// Takes back the last undo of a session.
    ToDesk Request Redo = "redo" (SessionParams => UndoResult)
    /// What of the agent's edits nobody has decided yet.
    ToDesk Request ReviewList = "review/list" (ReviewListParams => ReviewListResult)
    /// Decides hunks. What is refused is answered, with the reason, and changes nothing.
    ToDesk Request ReviewDecide = "review/decide" (ReviewDecideParams => ReviewDecideResult)
    /// Says something about an edit without deciding it. The model is told at its next step.
    ToDesk Request ReviewComment = "review/comment" (ReviewCommentParams => ReviewCommentResult)
    /// Has the session's model rewrite a stretch of a document. Answers at once; the edit grows in a review.
    ToDesk Request InlineStart = "inline/start" (InlineStartParams => InlineStartResult)
    /// Asks for something else in the place of an inline edit that is not decided yet.
    ToDesk Request InlineRefine = "inline/refine" (InlineRefineParams => Empty)
    /// Gives an inline edit up, while it is written or after. The document is as it was.
    ToDesk Request InlineCancel = "inline/cancel" (InlineCancelParams => Empty)
    /// The models that can be used now.
    ToDesk Request Models = "models" (Empty => ModelsResult)
    /// The agents that a person can choose.
    ToDesk Request Agents = "agents" (AgentsParams => AgentsResult)
    /// How the desk is.
    ToDesk Request Status = "status" (Empty => StatusResult)
    /// Ends language servers of the desk's own and starts them anew, whatever they broke of.
    ToDesk Request ServersRestart = "servers/restart" (ServersRestartParams => ServersRestartResult)
    /// What the client's own language servers say is wrong, and how sure it is that they say it of the present text.
    ToDesk Request Diagnostics = "diagnostics" (DiagnosticsParams => DiagnosticsResult)
    /// A language server of the editor is there.
    ToDesk Notification ServerStarted = "server/started" (ServerStartedParams)
    /// The editor told a language server of a document.
    ToDesk Notification ServerDocument = "server/document" (ServerDocumentParams)
    /// The editor told a language server of files on the disk.
    ToDesk Notification ServerWatched = "server/watched" (ServerWatchedParams)
    /// A language server sent the editor a message.
    ToDesk Notification ServerReceived = "server/received" (ServerReceivedParams)
    /// A language server of the editor has ended.
    ToDesk Notification ServerEnded = "server/ended" (ServerEndedParams)
    /// Changes how much the daemon logs.
    ToDesk Request LogSet = "log/set" (LogSetParams => LogSetResult)
    /// Stops the desk.
    ToDesk Request Stop = "stop" (StopParams => StopResult)

    /// Something happened in a session that this client is attached to.
    ToClient Notification Event = "event" (EventParams)
    /// Asks a person whether a call may do what it wants. Sent to every attached client; the first reply wins.
    ToClient Request PermissionAsk = "permission/ask" (PermissionAskParams => PermissionReply; waits_for_person)
    /// An ask needs no reply any more. Whoever still shows it takes it away and answers `cancelled`.
    ToClient Notification PermissionSettled = "permission/settled" (PermissionSettledParams)
    /// Asks a person what the agent wants to know. Sent to every attached client; the first reply wins.
    ToClient Request QuestionAsk = "question/ask" (QuestionAskParams => QuestionReply; waits_for_person)
    /// Questions need no reply any more. Whoever still shows them takes them away and answers `cancelled`.
    ToClient Notification QuestionSettled = "question/settled" (QuestionSettledParams)
    /// Which of the editor's own language servers serve a document.
    ToClient Request EditorServers = "editor/servers" (EditorServersParams => EditorServersResult)
    /// The daemon has what it wanted to know of a document: the editor may unload it.
    ToClient Notification EditorServersDone = "editor/serversDone" (EditorServersDoneParams)
    /// Sends a request to one of the editor's own language servers.
    ToClient Request EditorServerRequest = "editor/serverRequest" (EditorServerMessageParams => EditorServerResponse)
    /// Sends a notification to one of the editor's own language servers.
    ToClient Notification EditorServerNotify = "editor/serverNotify" (EditorServerMessageParams)
    /// Asks the editor's own language servers where something is, or what it is.
    ToClient Request EditorNavigate = "editor/navigate" (NavigateParams => NavigateResult)
    /// What the person has selected.
    ToClient Request EditorSelection = "editor/selection" (Empty => SelectionResult)
    /// The files the person has open.
    ToClient Request EditorOpenFiles = "editor/openFiles" (Empty => OpenFilesResult)
    /// Shows a place in the editor.
    ToClient Request EditorShow = "editor/show" (ShowParams => ShowResult)
    /// The desk was started anew under this client: its documents are open again, its sessions are not loaded.
    ToClient Notification Restarted = "restarted" (Empty)
    /// The desk changed a file on the disk that this client may have open.
    ToClient Notification DocumentChanged = "document/changed" (DocumentChangedParams)
    /// Saves an open document, as if the person had.
    ToClient Request DocumentSave = "document/save" (DocumentSaveParams => DocumentSaveResult)
}
