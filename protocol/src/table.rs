//! The table of methods: name on the wire (all begin with `copydesk/`), direction, kind, params, result, and whether the
//! response may wait for a user.

use crate::daemon::{
    AgentsParams, AgentsResult, Empty, LogSetParams, LogSetResult, ModelsParams, ModelsResult,
    ServersRestartParams, ServersRestartResult, StatusResult, StopParams, StopResult,
};
use crate::document::{
    DocumentChangedParams, DocumentSaveParams, DocumentSaveResult, DocumentVerifyParams, DocumentVerifyResult,
};
use crate::editor::{
    DiagnosticsParams, DiagnosticsResult, OpenFilesResult, SelectionResult, ShowParams, ShowResult,
};
use crate::event::EventParams;
use crate::inline::{InlineCancelParams, InlineRefineParams, InlineStartParams, InlineStartResult};
use crate::method::methods;
use crate::permission::{
    PermissionAskParams, PermissionExplainParams, PermissionExplainResult, PermissionListParams,
    PermissionListResult, PermissionReply, PermissionRevokeParams, PermissionRevokeResult,
    PermissionSettledParams, SessionSetPresetParams,
};
use crate::provider::{ProviderListParams, ProviderListResult, ProviderSetKeyParams, ProviderSetKeyResult};
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
    SessionNewParams, SessionParams, SessionPartsParams, SessionPartsResult, SessionPendingParams,
    SessionPendingResult, SessionRenameParams, SessionResult, SessionSearchParams, SessionSearchResult,
    SessionSetAgentParams, SessionSetModelParams,
};
use crate::trust::{TrustInfo, TrustSetParams};
use crate::turn::{TurnParams, TurnStartResult, TurnSteerResult, TurnStopCallParams};
use crate::undo::{UndoParams, UndoResult};

methods! {
    /// Creates a session, and stores it at once.
    ToDaemon Request SessionNew = "session/new" (SessionNewParams => SessionResult)
    /// Lists sessions, last used first.
    ToDaemon Request SessionList = "session/list" (SessionListParams => SessionListResult)
    /// Lists the sessions of a folder that run, wait for the user, or have undecided hunks.
    ToDaemon Request SessionPending = "session/pending" (SessionPendingParams => SessionPendingResult)
    /// Attaches this client to a session: it gets the present state, and from then on the session's events and asks.
    ToDaemon Request SessionLoad = "session/load" (SessionLoadParams => SessionLoadResult)
    /// Returns earlier parts of a session, page by page. Does not attach.
    ToDaemon Request SessionParts = "session/parts" (SessionPartsParams => SessionPartsResult)
    /// Detaches this client from a session. A running turn continues.
    ToDaemon Request SessionLeave = "session/leave" (SessionParams => Empty)
    /// Creates a session with the history of another one before a part. The other session does not change.
    ToDaemon Request SessionFork = "session/fork" (SessionForkParams => SessionResult)
    /// Sets the title of a session.
    ToDaemon Request SessionRename = "session/rename" (SessionRenameParams => SessionResult)
    /// Deletes a session and its history. Cancels a running turn first.
    ToDaemon Request SessionDelete = "session/delete" (SessionParams => Empty)
    /// Sets the model of a session, from its next turn on.
    ToDaemon Request SessionSetModel = "session/setModel" (SessionSetModelParams => SessionResult)
    /// Sets the agent of a session, from its next turn on.
    ToDaemon Request SessionSetAgent = "session/setAgent" (SessionSetAgentParams => SessionResult)
    /// Sets whether a session's edits are reviewed before or after they are made, from the next edit on.
    ToDaemon Request SessionSetReview = "session/setReview" (SessionSetReviewParams => SessionResult)
    /// Sets what runs unasked in a session, from the next call on.
    ToDaemon Request SessionSetPreset = "session/setPreset" (SessionSetPresetParams => SessionResult)
    /// Finds sessions by their content.
    ToDaemon Request SessionSearch = "session/search" (SessionSearchParams => SessionSearchResult)
    /// Prompts. Answers at once; events report the turn. While a turn runs, the prompt is queued.
    ToDaemon Request TurnStart = "turn/start" (TurnParams => TurnStartResult)
    /// Prompts into the running turn: the model reads it at its next step. Without a turn it starts one.
    ToDaemon Request TurnSteer = "turn/steer" (TurnParams => TurnSteerResult)
    /// Cancels the running turn and all its asks. Answers at once. Does nothing without a turn.
    ToDaemon Request TurnCancel = "turn/cancel" (SessionParams => Empty)
    /// Stops one running call, such as a command. The model is told, and the turn continues. Does nothing if the call has ended.
    ToDaemon Request TurnStopCall = "turn/stopCall" (TurnStopCallParams => Empty)
    /// Reverts the agent's edits of files, and nothing else.
    ToDaemon Request Undo = "undo" (UndoParams => UndoResult)
    /// Reverts the last undo of a session.
    ToDaemon Request Redo = "redo" (SessionParams => UndoResult)
    /// Lists the agent's undecided edits.
    ToDaemon Request ReviewList = "review/list" (ReviewListParams => ReviewListResult)
    /// Decides hunks. The result says which decisions were refused and why; those change nothing.
    ToDaemon Request ReviewDecide = "review/decide" (ReviewDecideParams => ReviewDecideResult)
    /// Comments on an edit without deciding it. The model reads the comment at its next step.
    ToDaemon Request ReviewComment = "review/comment" (ReviewCommentParams => ReviewCommentResult)
    /// Asks the session's model to rewrite a range of a document. Answers at once; the edit grows in a review.
    ToDaemon Request InlineStart = "inline/start" (InlineStartParams => InlineStartResult)
    /// Asks the model to change an undecided inline edit.
    ToDaemon Request InlineRefine = "inline/refine" (InlineRefineParams => Empty)
    /// Drops an inline edit, while the model writes it or after. The document is unchanged.
    ToDaemon Request InlineCancel = "inline/cancel" (InlineCancelParams => Empty)
    /// Lists the models that can be used now.
    ToDaemon Request Models = "models" (ModelsParams => ModelsResult)
    /// Lists the providers of models, and what those lack that cannot be used. Looks for servers on the daemon's machine.
    ToDaemon Request ProviderList = "provider/list" (ProviderListParams => ProviderListResult)
    /// Stores the user's key for a provider.
    ToDaemon Request ProviderSetKey = "provider/setKey" (ProviderSetKeyParams => ProviderSetKeyResult)
    /// Lists the agents that a user can choose.
    ToDaemon Request Agents = "agents" (AgentsParams => AgentsResult)
    /// Returns the state of the daemon.
    ToDaemon Request Status = "status" (Empty => StatusResult)
    /// Records whether the user trusts a folder. Only a user's own choice may be sent.
    ToDaemon Request TrustSet = "trust/set" (TrustSetParams => TrustInfo)
    /// Lists what the user always allows in a project and in its running sessions.
    ToDaemon Request PermissionList = "permission/list" (PermissionListParams => PermissionListResult)
    /// Takes back what the user always allows. Only a user's own choice may be sent.
    ToDaemon Request PermissionRevoke = "permission/revoke" (PermissionRevokeParams => PermissionRevokeResult)
    /// Explains which rules decide about a call, without making it.
    ToDaemon Request PermissionExplain = "permission/explain" (PermissionExplainParams => PermissionExplainResult)
    /// Restarts language servers of the daemon, also those that it gave up.
    ToDaemon Request ServersRestart = "servers/restart" (ServersRestartParams => ServersRestartResult)
    /// Returns the diagnostics of the client's own language servers, and the certainty that they are for the present text.
    ToDaemon Request Diagnostics = "diagnostics" (DiagnosticsParams => DiagnosticsResult)
    /// Checks whether the daemon has the text that a document has in the editor.
    ToDaemon Request DocumentVerify = "document/verify" (DocumentVerifyParams => DocumentVerifyResult)
    /// A language server of the editor is there.
    ToDaemon Notification ServerStarted = "server/started" (ServerStartedParams)
    /// The editor told a language server of a document.
    ToDaemon Notification ServerDocument = "server/document" (ServerDocumentParams)
    /// The editor told a language server of files on the disk.
    ToDaemon Notification ServerWatched = "server/watched" (ServerWatchedParams)
    /// A language server sent the editor a message.
    ToDaemon Notification ServerReceived = "server/received" (ServerReceivedParams)
    /// A language server of the editor has ended.
    ToDaemon Notification ServerEnded = "server/ended" (ServerEndedParams)
    /// Changes how much the daemon logs.
    ToDaemon Request LogSet = "log/set" (LogSetParams => LogSetResult)
    /// Stops the daemon.
    ToDaemon Request Stop = "stop" (StopParams => StopResult)

    /// An event of a session that this client is attached to.
    ToClient Notification Event = "event" (EventParams)
    /// Asks the user to approve a call. Sent to every attached client; the first reply wins.
    ToClient Request PermissionAsk = "permission/ask" (PermissionAskParams => PermissionReply; waits_for_user)
    /// An ask needs no reply any more. A client that still shows it removes it and answers `cancelled`.
    ToClient Notification PermissionSettled = "permission/settled" (PermissionSettledParams)
    /// Asks the user the agent's questions. Sent to every attached client; the first reply wins.
    ToClient Request QuestionAsk = "question/ask" (QuestionAskParams => QuestionReply; waits_for_user)
    /// Questions need no reply any more. A client that still shows them removes them and answers `cancelled`.
    ToClient Notification QuestionSettled = "question/settled" (QuestionSettledParams)
    /// Names the editor's own language servers of a document.
    ToClient Request EditorServers = "editor/servers" (EditorServersParams => EditorServersResult)
    /// The daemon needs a document no more: the editor may unload it.
    ToClient Notification EditorServersDone = "editor/serversDone" (EditorServersDoneParams)
    /// Sends a request to one of the editor's own language servers.
    ToClient Request EditorServerRequest = "editor/serverRequest" (EditorServerMessageParams => EditorServerResponse)
    /// Sends a notification to one of the editor's own language servers.
    ToClient Notification EditorServerNotify = "editor/serverNotify" (EditorServerMessageParams)
    /// Returns the user's selection.
    ToClient Request EditorSelection = "editor/selection" (Empty => SelectionResult)
    /// Returns the files that the user has open.
    ToClient Request EditorOpenFiles = "editor/openFiles" (Empty => OpenFilesResult)
    /// Shows a range of a document in the editor.
    ToClient Request EditorShow = "editor/show" (ShowParams => ShowResult)
    /// A new daemon serves this client: its documents are open again, its sessions are not loaded.
    ToClient Notification Restarted = "restarted" (Empty)
    /// The daemon changed a file on the disk that this client may have open.
    ToClient Notification DocumentChanged = "document/changed" (DocumentChangedParams)
    /// Saves an open document as the user would.
    ToClient Request DocumentSave = "document/save" (DocumentSaveParams => DocumentSaveResult)
}
