-- The protocol between the Copydesk daemon and its editor extensions. Generated from protocol/src; do not edit.
-- To update it: `UPDATE_EXPECT=1 cargo test -p copydesk-protocol`, then read the diff.

--- A named set of prompt, model and rules.
---@class copydesk.AgentInfo
---@field name string Its name.
---@field description string When to use it.
---@field model? string `PROVIDER/MODEL`, if it has its own.

--- The agent that the session continues as after `plan_enter` or `plan_exit`.
---@class copydesk.AgentSwitchMetadata
---@field path? string The plan that the user approved, for `plan_exit`.
---@field agent string The agent's name.

--- Which agents to list.
---@class copydesk.AgentsParams
---@field folder? string The folder whose configuration applies; by default the client's first workspace folder.

--- The agents that a user can choose.
---@class copydesk.AgentsResult
---@field agents copydesk.AgentInfo[] The default comes first.

--- Where a reply of `always` counts.
---@alias copydesk.AlwaysScopeInfo
---| "session" # In this session.
---| "project" # In every session of the project, while the user trusts it. The daemon keeps it outside the repository.

--- Whether an editor could answer. If not, the daemon asks its own language servers.
---@alias copydesk.AnswerState
---| "answered" # It could, even if the result is empty.
---| "unsupported" # No language server of this editor supports the request.
---| "starting" # A language server supports it, but is not ready yet.
---| "cancelled" # The daemon's timeout has passed, or the user cancelled the work.

--- A question.
---@class copydesk.AskedQuestionMetadata
---@field header string A word or two; may be empty.
---@field text string The question itself.

--- A command that `bash` started in the background.
---@class copydesk.BackgroundCommandMetadata
---@field job integer The job's number.
---@field file? string The file with everything that it prints.
---@field sandboxed? boolean Whether it runs in the sandbox; missing if the sandbox is off.

--- What a `batch` ran. Each call also has a part of its own.
---@class copydesk.BatchMetadata
---@field calls copydesk.BatchedCallMetadata[] The calls, in their order.
---@field surplus integer How many calls did not run because one batch takes no more.
---@field running? boolean Whether one of them looked at a background command that still runs; missing if not.

--- A call of a `batch`.
---@class copydesk.BatchedCallMetadata
---@field name string The tool's name.
---@field title string The title of its output.
---@field isError boolean Whether it failed.

--- A tool call.
---@class copydesk.CallInfo
---@field call string The model's id of this call, unique within its step.
---@field name string The tool's name; `invalid` if the model named none that we know.
---@field arguments string JSON as the model wrote it; once the call runs, as the daemon read it. Incomplete while the model writes it.
---@field parent? string The part of the call that made this one, such as a `batch`.
---@field progress? copydesk.CallMetadata The `metadata` of the running call's last `progress` event.
---@field output? copydesk.CallOutputInfo Its output; missing until it ends.

--- What a view shows of a call: the fields of its tool, and `CallNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own.
---@alias copydesk.CallMetadata
---| copydesk.EditMetadata # `edit`, `multiedit`, `write`, `apply_patch`, `refactor`
---| copydesk.TaskMetadata # `task`
---| copydesk.TodoListMetadata # `todowrite`, `todoread`
---| copydesk.QuestionsMetadata # `question`
---| copydesk.BatchMetadata # `batch`
---| copydesk.WebPageMetadata # `webfetch`
---| copydesk.WebSearchMetadata # `websearch`, `codesearch`
---| copydesk.SkillMetadata # `skill`
---| copydesk.TextPageMetadata # `read` of a text
---| copydesk.MediaFileMetadata # `read` of an image or a PDF
---| copydesk.CodePlacesMetadata # `lsp`
---| copydesk.TextSearchMetadata # `grep`
---| copydesk.FileListMetadata # `glob`, `list`, `read` of a folder
---| copydesk.JobMetadata # `job`
---| copydesk.BackgroundCommandMetadata # `bash` in the background
---| copydesk.AgentSwitchMetadata # `plan_enter`, `plan_exit`
---| copydesk.CommandMetadata # `bash`
---| copydesk.CallNotes # Beside the fields of any tool.

--- What the daemon adds to the fields of any tool.
---@class copydesk.CallNotes
---@field repaired? string[] What the daemon repaired in the arguments that the model wrote, one line each.
---@field refused? string The permission key that the daemon asked for before it ran the call, and that was denied: the call did not run.

--- The output of a call.
---@class copydesk.CallOutputInfo
---@field title string One line for the user.
---@field output string What the model reads.
---@field isError? boolean Whether the call failed, as the model sees it.
---@field metadata? copydesk.CallMetadata What the user is shown.
---@field media? copydesk.MediaContent[] Images and PDFs that the call returned.
---@field milliseconds integer How long the call took.

--- How a file changed.
---@alias copydesk.ChangeReason
---| "created" # It was created, or a command changed it and it may be new.
---| "written" # Its content changed.
---| "deleted" # It was deleted.

--- A file and how it is changed.
---@class copydesk.ChangedFileMetadata
---@field filepath string Its absolute path.
---@field diff? string In unified form; empty where the diffs of the call are too long together.
---@field additions integer Lines that were added.
---@field deletions integer Lines that were removed.
---@field from? string The absolute path that it was moved from.
---@field path? string Its path for users, relative to the workspace; only if there are several files.

--- How a client introduces itself: `initializationOptions.copydesk`.
---@class copydesk.ClientHello
---@field protocol integer The version of the protocol that it speaks.
---@field client string Its name, such as `vscode` or `nvim`.
---@field version string The extension's version.

--- A place in code.
---@class copydesk.CodePlaceMetadata
---@field path string The absolute path.
---@field line integer From 1.
---@field column integer From 1, in characters.
---@field text string The text of the line, or the name of what is there.

--- Places in code that `lsp` found.
---@class copydesk.CodePlacesMetadata
---@field places copydesk.CodePlaceMetadata[] Those that are listed, at most 200.
---@field matches integer How many there are.
---@field truncated boolean Whether there are more than listed.
---@field waiting? string What the call waits for, while it runs.

--- A command that `bash` would run.
---@class copydesk.CommandAskMetadata
---@field command string The command. A view shows it, whatever the title says.
---@field workdir string The folder that it would run in, relative to the workspace.
---@field description? string What the model says that it does.
---@field sandboxed? boolean Whether it would run in the sandbox; missing if the sandbox is off.
---@field sandboxNote? string What it could change and reach in the sandbox, or why it would run outside.

--- A command of `bash`. While it runs there is only `output`.
---@class copydesk.CommandMetadata
---@field exit? integer The exit code; missing while it runs, and if a signal, the timeout or the user ended it.
---@field truncated? boolean Whether it printed more than the output holds; missing while it runs.
---@field signal? integer The signal that ended it.
---@field timedOut? boolean Whether it was ended at its timeout; missing if not.
---@field sandboxed? boolean Whether it ran in the sandbox; missing if the sandbox is off.
---@field sandboxNote? string Why it did not run in the sandbox, or what the sandbox probably stopped.
---@field output? string The end of what it has printed so far; when it is done, only if it failed.
---@field diagnostics? copydesk.DiagnosticsMetadata What is wrong with files that it changed; missing if nothing was checked.

--- A compaction of the conversation.
---@class copydesk.CompactionInfo
---@field reason copydesk.CompactionReasonInfo Why it is made.
---@field summary string What the model reads instead; empty while it is being written.
---@field model? string The model that wrote the summary, as `PROVIDER/MODEL`; none if the daemon made it by rule.
---@field failure? string Why the model's own summary does not count, for the user.
---@field tokensBefore integer About how many tokens a request had before.
---@field tokensAfter integer About how many tokens it has now; 0 while the summary is being written.
---@field cost? number What the provider charged for the summary, in US dollars, if the price is known.

--- Why a conversation is compacted.
---@alias copydesk.CompactionReasonInfo
---| "full" # It comes near the end of the model's context.
---| "refused" # The provider refused a request because it was too long.
---| "asked" # The user asked for it, with the prompt `/compact`.

--- Something that the user points at: a document, a range of it, or another text in the editor.
---@class copydesk.ContextItem
---@field uri string The document.
---@field range? copydesk.WireRange The range in it; by default the whole document.
---@field text? string The text as the user saw it; by default the daemon reads the document.

--- What fills the model's context, in tokens. The sum is the provider's count if it counts; the shares are estimates.
---@class copydesk.ContextUseInfo
---@field window integer The size of the context, as far as known.
---@field system integer The system prompt, with the instruction files.
---@field tools integer The descriptions of the tools.
---@field files integer What `read` returned, and what the user attached.
---@field outputs integer The outputs of the other calls.
---@field conversation integer Prompts, notes, and what the model wrote.
---@field summary integer The summary of the older part.

--- A line of a hunk that is longer than what was sent of it.
---@class copydesk.CutLineInfo
---@field line integer The line, counted from the hunk's first line.
---@field bytes integer The length of the whole line in bytes, without its line ending.

--- How the daemon introduces itself: `capabilities.experimental.copydesk`.
---@class copydesk.DaemonHello
---@field protocol integer The version of the protocol that it speaks.
---@field version string The daemon's version.
---@field pid integer The daemon's process id.

--- One diagnostic.
---@class copydesk.DiagnosticInfo
---@field range copydesk.WireRange Where.
---@field severity copydesk.SeverityInfo Its severity.
---@field code? string The server's code for this kind of problem, such as `E0308`.
---@field source? string The tool that reports it, such as `rustc`.
---@field message string What is wrong.
---@field echoOf? copydesk.WireLocation The problem in another file that it repeats, as in a file that includes a broken one.

--- What changes made wrong, and how sure that is. A source with the proof `unknown` is not clean: a view says so.
---@class copydesk.DiagnosticsMetadata
---@field reports copydesk.ProblemSourceMetadata[] Who was asked, and how sure the answer is.
---@field new copydesk.ProblemMetadata[] Problems that the change made.
---@field unsure copydesk.ProblemMetadata[] Problems that may be new: the baseline is not known.
---@field fixed integer How many older problems the change fixed.
---@field remaining integer How many older problems remain.
---@field waitedMs integer How long the daemon waited for the sources.
---@field unlisted? integer How many problems are in neither list because there are too many.

--- Which diagnostics to return.
---@class copydesk.DiagnosticsParams
---@field uri? string The document; by default all that the editor has diagnostics for.
---@field version? integer The version of the document that they must be for, as in LSP.
---@field wait? integer How long to wait for that version, in milliseconds; by default not at all.
---@field waitReady? integer How much of `wait` to spend on language servers that are not ready, in milliseconds; by default all of it.

--- The diagnostics of the editor's language servers.
---@class copydesk.DiagnosticsResult
---@field state copydesk.AnswerState Whether the editor could answer.
---@field files? copydesk.FileDiagnostics[] One entry for the requested document, or for every document with diagnostics.

--- A file that the daemon, or a command of the agent, changed on the disk.
---@class copydesk.DocumentChangedParams
---@field uri string The file.
---@field reason copydesk.ChangeReason How it changed.

--- What to save.
---@class copydesk.DocumentSaveParams
---@field uri string The document.

--- Whether the document is saved.
---@class copydesk.DocumentSaveResult
---@field saved boolean Whether the file now has the document's text.
---@field message? string Why not.

--- The text of a document in the editor.
---@class copydesk.DocumentVerifyParams
---@field uri string The document.
---@field version integer Its version.
---@field bytes integer The length of the text in bytes of UTF-8, with its line ends.
---@field sha256? string Its SHA-256 in hexadecimal. It may be missing; then only the length is compared.

--- Whether the daemon has the same text.
---@class copydesk.DocumentVerifyResult
---@field same boolean False if its text of this version is another. Then the client closes the document and opens it again.

--- What a call changed, or an ask would change: one file or several.
---@alias copydesk.EditMetadata
---| copydesk.FileEditMetadata # One file.
---| copydesk.MultiFileEditMetadata # Several, or none of those that are shown.

--- A message for a language server of the editor.
---@class copydesk.EditorServerMessageParams
---@field server integer The server.
---@field id? integer The daemon's number of a request. A notification has none; `$/cancelRequest` names the number of the request that it ends.
---@field method string The message's method.
---@field params? any The message's params.
---@field document? copydesk.ServerDocumentVersion The document that it is about. If the server has another version of it, the message is not sent.
---@field takesEdits? boolean Until the response, the editor does not make the edits that the server asks for (`workspace/applyEdit`). It answers that they are made, and reports them as received: the user reviews them first.

--- The server's response.
---@class copydesk.EditorServerResponse
---@field result? any Its result.
---@field error? copydesk.ServerResponseError Why there is none.

--- The daemon needs a document no more.
---@class copydesk.EditorServersDoneParams
---@field uri string The document.

--- Which language servers of the editor serve a document.
---@class copydesk.EditorServersParams
---@field uri string The document. With a time to wait, the editor loads it if it is not open.
---@field wait? integer How long to wait for servers that still start, in milliseconds; not at all if it is missing.

--- The servers. By now they were told of the document as it is, and the editor has reported that, or does so next.
---@class copydesk.EditorServersResult
---@field state copydesk.AnswerState Whether there are any; `starting` if one of them still starts.
---@field uri? string The document, as the servers know it.
---@field version? integer The version under which the editor sends the document to the daemon; missing if it does not.
---@field servers? integer[] Those that were started.

--- An object without fields.
---@class copydesk.Empty

--- The session's title, agent, model or time changed.
---@class copydesk.EventInfo.session
---@field event "session"
---@field session copydesk.SessionInfo Its present state.

--- A turn starts.
---@class copydesk.EventInfo.turnStarted
---@field event "turnStarted"
---@field turn integer Its number, from 1.
---@field prompt string The id of the prompt that started it. Its part follows, unless the store rejects it.

--- A part is new or has changed; a known id replaces the client's copy.
---@class copydesk.EventInfo.part
---@field event "part"
---@field part copydesk.PartInfo The whole part.

--- An unfinished part has grown.
---@class copydesk.EventInfo.delta
---@field event "delta"
---@field part string The part's id.
---@field text string To append to the `text` of a text or reasoning, or to the `arguments` of a call.

--- A part is dropped, because its attempt failed. The client removes it.
---@class copydesk.EventInfo.void
---@field event "void"
---@field part string The part's id.

--- A running call shows something; it replaces what it showed before.
---@class copydesk.EventInfo.progress
---@field event "progress"
---@field part string The part's id.
---@field metadata copydesk.CallMetadata What the user is shown.

--- A call waits for the user. Clients reply to the request `copydesk/permission/ask`, not to this event.
---@class copydesk.EventInfo.asked: copydesk.PermissionAskInfo
---@field event "asked"

--- A client replied, or the ask needs no reply any more.
---@class copydesk.EventInfo.settled
---@field event "settled"
---@field ask string The ask's id.

--- The agent waits for answers. Clients reply to the request `copydesk/question/ask`, not to this event.
---@class copydesk.EventInfo.questioned: copydesk.QuestionAskInfo
---@field event "questioned"

--- A client answered, or the questions need no answer any more.
---@class copydesk.EventInfo.answered
---@field event "answered"
---@field question string The id of the questions.

--- The undecided hunks changed: the agent edited, or the user decided or typed.
---@class copydesk.EventInfo.reviewChanged: copydesk.ReviewChange
---@field event "reviewChanged"

--- Decisions and comments that the model has not read yet: all of them, at most the last 50. A note tells the model at its next step; then there are none.
---@class copydesk.EventInfo.feedback
---@field event "feedback"
---@field items copydesk.FeedbackInfo[] The oldest first.

--- A background command started or ended, in a turn or between two.
---@class copydesk.EventInfo.jobs
---@field event "jobs"
---@field running copydesk.JobInfo[] Those that run now.
---@field ended copydesk.JobInfo[] Those that have ended since the last such event.

--- A turn ended. Exactly one for every `turnStarted`.
---@class copydesk.EventInfo.turnEnded
---@field event "turnEnded"
---@field turn integer Its number.
---@field end copydesk.TurnEndInfo Why.

--- A warning about the session's setup, such as an ignored configuration key or instructions that could not be fetched. The work continues.
---@class copydesk.EventInfo.warning
---@field event "warning"
---@field message string For the user.

--- The session was deleted. This is its last event, and all clients are detached.
---@class copydesk.EventInfo.deleted
---@field event "deleted"

--- An event. A client ignores events that it does not know.
---@alias copydesk.EventInfo
---| copydesk.EventInfo.session # The session's title, agent, model or time changed.
---| copydesk.EventInfo.turnStarted # A turn starts.
---| copydesk.EventInfo.part # A part is new or has changed; a known id replaces the client's copy.
---| copydesk.EventInfo.delta # An unfinished part has grown.
---| copydesk.EventInfo.void # A part is dropped, because its attempt failed. The client removes it.
---| copydesk.EventInfo.progress # A running call shows something; it replaces what it showed before.
---| copydesk.EventInfo.asked # A call waits for the user. Clients reply to the request `copydesk/permission/ask`, not to this event.
---| copydesk.EventInfo.settled # A client replied, or the ask needs no reply any more.
---| copydesk.EventInfo.questioned # The agent waits for answers. Clients reply to the request `copydesk/question/ask`, not to this event.
---| copydesk.EventInfo.answered # A client answered, or the questions need no answer any more.
---| copydesk.EventInfo.reviewChanged # The undecided hunks changed: the agent edited, or the user decided or typed.
---| copydesk.EventInfo.feedback # Decisions and comments that the model has not read yet: all of them, at most the last 50. A note tells the model at its next step; then there are none.
---| copydesk.EventInfo.jobs # A background command started or ended, in a turn or between two.
---| copydesk.EventInfo.turnEnded # A turn ended. Exactly one for every `turnStarted`.
---| copydesk.EventInfo.warning # A warning about the session's setup, such as an ignored configuration key or instructions that could not be fetched. The work continues.
---| copydesk.EventInfo.deleted # The session was deleted. This is its last event, and all clients are detached.

--- An event and its number among the events of its session.
---@class copydesk.EventParams
---@field session string The session's id.
---@field seq integer Increases by one with every event of the session while the daemon runs. A client that sees a gap loads again.
---@field event copydesk.EventInfo What happened.

--- What a user did with an edit, or said about lines, that the model has not read yet.
---@class copydesk.FeedbackInfo
---@field path string The path of the document for the user.
---@field line integer The first line, from 1, at the time; 0 is the file itself.
---@field lines integer How many lines.
---@field kind copydesk.FeedbackKindInfo What happened.
---@field comment? string What the user said about it.

--- What a user did with an edit.
---@alias copydesk.FeedbackKindInfo
---| "accepted" # Accepted it, perhaps with changes or only in part.
---| "rejected" # Rejected it, or a part of it.
---| "commented" # Commented on lines without a decision.

--- An address that `webfetch` would load.
---@class copydesk.FetchAskMetadata
---@field url string The address.

--- A file that a task changed.
---@class copydesk.FileChangeStats
---@field filepath string Its absolute path.
---@field additions integer Lines that were added.
---@field deletions integer Lines that were removed.

--- The diagnostics of one document.
---@class copydesk.FileDiagnostics
---@field uri string The document.
---@field version? integer The version of the document when the editor collected them, as in LSP; missing if it is not open.
---@field proof copydesk.ProofLevel The certainty that they are for that version.
---@field why? string Why that is not known; only with `unknown`.
---@field items copydesk.DiagnosticInfo[] All of them.
---@field unseen? string[] Sources that have not seen this text because they check only saved files, such as the compiler behind a language server; by the `source` of their diagnostics.

--- A change to one file.
---@class copydesk.FileEditMetadata
---@field filepath string Its absolute path.
---@field diff? string In unified form; empty where the diffs of the call are too long together.
---@field additions integer Lines that were added.
---@field deletions integer Lines that were removed.
---@field from? string The absolute path that it was moved from.
---@field path? string Its path for users, relative to the workspace; only if there are several files.
---@field diagnostics? copydesk.DiagnosticsMetadata What the change made wrong, or would; missing if nothing was checked.
---@field tiers? table<string, integer> How many places each tier of the matcher found, by its name: `exact`, `indentation`, …

--- A created, deleted or renamed file.
---@class copydesk.FileHunkInfo
---@field hunk string Its id.
---@field expected string The value of `expected` in a decision on it.
---@field kind copydesk.FileHunkKind What the agent did.
---@field from? string Its old path, if the agent renamed it.
---@field by string[] The ids of the parts of the calls that did it.

--- What the agent did to a file.
---@alias copydesk.FileHunkKind
---| "created" # Rejecting deletes it.
---| "deleted" # Rejecting restores it.
---| "renamed" # Rejecting restores its old name.

--- Files and folders that `glob`, `list` or `read` listed.
---@class copydesk.FileListMetadata
---@field count integer How many are listed.
---@field truncated boolean Whether there are more.

--- Changed lines.
---@class copydesk.HunkInfo
---@field hunk string Its id, which does not change.
---@field expected string The value of `expected` in a decision on it. The daemon refuses the decision if the hunk has changed since.
---@field line integer Its first line in the document, from 0: of the new lines *after*, of the old ones *before*. If the document has none of them, the line before which they belong. A client whose text changed since checks that the lines are still there.
---@field old string[] Old lines without line endings; at most 2,000, and 1 MB. A line above 8 KB is cut to its beginning.
---@field new string[] New lines without line endings, with the same limits.
---@field oldCut? copydesk.CutLineInfo[] The lines of `old` that are cut.
---@field newCut? copydesk.CutLineInfo[] The lines of `new` that are cut.
---@field oldLines integer How many old lines there are.
---@field newLines integer How many new lines there are.
---@field words? copydesk.WordDiffInfo[] The differences within lines; only for short hunks.
---@field by string[] The ids of the parts of the calls that made it.
---@field edited? boolean The user has typed in it.
---@field deciding? boolean The editor is carrying out a decision on it.
---@field problems? copydesk.HunkProblem[] The problems in its new lines that the agent's edits caused, as far as known; only if the edit is made.

--- Lines of a hunk, counted from its first line on each side.
---@class copydesk.HunkLines
---@field old? integer[] Old lines.
---@field new? integer[] New lines.

--- One problem in a new line of a hunk.
---@class copydesk.HunkProblem
---@field line integer The line, counted from the hunk's first line.
---@field severity copydesk.SeverityInfo Its severity.
---@field code? string The source's code for this kind of problem, such as `E0308`.
---@field source string The source that reports it, such as `rust-analyzer`.
---@field message string What is wrong, in one line.

--- The inline edit to drop.
---@class copydesk.InlineCancelParams
---@field session string The session's id.
---@field review string The review of the edit.

--- How to change an inline edit.
---@class copydesk.InlineRefineParams
---@field session string The session's id.
---@field review string The review of the edit.
---@field instruction? string What to change; if blank or missing, the model tries again.

--- What to rewrite, and how.
---@class copydesk.InlineStartParams
---@field session string The session whose model writes. The edit is not part of the conversation.
---@field uri string The document.
---@field range copydesk.WireRange The selection.
---@field instruction? string The user's instruction; empty if there is a text.
---@field text? string The replacement, if it is written already, such as code from the conversation. Then no model is asked.

--- The review of the edit.
---@class copydesk.InlineStartResult
---@field review string The id of a review `before`, which grows as the model writes.

--- A command in the background. None outlives its session.
---@class copydesk.JobInfo
---@field id integer Its number, as the agent calls it.
---@field command string The first line of the command.
---@field state string `running for 3.0 s`, `exit code 1 after 3.0 s`.

--- A background command that `job` looked at, waited for or stopped.
---@class copydesk.JobMetadata
---@field job integer The job's number.
---@field running boolean Whether it still runs.

--- One pattern that the user always allows.
---@class copydesk.KeptReplyInfo
---@field key string The key of the rules, such as `bash`.
---@field pattern string What is allowed.
---@field scope copydesk.AlwaysScopeInfo Where it counts.
---@field session? string The session, for the scope `session`.
---@field since? integer When the user allowed it, in milliseconds since 1970; for the scope `project`.

--- What a client needs that missed events of a turn.
---@class copydesk.LastTurnInfo
---@field turn integer Its number.
---@field prompt string The id of its prompt.
---@field end? copydesk.TurnEndInfo Why it ended; missing while it runs.

--- How long a log level holds.
---@alias copydesk.LogLevelEnd
---| "exit" # Until the daemon exits.
---| "detach" # Until this client detaches.

--- What the daemon logs from now on.
---@class copydesk.LogSetParams
---@field level? string `off`, `error`, `warn`, `info`, `debug` or `trace`, or for one crate of the daemon `servers=debug`; separated by commas. Without it, the level that the daemon was started with.
---@field until? copydesk.LogLevelEnd How long the level holds; without it, until the daemon exits.

--- The level that holds now.
---@class copydesk.LogSetResult
---@field level string In the form of the params.

--- How often a tier of matching located an edit.
---@class copydesk.MatchTierCount
---@field tier string `exact`, or the difference that it ignores: `indentation`, `typography`, …
---@field count integer How often.

--- An image or a PDF.
---@class copydesk.MediaContent
---@field mime string The MIME type, such as `image/png`.
---@field base64 string The bytes, as base64 with padding.
---@field name? string The name of the file, if it has one.

--- An image or a PDF that `read` showed the model.
---@class copydesk.MediaFileMetadata
---@field mime string Such as `image/png`.

--- A language server that is not installed.
---@class copydesk.MissingServer
---@field name string Its name.
---@field language string The language that it is for.
---@field hint string How to install it.

--- A model that can be used.
---@class copydesk.ModelInfo
---@field id string `PROVIDER/MODEL`
---@field name string Its name for users.
---@field provider string The provider's name for users.
---@field context? integer The size of its context window in tokens, if known.
---@field output? integer The most tokens that it can write, if known.
---@field local? boolean It runs on the daemon's machine.
---@field offline? boolean It is the built-in model, which answers until another is set up and can do little.

--- Whose default model to name.
---@class copydesk.ModelsParams
---@field folder? string The folder whose configuration applies; by default the client's first workspace folder.
---@field agent? string The agent's name; by default the configured one.
---@field local? boolean Also list the models of servers on the daemon's machine, which are asked first. One that hangs costs half a second.

--- The models that can be used now.
---@class copydesk.ModelsResult
---@field models copydesk.ModelInfo[] Grouped by provider.
---@field default? string `PROVIDER/MODEL`: the model of a session of this agent in this folder whose user chose none.

--- Changes to several files.
---@class copydesk.MultiFileEditMetadata
---@field files copydesk.ChangedFileMetadata[] The files and their changes.
---@field additions integer Lines that were added, in all of them.
---@field deletions integer Lines that were removed, in all of them.
---@field diagnostics? copydesk.DiagnosticsMetadata What the changes made wrong, or would; missing if nothing was checked.
---@field tiers? table<string, integer> How many places each tier of the matcher found, by its name: `exact`, `indentation`, …

--- A file that the user has open.
---@class copydesk.OpenFile
---@field uri string The document.
---@field active? boolean It has the focus.
---@field visible? boolean It is visible in a window.
---@field dirty? boolean It has unsaved changes.
---@field language? string Its LSP language id.

--- The files that the user has open.
---@class copydesk.OpenFilesResult
---@field files? copydesk.OpenFile[] Last used first, if the editor knows.

--- A prompt.
---@class copydesk.PartContentInfo.prompt: copydesk.PromptInfo
---@field kind "prompt"

--- An image or a PDF that came with a prompt.
---@class copydesk.PartContentInfo.file: copydesk.MediaContent
---@field kind "file"

--- The model's answer.
---@class copydesk.PartContentInfo.text: copydesk.TextContent
---@field kind "text"

--- The model's reasoning, as far as the provider shows it.
---@class copydesk.PartContentInfo.reasoning: copydesk.TextContent
---@field kind "reasoning"

--- A tool call.
---@class copydesk.PartContentInfo.call: copydesk.CallInfo
---@field kind "call"

--- A model request starts.
---@class copydesk.PartContentInfo.stepStart
---@field kind "stepStart"
---@field model string `PROVIDER/MODEL`

--- A model request ended.
---@class copydesk.PartContentInfo.stepFinish: copydesk.StepFinishInfo
---@field kind "stepFinish"

--- A model request failed, and the daemon will retry it.
---@class copydesk.PartContentInfo.retry
---@field kind "retry"
---@field attempt integer The number of the retry, from 1.
---@field message string Why the request failed, for the user.
---@field at integer When the daemon retries, in milliseconds since 1970.

--- A note of the daemon that the model reads at its next step.
---@class copydesk.PartContentInfo.note: copydesk.TextContent
---@field kind "note"

--- For the model, a summary takes the place of the older part of the conversation. Nothing is removed for the user. While it runs, the summary is being written.
---@class copydesk.PartContentInfo.compaction: copydesk.CompactionInfo
---@field kind "compaction"

--- For the model, notes take the place of old outputs of calls. Nothing is removed for the user.
---@class copydesk.PartContentInfo.pruning: copydesk.PruningInfo
---@field kind "pruning"

--- The end of a turn that the model did not finish. The turn has no later part.
---@class copydesk.PartContentInfo.turnEnd
---@field kind "turnEnd"
---@field end copydesk.TurnEndInfo Why it ended.

--- The content of a part.
---@alias copydesk.PartContentInfo
---| copydesk.PartContentInfo.prompt # A prompt.
---| copydesk.PartContentInfo.file # An image or a PDF that came with a prompt.
---| copydesk.PartContentInfo.text # The model's answer.
---| copydesk.PartContentInfo.reasoning # The model's reasoning, as far as the provider shows it.
---| copydesk.PartContentInfo.call # A tool call.
---| copydesk.PartContentInfo.stepStart # A model request starts.
---| copydesk.PartContentInfo.stepFinish # A model request ended.
---| copydesk.PartContentInfo.retry # A model request failed, and the daemon will retry it.
---| copydesk.PartContentInfo.note # A note of the daemon that the model reads at its next step.
---| copydesk.PartContentInfo.compaction # For the model, a summary takes the place of the older part of the conversation. Nothing is removed for the user. While it runs, the summary is being written.
---| copydesk.PartContentInfo.pruning # For the model, notes take the place of old outputs of calls. Nothing is removed for the user.
---| copydesk.PartContentInfo.turnEnd # The end of a turn that the model did not finish. The turn has no later part.

--- One part of a session: a prompt, a text of the model, a call, …
---@class copydesk.PartInfo
---@field id string Unique. Parts are ordered as they are sent, not by their ids.
---@field session string The session's id.
---@field turn integer The number of its turn, from 1.
---@field step integer The number of its step, from 1 within the turn; 0 before the first model request.
---@field created integer When it began, in milliseconds since 1970.
---@field updated integer When it last changed, in milliseconds since 1970.
---@field state copydesk.PartStateInfo Its state.
---@field content copydesk.PartContentInfo Its content.

--- It has not started.
---@class copydesk.PartStateInfo.pending
---@field kind "pending"

--- It has started.
---@class copydesk.PartStateInfo.running
---@field kind "running"

--- It is done.
---@class copydesk.PartStateInfo.completed
---@field kind "completed"

--- It failed.
---@class copydesk.PartStateInfo.error
---@field kind "error"
---@field message string Why, for the user.

--- The daemon ended, or the user cancelled, while it ran.
---@class copydesk.PartStateInfo.interrupted
---@field kind "interrupted"

--- The state of a part. The daemon has stored every completed part.
---@alias copydesk.PartStateInfo
---| copydesk.PartStateInfo.pending # It has not started.
---| copydesk.PartStateInfo.running # It has started.
---| copydesk.PartStateInfo.completed # It is done.
---| copydesk.PartStateInfo.error # It failed.
---| copydesk.PartStateInfo.interrupted # The daemon ended, or the user cancelled, while it ran.

--- A session that runs, waits for the user, or has undecided hunks.
---@class copydesk.PendingSessionInfo
---@field session copydesk.SessionInfo The present state of the session.
---@field running boolean Whether a turn runs.
---@field waiting integer How many asks and questions wait for the user.
---@field undecided integer How many hunks of applied edits are undecided.

--- Whether a call runs without asking, after asking, or not at all.
---@alias copydesk.PermissionActionInfo
---| "allow" # It runs without asking.
---| "ask" # The user is asked.
---| "deny" # It does not run.

--- What a call wants to do.
---@class copydesk.PermissionAskInfo
---@field ask string The ask's id. A client that attaches again gets the same ask again.
---@field part string The id of the call's part, whose event may arrive after the ask.
---@field key string The key of the rule that asks, such as `bash` or `edit`.
---@field patterns string[] What the call needs: each path, each command.
---@field always string[] What `always` would allow from now on. If it is empty, the client does not offer `always`.
---@field projectAlways? boolean Whether `always` may be replied with the scope `project`: the user trusts the folder, and a project may keep such a reply.
---@field problem? string Why the daemon did not accept this client's last reply. The client asks again.
---@field title string One line for the user.
---@field why? string The rule that asks, and where it stands.
---@field metadata? copydesk.PermissionAskMetadata What the user is shown.

--- What a view shows of an ask: the fields of its tool, and `PermissionAskNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own.
---@alias copydesk.PermissionAskMetadata
---| copydesk.EditMetadata # `edit`, `multiedit`, `write`, `apply_patch`, `refactor`
---| copydesk.CommandAskMetadata # `bash`
---| copydesk.PlanAskMetadata # `plan_exit`
---| copydesk.FetchAskMetadata # `webfetch`
---| copydesk.SearchAskMetadata # `websearch`, `codesearch`
---| copydesk.TaskAskMetadata # `task`
---| copydesk.RepeatedCallAskMetadata # A call that the model repeats, whichever tool it is of.
---| copydesk.SkillAskMetadata # `skill`
---| copydesk.PermissionAskNotes # Beside the fields of any tool.

--- What the daemon adds to the fields of any ask.
---@class copydesk.PermissionAskNotes
---@field session? string The id of the session that asks, if it works on a task for this one.

--- An ask and its session.
---@class copydesk.PermissionAskParams
---@field session string The session's id.
---@field ask string The ask's id. A client that attaches again gets the same ask again.
---@field part string The id of the call's part, whose event may arrive after the ask.
---@field key string The key of the rule that asks, such as `bash` or `edit`.
---@field patterns string[] What the call needs: each path, each command.
---@field always string[] What `always` would allow from now on. If it is empty, the client does not offer `always`.
---@field projectAlways? boolean Whether `always` may be replied with the scope `project`: the user trusts the folder, and a project may keep such a reply.
---@field problem? string Why the daemon did not accept this client's last reply. The client asks again.
---@field title string One line for the user.
---@field why? string The rule that asks, and where it stands.
---@field metadata? copydesk.PermissionAskMetadata What the user is shown.

--- What is decided about one path or command.
---@class copydesk.PermissionDecisionInfo
---@field key string The key of the rules.
---@field pattern string The path, or the command as it was understood.
---@field action copydesk.PermissionActionInfo What happens.
---@field why string The rule that decides, and where it stands.

--- A call to explain without making it.
---@class copydesk.PermissionExplainParams
---@field folder? string Where the call would be made. By default the client's first workspace folder.
---@field key? string The key of the rules: `bash`, `read`, `edit`, `webfetch`, …
---@field target string The command, the path or the address. Without `key` as a user types it: such a key and then the call, else a command.
---@field agent? string For this agent. By default the configured one.
---@field preset? copydesk.PermissionPresetInfo Under this preset. By default the configured one.

--- What the rules decide about a call. Replies for a session do not count.
---@class copydesk.PermissionExplainResult
---@field action copydesk.PermissionActionInfo The strictest of all decisions.
---@field agent string The agent whose rules count.
---@field preset copydesk.PermissionPresetInfo The preset that counts.
---@field decisions copydesk.PermissionDecisionInfo[] Each part of the call. All must be allowed.
---@field always string[] What `always` would allow.
---@field sandbox? copydesk.PermissionSandboxInfo Where a command would run, if the sandbox is on.
---@field notes string[] What the rules alone do not decide, in sentences.

--- The project whose replies to list.
---@class copydesk.PermissionListParams
---@field folder? string A folder of the project. By default the client's first workspace folder.

--- What the user always allows in a project.
---@class copydesk.PermissionListResult
---@field project string The root of the project.
---@field trusted boolean Whether the user trusts it. If not, the project's replies do not count.
---@field replies copydesk.KeptReplyInfo[] Those of the project, then those of its running sessions.

--- What runs unasked, in one word.
---@alias copydesk.PermissionPresetInfo
---| "careful" # Everything that changes or runs something asks.
---| "normal" # As `careful`, but commands that only read run unasked, and so do those in the sandbox that change no files by their own words.
---| "trusting" # Edits and commands inside the workspace run unasked; secrets, the network and other folders ask.

--- Allow it this time.
---@class copydesk.PermissionReply.once
---@field reply "once"

--- Allow it this time, and more from now on. If the daemon cannot accept the patterns, it sends the ask again with a `problem`.
---@class copydesk.PermissionReply.always
---@field reply "always"
---@field scope? copydesk.AlwaysScopeInfo Where it counts.
---@field patterns? string[] What to allow: the user's own list. By default what the ask lists as `always`. It need not match this call.

--- Reject it. With a reason, the model is told and continues; without one, the turn stops.
---@class copydesk.PermissionReply.reject
---@field reply "reject"
---@field reason? string For the model. Blank counts as missing.

--- This client has no user, as when a script prompts. The daemon rejects the call; the model is told why and continues.
---@class copydesk.PermissionReply.nobody
---@field reply "nobody"

--- No reply from this client: the ask was settled, or the user closed its window. It stays open for other clients.
---@class copydesk.PermissionReply.cancelled
---@field reply "cancelled"

--- The reply of the user, or of a client without one.
---@alias copydesk.PermissionReply
---| copydesk.PermissionReply.once # Allow it this time.
---| copydesk.PermissionReply.always # Allow it this time, and more from now on. If the daemon cannot accept the patterns, it sends the ask again with a `problem`.
---| copydesk.PermissionReply.reject # Reject it. With a reason, the model is told and continues; without one, the turn stops.
---| copydesk.PermissionReply.nobody # This client has no user, as when a script prompts. The daemon rejects the call; the model is told why and continues.
---| copydesk.PermissionReply.cancelled # No reply from this client: the ask was settled, or the user closed its window. It stays open for other clients.

--- Which replies to take back: all of the project and its running sessions that have the given properties.
---@class copydesk.PermissionRevokeParams
---@field folder? string A folder of the project. By default the client's first workspace folder.
---@field pattern? string Only this pattern.
---@field key? string Only this key.
---@field scope? copydesk.AlwaysScopeInfo Only this scope.
---@field session? string Of the sessions, only this one.

--- The replies that were taken back. A waiting call is not affected; the next one is asked about.
---@class copydesk.PermissionRevokeResult
---@field revoked copydesk.KeptReplyInfo[] In the order of the list.

--- Where a command would run.
---@class copydesk.PermissionSandboxInfo
---@field sandboxed boolean Whether it would run in the sandbox.
---@field what string A sentence: with which rights, or why not in the sandbox.

--- A settled ask.
---@class copydesk.PermissionSettledParams
---@field session string The session's id.
---@field ask string The ask's id.
---@field by? string The name of the client that replied; missing if it was this one or none.

--- A plan that would be carried out.
---@class copydesk.PlanAskMetadata
---@field plan string The plan, Markdown.

--- A problem.
---@class copydesk.ProblemMetadata
---@field path string The file, relative to the workspace if it is inside.
---@field line integer From 1.
---@field column integer From 1, in UTF-16 code units.
---@field severity copydesk.ProblemSeverity How bad it is.
---@field code? string The source's code for it, such as `E0308`.
---@field source string Who says so.
---@field message string What is wrong, in one line.

--- The certainty that an answer is about the current text.
---@alias copydesk.ProblemProof
---| "proven" # The source was asked about this version, or named it.
---| "likely" # The answer came after the change, and names no version.
---| "unknown" # There is no answer about this text.

--- How bad a problem is, in the words of LSP.
---@alias copydesk.ProblemSeverity
---| "error" # An error.
---| "warning" # A warning.
---| "information" # A remark.
---| "hint" # A hint.

--- A source of diagnostics, such as a language server.
---@class copydesk.ProblemSourceMetadata
---@field source string Its name.
---@field proof copydesk.ProblemProof How sure its answer is.
---@field why? string Why it is not known, if so.

--- A prompt of the user, or of the agent that called a subagent.
---@class copydesk.PromptInfo
---@field text string Its text.
---@field steers? boolean It arrived during the turn and joined it.
---@field context? string[] The path and lines of each piece of context that goes with it.

--- The certainty that diagnostics are for the requested text.
---@alias copydesk.ProofLevel
---| "proven" # A language server answered a pull for this version, or published them with it.
---| "likely" # They arrived after this version, and have not changed for a while.
---| "unknown" # They may be for an older text.

--- `data` of the error with which `initialize` fails if the two sides do not speak the same protocol.
---@class copydesk.ProtocolMismatch
---@field desk integer The version of the protocol that the daemon speaks.
---@field client integer The version of the protocol that the client speaks.
---@field update copydesk.ProtocolSide The side to update.
---@field retry boolean Always false, because a retry does not help: vscode-languageclient would offer one.

--- One of the two sides.
---@alias copydesk.ProtocolSide
---| "desk" # The daemon.
---| "client" # The editor's extension.

--- A provider of models.
---@class copydesk.ProviderInfo
---@field id string As in `PROVIDER/MODEL`.
---@field name string Its name for users.
---@field local? boolean It is a server on the daemon's machine.
---@field usable boolean Its models can be used now.
---@field key? string Where the key in use comes from, if there is one. Never the key.
---@field missing? string What the user must do before it is usable.
---@field keyPage? string The page where users create a key.

--- Whose providers to list.
---@class copydesk.ProviderListParams
---@field folder? string The folder whose configuration applies; by default the client's first workspace folder.

--- The providers, usable or not.
---@class copydesk.ProviderListResult
---@field providers copydesk.ProviderInfo[] Usable ones first. Servers of the daemon's machine are listed if they answer or are configured; the built-in model is not.

--- A key that the user has typed.
---@class copydesk.ProviderSetKeyParams
---@field provider string The provider's id.
---@field key string The key. The client keeps no copy and does not log it.

--- The key is stored.
---@class copydesk.ProviderSetKeyResult
---@field replaced boolean It replaced another one.
---@field overriddenBy? string Where the key in use comes from, if another one takes precedence over this one.

--- Old outputs that the model does not read any more.
---@class copydesk.PruningInfo
---@field outputs integer How many there are.
---@field tokensBefore integer About how many tokens a request had before.
---@field tokensAfter integer About how many tokens it has now.

--- Questions that the agent asks together.
---@class copydesk.QuestionAskInfo
---@field question string Their id. A client that attaches again gets the same questions again.
---@field part string The id of the call's part, whose event may arrive after the questions.
---@field agent? string The subagent that asks; missing if it is the session's own agent.
---@field questions copydesk.QuestionInfo[] At least one.

--- Questions and their session.
---@class copydesk.QuestionAskParams
---@field session string The session's id.
---@field question string Their id. A client that attaches again gets the same questions again.
---@field part string The id of the call's part, whose event may arrive after the questions.
---@field agent? string The subagent that asks; missing if it is the session's own agent.
---@field questions copydesk.QuestionInfo[] At least one.

--- One question.
---@class copydesk.QuestionInfo
---@field header string One or two words for a tab or a title.
---@field text string The question.
---@field options copydesk.QuestionOptionInfo[] The options.
---@field multiple boolean Whether the user may choose more than one.
---@field custom boolean Whether the user may write their own answer.

--- An option.
---@class copydesk.QuestionOptionInfo
---@field label string The answer that stands for it.
---@field description? string What it means.

--- The user answered.
---@class copydesk.QuestionReply.answered
---@field reply "answered"
---@field answers string[][] For each question, in order: the chosen labels, or the user's own words.

--- The user does not answer. With a reason, the model is told and continues; without one, the turn stops.
---@class copydesk.QuestionReply.rejected
---@field reply "rejected"
---@field reason? string For the model. Blank counts as missing.

--- No reply from this client: the questions were settled, or the user closed their window. They stay open for other clients.
---@class copydesk.QuestionReply.cancelled
---@field reply "cancelled"

--- The user's answers, or why there are none.
---@alias copydesk.QuestionReply
---| copydesk.QuestionReply.answered # The user answered.
---| copydesk.QuestionReply.rejected # The user does not answer. With a reason, the model is told and continues; without one, the turn stops.
---| copydesk.QuestionReply.cancelled # No reply from this client: the questions were settled, or the user closed their window. They stay open for other clients.

--- Settled questions.
---@class copydesk.QuestionSettledParams
---@field session string The session's id.
---@field question string The id of the questions.
---@field by? string The name of the client that answered; missing if it was this one or none.

--- What `question` asked the user, and the answers.
---@class copydesk.QuestionsMetadata
---@field questions copydesk.AskedQuestionMetadata[] The questions.
---@field answers string[][] For each question the labels that were chosen, or the user's own words; empty where there is no answer.

--- A call that the model has made several times, with the same result.
---@class copydesk.RepeatedCallAskMetadata
---@field name string The tool's name.
---@field arguments any The arguments of the call.
---@field times integer How often it was made.

--- A changed review, for the session event `reviewChanged`.
---@class copydesk.ReviewChange
---@field review copydesk.ReviewInfo The review, with only its new and changed hunks. Without hunks and without a file it is over.
---@field gone? string[] The ids of the hunks that are gone.
---@field failed? string Why a proposed edit was not made, for the user.

--- A comment on the agent's edits that does not decide them. The model reads all comments at its next step.
---@class copydesk.ReviewCommentParams
---@field session string The session's id.
---@field uri string The document.
---@field line integer The first line that it is about, from 0.
---@field lines? integer How many lines; by default one.
---@field text string The comment.

--- The comments that wait.
---@class copydesk.ReviewCommentResult
---@field comments integer How many comments wait for the model's next step, including this one.

--- The user's decisions.
---@class copydesk.ReviewDecideParams
---@field session string The session's id.
---@field decisions copydesk.ReviewDecision[] Each succeeds or fails by itself.

--- The outcomes of the decisions.
---@class copydesk.ReviewDecideResult
---@field decided copydesk.ReviewDecisionResult[] One for each decision, in order.

--- A decision on a hunk, a file, or a whole review.
---@class copydesk.ReviewDecision
---@field hunk string The id of the hunk, or of the review.
---@field expected string `expected` of the hunk or review that the user saw.
---@field verdict copydesk.ReviewVerdict Accept or reject.
---@field lines? copydesk.HunkLines Only these lines; the rest of the hunk stays undecided.
---@field text? string Accepts this text instead of the hunk's lines.
---@field comment? string A comment for the model. Blank counts as missing.
---@field confirmed? boolean The user confirms the deletion of a created file in which they typed.

--- The outcome of a decision.
---@alias copydesk.ReviewDecisionOutcome
---| "done" # The daemon carried it out.
---| "refused" # The hunk is gone or has changed, or the editor did not make the change. Nothing has changed.
---| "confirm" # The user has typed in the file that the decision would delete. To delete it, send the decision again with `confirmed`.

--- The outcome of a decision.
---@class copydesk.ReviewDecisionResult
---@field hunk string The id in the decision.
---@field outcome copydesk.ReviewDecisionOutcome The outcome.
---@field message? string Why, for the user.

--- The undecided edits of one document.
---@class copydesk.ReviewInfo
---@field review string Its id. As `hunk` of a decision it stands for the whole review.
---@field uri string The document.
---@field path string Its path for the user: relative to the session's folder if it is inside.
---@field when copydesk.ReviewTimingInfo Whether its edits are made.
---@field ask? string The ask of the call that waits for the review.
---@field writing? boolean The model still writes this inline edit. The user can decide it afterwards.
---@field expected string The value of `expected` in a decision on the whole review.
---@field file? copydesk.FileHunkInfo The file itself, if the agent created, deleted or renamed it. It is one of the hunks.
---@field hunks copydesk.HunkInfo[] In text order.
---@field total integer How many hunks of lines it has.
---@field additions integer The number of new lines in all hunks.
---@field deletions integer The number of old lines in all hunks.

--- Which reviews of a session to list.
---@class copydesk.ReviewListParams
---@field session string The session's id.
---@field uri? string Only reviews of this document.
---@field skip? integer How many hunks of each review to skip. A list has at most 1,000 hunks of a review.

--- The undecided edits.
---@class copydesk.ReviewListResult
---@field reviews copydesk.ReviewInfo[] One for each document, sorted by path; two if some of its edits are made and others wait.
---@field comments integer How many comments wait for the model's next step.

--- Whether the user reviews an edit before or after it is made.
---@alias copydesk.ReviewTimingInfo
---| "before" # The call waits; nothing changes before the user accepts it.
---| "after" # The edit is made, and the turn continues.

--- Accept or reject.
---@alias copydesk.ReviewVerdict
---| "accept" # The new lines stay, or replace the old ones.
---| "reject" # The old lines stay, or are restored.

--- What `websearch` or `codesearch` would search for.
---@class copydesk.SearchAskMetadata
---@field query string The words.

--- A selection, or the position of the cursor.
---@class copydesk.SelectionInfo
---@field uri string The document.
---@field range copydesk.WireRange Its range; empty if it is only the cursor.
---@field text string The selected text.

--- The user's selection.
---@class copydesk.SelectionResult
---@field selection? copydesk.SelectionInfo Missing if no document has or had the focus.

--- What the editor did with a document.
---@alias copydesk.ServerDocumentEvent
---| "opened" # It opened it, or opened it again.
---| "changed" # It changed the text.
---| "renumbered" # It sends the same text to the daemon under another version from now on.
---| "saved" # It saved it.
---| "closed" # It closed it.

--- The editor told a language server of a document.
---@class copydesk.ServerDocumentParams
---@field server integer The server.
---@field uri string The document, as the server knows it.
---@field event copydesk.ServerDocumentEvent What happened.
---@field language? string LSP's id of its language, when it is opened.
---@field version? integer The version that the server was told.
---@field document? integer The version under which the editor sends the same text to the daemon; missing if it does not.
---@field modified? boolean It has changes that are not saved.
---@field running? boolean The server had it open before the editor reported anything.

--- A document as a language server of the editor knows it.
---@class copydesk.ServerDocumentVersion
---@field uri string The document.
---@field version integer The version that the server was told by the editor.

--- A language server of the editor has ended.
---@class copydesk.ServerEndedParams
---@field server integer The server.

--- A language server that the daemon runs.
---@class copydesk.ServerInfo
---@field name string Its name, such as `rust-analyzer`.
---@field root string The folder that it works in.
---@field state copydesk.ServerState Its state.
---@field message? string What it does now, or why it does nothing.
---@field percent? integer How much of that is done, in percent.
---@field documents integer How many documents it has open.
---@field memory? integer The memory of it and its child processes, in bytes.
---@field pid? integer Its process id, while it runs.
---@field sandboxed? boolean Whether it runs in the sandbox, while it runs; none if the sandbox is off.

--- A language server sent the editor a message.
---@class copydesk.ServerReceivedParams
---@field server integer The server.
---@field method string The message's method.
---@field params? any The message's params, unchanged.

--- Why a server did not respond. If the text was another one by then, the code is LSP's `ContentModified`.
---@class copydesk.ServerResponseError
---@field code integer LSP's code.
---@field message string In words.

--- A language server of the editor is there.
---@class copydesk.ServerStartedParams
---@field server integer The editor's number of it, which no other server of this connection gets.
---@field name string The editor's name of it, such as `lua_ls`.
---@field ownName? string Its own name, from its response to `initialize`.
---@field languages? string[] LSP's ids of the languages that it serves, if the editor does not know which server it is.
---@field command? string[] The program and its arguments, if the editor knows them.
---@field root? string The folder that it works in, as a URI.
---@field encoding? string How it counts characters, as LSP names it; UTF-16 if it is missing.
---@field capabilities? any Its capabilities, from its response to `initialize`.
---@field running? boolean It ran before the editor reported anything. The editor then reports its registrations and its running progress as received.

--- The state of a language server.
---@alias copydesk.ServerState
---| "starting" # It has not answered `initialize` yet.
---| "indexing" # It reads the project; until then it may miss problems.
---| "ready" # It answers requests.
---| "resting" # It crashed, and the daemon restarts it soon.
---| "givenUp" # It crashed too often; `servers/restart` starts it again.
---| "ending" # It is shutting down, because it was unused for a while.

--- The editor told a language server of files on the disk.
---@class copydesk.ServerWatchedParams
---@field server integer The server.
---@field changes copydesk.WatchedFileChange[] The files, as in `workspace/didChangeWatchedFiles`.

--- Which language servers to restart.
---@class copydesk.ServersRestartParams
---@field name string The name of the server, in whatever folders it works.

--- How many language servers were restarted.
---@class copydesk.ServersRestartResult
---@field servers integer Those of that name; 0 if there is none.

--- A session, and where to fork it.
---@class copydesk.SessionForkParams
---@field session string The session's id.
---@field before string The id of the first part that the new session does not have.

--- A conversation with an agent. The daemon owns it; it outlives every window.
---@class copydesk.SessionInfo
---@field id string Unique; later ones sort after earlier ones.
---@field folder string The folder it works in: an absolute path on the daemon's machine.
---@field title? string Missing until the session has one.
---@field agent string The agent's name.
---@field model? string `PROVIDER/MODEL`, if the user chose one for this session.
---@field parent? string The session whose call started this one.
---@field review? copydesk.ReviewTimingInfo When its edits are reviewed, if the user chose that.
---@field preset? copydesk.PermissionPresetInfo What runs unasked, if the user chose that for this session.
---@field activePreset? copydesk.PermissionPresetInfo What runs unasked: the user's choice or else the configuration's, as far as the trust of the folder lets it count. Missing in lists.
---@field created integer When it was created, in milliseconds since 1970.
---@field updated integer When it last changed, in milliseconds since 1970.

--- Which sessions to list.
---@class copydesk.SessionListParams
---@field folder? string Only sessions in this folder.
---@field limit? integer The most to return; by default 50.
---@field before? string Only sessions last used before this one: the id of the last session of the previous page.

--- A page of sessions.
---@class copydesk.SessionListResult
---@field sessions copydesk.SessionInfo[] Last used first. A page that is not full is the last.

--- Which session to attach to.
---@class copydesk.SessionLoadParams
---@field session string The session's id.
---@field limit? integer The most parts to return, counted from the last; by default 200.

--- Everything that a client needs to show a session, as of `seq`.
---@class copydesk.SessionLoadResult
---@field session copydesk.SessionInfo The present state of the session.
---@field parts copydesk.PartInfo[] The last parts in order, including unfinished ones with their content so far.
---@field earlier boolean Whether there are parts before these: see `copydesk/session/parts`.
---@field running? integer The number of the running turn; missing if none runs.
---@field lastTurn? copydesk.LastTurnInfo The last turn, if one began since the daemon hosts the session.
---@field seq integer The last event that this includes. The client drops events up to it, whenever they arrive.
---@field asks copydesk.PermissionAskInfo[] Open asks. The daemon also sends each to this client as a request.
---@field questions copydesk.QuestionAskInfo[] Open questions. The daemon also sends them to this client as requests.
---@field feedback? copydesk.FeedbackInfo[] Decisions and comments that the model has not read yet: see the event `feedback`.
---@field jobs? copydesk.JobInfo[] Running background commands.
---@field warnings? string[] The warnings since the daemon hosts the session: see the event `warning`.
---@field trust? copydesk.TrustInfo Whether the user trusts its folder.

--- The properties of a new session.
---@class copydesk.SessionNewParams
---@field folder? string The folder to work in; by default the client's first workspace folder.
---@field agent? string The agent's name; by default the configured one.
---@field model? string `PROVIDER/MODEL`; by default the agent's or the configured one.

--- A session.
---@class copydesk.SessionParams
---@field session string The session's id.

--- Which page of a session's parts.
---@class copydesk.SessionPartsParams
---@field session string The session's id.
---@field before string Only parts before this one: the id of the first part that the client has.
---@field limit? integer The most to return, counted from the last; by default 200.

--- A page of parts.
---@class copydesk.SessionPartsResult
---@field parts copydesk.PartInfo[] In order.
---@field earlier boolean Whether there are parts before these.

--- Where to look for sessions that need the user.
---@class copydesk.SessionPendingParams
---@field folder? string The sessions' folder; by default the client's first workspace folder.

--- The sessions that run or need the user.
---@class copydesk.SessionPendingResult
---@field sessions copydesk.PendingSessionInfo[] Last used first, at most 20.

--- A session and its new title.
---@class copydesk.SessionRenameParams
---@field session string The session's id.
---@field title string The new title.

--- The present state of the session.
---@class copydesk.SessionResult
---@field session copydesk.SessionInfo The present state of the session.

--- A part that matches.
---@class copydesk.SessionSearchMatch
---@field session string The session's id.
---@field title? string The session's title; missing if it has none.
---@field part string The id of the part.
---@field excerpt string The text around the match, about a line.

--- What to search for.
---@class copydesk.SessionSearchParams
---@field query string Words, all of which must occur.
---@field limit? integer The most to return; by default 50.

--- The matches.
---@class copydesk.SessionSearchResult
---@field found copydesk.SessionSearchMatch[] The latest first.

--- A session and its new agent.
---@class copydesk.SessionSetAgentParams
---@field session string The session's id.
---@field agent string The agent's name.

--- A session and its new model.
---@class copydesk.SessionSetModelParams
---@field session string The session's id.
---@field model string `PROVIDER/MODEL`

--- The preset of a session.
---@class copydesk.SessionSetPresetParams
---@field session string The session's id.
---@field preset? copydesk.PermissionPresetInfo From the next call on; by default the configuration decides.

--- When the user reviews the edits of a session.
---@class copydesk.SessionSetReviewParams
---@field session string The session's id.
---@field review? copydesk.ReviewTimingInfo From the next edit on; by default the permission rules decide.

--- A session that the daemon hosts.
---@class copydesk.SessionStatus
---@field session string The session's id.
---@field running boolean Whether a turn runs.
---@field attached? string[] The names of the clients that show it, one for each.

--- The severity of a problem, as in LSP.
---@alias copydesk.SeverityInfo
---| "error" # An error.
---| "warning" # A warning.
---| "information" # Information.
---| "hint" # A hint.

--- What to show.
---@class copydesk.ShowParams
---@field uri string The document.
---@field range? copydesk.WireRange The range to scroll to.
---@field focus? boolean Whether the editor moves the focus and the cursor there.

--- Whether the editor shows the document.
---@class copydesk.ShowResult
---@field shown boolean Whether the editor shows it.

--- A skill that would be loaded.
---@class copydesk.SkillAskMetadata
---@field path string Its file.

--- A skill that `skill` loaded.
---@class copydesk.SkillMetadata
---@field name string Its name.
---@field path string Its file.
---@field foreign boolean Whether it comes from the repository, not from the user's own folders.
---@field files string[] The files beside it, relative to its folder.

--- The state of the daemon.
---@class copydesk.StatusResult
---@field version string The daemon's version.
---@field protocol integer The version of the protocol that it speaks.
---@field pid integer Its process id.
---@field started integer When it was started, in milliseconds since 1970.
---@field clients integer How many clients are attached to it.
---@field sessions copydesk.SessionStatus[] The sessions that it hosts.
---@field documents integer How many documents the clients have open.
---@field tiers? copydesk.MatchTierCount[] How strictly the agents' edits matched since the daemon started, the most frequent tier first.
---@field servers? copydesk.ServerInfo[] Its own language servers, sorted by name.
---@field missing? copydesk.MissingServer[] Useful language servers that are not installed.

--- How a model request ended.
---@class copydesk.StepFinishInfo
---@field stop copydesk.StopReasonInfo Why the model stopped.
---@field usage copydesk.UsageInfo The tokens it used.
---@field cost? number The cost in US dollars, if the price is known.
---@field context? copydesk.ContextUseInfo What fills the model's context with this request and its response; missing in sessions of older daemons.

--- When to stop.
---@class copydesk.StopParams
---@field when copydesk.StopTiming When to stop.

--- Why a model stopped.
---@alias copydesk.StopReasonInfo
---| "end" # It finished its answer.
---| "calls" # It waits for the results of its calls.
---| "length" # It reached the output limit; the last part may be incomplete.
---| "context" # It reached the end of its context window.
---| "refused" # The model or a filter of the provider refused.
---| "paused" # The provider asks for another request.
---| "broken" # The stream broke after complete calls: those are kept, the rest is lost.

--- What the stop waits for.
---@class copydesk.StopResult
---@field waitingFor integer How many turns still run.

--- When to stop.
---@alias copydesk.StopTiming
---| "idle" # When no turn runs. Until then everything works as before.
---| "now" # At once. The daemon cancels running turns and keeps completed parts.

--- A task that would be given to another agent.
---@class copydesk.TaskAskMetadata
---@field prompt string What the agent would be told.

--- A task, while the agent works on it and when it is done.
---@class copydesk.TaskMetadata
---@field agent string The agent's name.
---@field description string The task in a few words.
---@field session string The id of the session that works on it.
---@field calls integer How many calls the agent has made.
---@field now? string What it does at the moment, in a few words; missing before it begins and after it is done.
---@field usage copydesk.TaskUsage The tokens that it has used, those of its own tasks included.
---@field cost? number US dollars, if the price is known.
---@field state? copydesk.TaskState How it ended; missing while it runs.
---@field files? copydesk.FileChangeStats[] The files that it changed, when it is done; missing if there are none.

--- How a task ended.
---@alias copydesk.TaskState
---| "completed" # The agent is done.
---| "out of steps" # The agent would have continued, but may not take more steps.
---| "cancelled" # The user cancelled it.
---| "rejected" # The user rejected an ask of it, and so stopped it.
---| "failed" # It failed.

--- Tokens of all requests of a task together.
---@class copydesk.TaskUsage
---@field input integer Read by the model, without what a cache had or took.
---@field output integer Written by the model, its reasoning included.
---@field reasoning integer Written as reasoning.
---@field cacheRead integer Read from a cache.
---@field cacheWrite integer Written to a cache.

--- A text.
---@class copydesk.TextContent
---@field text string Markdown if the model wrote it.

--- Lines of a text that `read` showed the model.
---@class copydesk.TextPageMetadata
---@field first integer The first line, from 1.
---@field last integer The last line.
---@field total integer How many lines the file has.
---@field truncated boolean Whether the file goes on after the last line.

--- Lines that `grep` found.
---@class copydesk.TextSearchMetadata
---@field matches integer How many are listed.
---@field truncated boolean Whether there are more.

--- One thing to do.
---@class copydesk.TodoEntryMetadata
---@field content string What is to be done, in a few words.
---@field status copydesk.TodoEntryStatus How far it is.
---@field priority? copydesk.TodoEntryPriority How important it is.

--- How important a thing to do is.
---@alias copydesk.TodoEntryPriority
---| "high" # More than others.
---| "medium" # As others.
---| "low" # Less than others.

--- How far a thing to do is.
---@alias copydesk.TodoEntryStatus
---| "pending" # Not begun.
---| "in_progress" # The agent works on it.
---| "completed" # Done.
---| "cancelled" # Given up.

--- The whole list. That of the last `todowrite` is the session's.
---@class copydesk.TodoListMetadata
---@field todos copydesk.TodoEntryMetadata[] What is to be done, in its order.
---@field isNew? boolean Whether the list has other items than the one before it; if not, only their statuses changed.

--- Whether the user trusts a folder.
---@class copydesk.TrustInfo
---@field folder string The folder whose trust counts: the root of the repository, or the folder itself.
---@field trust copydesk.TrustState What the user said. It counts from the next prompt on.

--- What the user says about a folder.
---@class copydesk.TrustSetParams
---@field folder? string The folder, which may lie above a repository. Without it, the repository of the client's first workspace folder. The answer counts for all below it.
---@field trusted boolean Whether the user trusts it.
---@field passedOn? boolean The editor asked the user itself, some time ago. The answer counts for the repository that contains the folder, and only if the user has not answered here: the configuration may have changed since, or the user their mind.

--- What the user said about a folder, or about one above it.
---@alias copydesk.TrustState
---| "trusted" # The user trusts it.
---| "restricted" # The user was asked and does not.
---| "unasked" # The user has not been asked. A client that can ask does so before its first prompt.

--- The model finished its answer.
---@class copydesk.TurnEndInfo.done
---@field kind "done"

--- The user cancelled it, or the daemon stopped.
---@class copydesk.TurnEndInfo.cancelled
---@field kind "cancelled"

--- The user rejected an ask without a reason for the model.
---@class copydesk.TurnEndInfo.rejected
---@field kind "rejected"

--- The model would have continued, but the turn reached its limit of steps.
---@class copydesk.TurnEndInfo.stepLimit
---@field kind "stepLimit"
---@field steps integer The limit.

--- It failed.
---@class copydesk.TurnEndInfo.failed
---@field kind "failed"
---@field message string Why, for the user.

--- The daemon ended during it. Only a part says this, when the session is loaded again.
---@class copydesk.TurnEndInfo.interrupted
---@field kind "interrupted"

--- Why a turn ended.
---@alias copydesk.TurnEndInfo
---| copydesk.TurnEndInfo.done # The model finished its answer.
---| copydesk.TurnEndInfo.cancelled # The user cancelled it, or the daemon stopped.
---| copydesk.TurnEndInfo.rejected # The user rejected an ask without a reason for the model.
---| copydesk.TurnEndInfo.stepLimit # The model would have continued, but the turn reached its limit of steps.
---| copydesk.TurnEndInfo.failed # It failed.
---| copydesk.TurnEndInfo.interrupted # The daemon ended during it. Only a part says this, when the session is loaded again.

--- A prompt to a session.
---@class copydesk.TurnParams
---@field session string The session's id.
---@field text string Its text.
---@field files? copydesk.MediaContent[] Images and PDFs.
---@field context? copydesk.ContextItem[] What the user points at.
---@field contextOf? string The id of an earlier prompt, of any session, whose context and files go with this one, too. A piece that `context` names is not repeated, nor is a file of `files`.
---@field unattended? boolean The client answers the asks of this turn by itself; no user sees them. So the daemon does not check edits before it asks.

--- What happened to a prompt.
---@class copydesk.TurnStartResult
---@field queued boolean Whether it waits for the end of the running turn.
---@field prompt string The id of the prompt's part. The event `turnStarted` of its turn names it.

--- What happened to a prompt.
---@class copydesk.TurnSteerResult
---@field joined boolean Whether it joined the running turn; if not, it started one.
---@field prompt string The id of the prompt's part.

--- A running call.
---@class copydesk.TurnStopCallParams
---@field session string The session's id.
---@field part string The id of the call's part.

--- The outcome for one file.
---@alias copydesk.UndoOutcome
---| "undone" # The agent's edits are reverted.
---| "conflict" # The user has changed the same lines since; the file stays as it is.
---| "gone" # The file does not exist any more.
---| "unchanged" # None of the agent's edits were left to revert.

--- What to revert.
---@class copydesk.UndoParams
---@field session string The session's id.
---@field what? copydesk.UndoScope Which edits. Without it, those of the last turn whose edits are not all undone.

--- The outcome for each file.
---@class copydesk.UndoResult
---@field files copydesk.UndoneFile[] Empty if there was nothing to revert.
---@field turn? integer The turn that was found, if the request did not say which edits.

--- The edits of one call: the id of its part.
---@class copydesk.UndoScope.call
---@field call string

--- The edits of one turn: its number.
---@class copydesk.UndoScope.turn
---@field turn integer

--- The edits after a part: its id.
---@class copydesk.UndoScope.after
---@field after string

--- Which of the agent's edits to revert. The user's own edits always stay.
---@alias copydesk.UndoScope
---| copydesk.UndoScope.call # The edits of one call: the id of its part.
---| copydesk.UndoScope.turn # The edits of one turn: its number.
---| copydesk.UndoScope.after # The edits after a part: its id.

--- The outcome for one file.
---@class copydesk.UndoneFile
---@field uri string The document.
---@field outcome copydesk.UndoOutcome The outcome.
---@field message? string Why, for the user.

--- The tokens of one request.
---@class copydesk.UsageInfo
---@field input integer Read by the model, without those read from or written to a cache.
---@field output integer Written by the model, including its reasoning.
---@field reasoning integer Written as reasoning.
---@field cacheRead integer Read from a cache.
---@field cacheWrite integer Written to a cache.

--- One file on the disk.
---@class copydesk.WatchedFileChange
---@field uri string The file.
---@field type integer LSP's `FileChangeType`.

--- What `webfetch` loaded.
---@class copydesk.WebPageMetadata
---@field url string The address, after redirects.
---@field title? string The title of an HTML page.
---@field type string The media type; may be empty.
---@field bytes integer The size of the body.
---@field status integer The HTTP status.

--- What `websearch` or `codesearch` found.
---@class copydesk.WebSearchMetadata
---@field query string What was searched for.
---@field count? integer How many results there are; missing if the search engine does not say.

--- A range of a document.
---@class copydesk.WireLocation
---@field uri string The document.
---@field range copydesk.WireRange The range in it.

--- A position between two characters.
---@class copydesk.WirePosition
---@field line integer From 0.
---@field character integer From 0, in the position encoding that LSP negotiated.

--- A range of text.
---@class copydesk.WireRange
---@field start copydesk.WirePosition Its start.
---@field end copydesk.WirePosition Its end, exclusive.

--- The differences between an old line of a hunk and the new line with the same number.
---@class copydesk.WordDiffInfo
---@field line integer The line, counted from the hunk's first line, on both sides.
---@field old any[][] Start and end of each difference, in bytes of the line.
---@field new any[][] Start and end of each difference, in bytes of the line.

local M = {}

--- The version of the protocol.
M.protocol = 1

--- The names of the methods, as on the wire.
M.methods = {
  --- Creates a session, and stores it at once.
  --- `copydesk.SessionNewParams -> copydesk.SessionResult`
  sessionNew = "copydesk/session/new",
  --- Lists sessions, last used first.
  --- `copydesk.SessionListParams -> copydesk.SessionListResult`
  sessionList = "copydesk/session/list",
  --- Lists the sessions of a folder that run, wait for the user, or have undecided hunks.
  --- `copydesk.SessionPendingParams -> copydesk.SessionPendingResult`
  sessionPending = "copydesk/session/pending",
  --- Attaches this client to a session: it gets the present state, and from then on the session's events and asks.
  --- `copydesk.SessionLoadParams -> copydesk.SessionLoadResult`
  sessionLoad = "copydesk/session/load",
  --- Returns earlier parts of a session, page by page. Does not attach.
  --- `copydesk.SessionPartsParams -> copydesk.SessionPartsResult`
  sessionParts = "copydesk/session/parts",
  --- Detaches this client from a session. A running turn continues.
  --- `copydesk.SessionParams -> copydesk.Empty`
  sessionLeave = "copydesk/session/leave",
  --- Creates a session with the history of another one before a part. The other session does not change.
  --- `copydesk.SessionForkParams -> copydesk.SessionResult`
  sessionFork = "copydesk/session/fork",
  --- Sets the title of a session.
  --- `copydesk.SessionRenameParams -> copydesk.SessionResult`
  sessionRename = "copydesk/session/rename",
  --- Deletes a session and its history. Cancels a running turn first.
  --- `copydesk.SessionParams -> copydesk.Empty`
  sessionDelete = "copydesk/session/delete",
  --- Sets the model of a session, from its next turn on.
  --- `copydesk.SessionSetModelParams -> copydesk.SessionResult`
  sessionSetModel = "copydesk/session/setModel",
  --- Sets the agent of a session, from its next turn on.
  --- `copydesk.SessionSetAgentParams -> copydesk.SessionResult`
  sessionSetAgent = "copydesk/session/setAgent",
  --- Sets whether a session's edits are reviewed before or after they are made, from the next edit on.
  --- `copydesk.SessionSetReviewParams -> copydesk.SessionResult`
  sessionSetReview = "copydesk/session/setReview",
  --- Sets what runs unasked in a session, from the next call on.
  --- `copydesk.SessionSetPresetParams -> copydesk.SessionResult`
  sessionSetPreset = "copydesk/session/setPreset",
  --- Finds sessions by their content.
  --- `copydesk.SessionSearchParams -> copydesk.SessionSearchResult`
  sessionSearch = "copydesk/session/search",
  --- Prompts. Answers at once; events report the turn. While a turn runs, the prompt is queued.
  --- `copydesk.TurnParams -> copydesk.TurnStartResult`
  turnStart = "copydesk/turn/start",
  --- Prompts into the running turn: the model reads it at its next step. Without a turn it starts one.
  --- `copydesk.TurnParams -> copydesk.TurnSteerResult`
  turnSteer = "copydesk/turn/steer",
  --- Cancels the running turn and all its asks. Answers at once. Does nothing without a turn.
  --- `copydesk.SessionParams -> copydesk.Empty`
  turnCancel = "copydesk/turn/cancel",
  --- Stops one running call, such as a command. The model is told, and the turn continues. Does nothing if the call has ended.
  --- `copydesk.TurnStopCallParams -> copydesk.Empty`
  turnStopCall = "copydesk/turn/stopCall",
  --- Reverts the agent's edits of files, and nothing else.
  --- `copydesk.UndoParams -> copydesk.UndoResult`
  undo = "copydesk/undo",
  --- Reverts the last undo of a session.
  --- `copydesk.SessionParams -> copydesk.UndoResult`
  redo = "copydesk/redo",
  --- Lists the agent's undecided edits.
  --- `copydesk.ReviewListParams -> copydesk.ReviewListResult`
  reviewList = "copydesk/review/list",
  --- Decides hunks. The result says which decisions were refused and why; those change nothing.
  --- `copydesk.ReviewDecideParams -> copydesk.ReviewDecideResult`
  reviewDecide = "copydesk/review/decide",
  --- Comments on an edit without deciding it. The model reads the comment at its next step.
  --- `copydesk.ReviewCommentParams -> copydesk.ReviewCommentResult`
  reviewComment = "copydesk/review/comment",
  --- Asks the session's model to rewrite a range of a document. Answers at once; the edit grows in a review.
  --- `copydesk.InlineStartParams -> copydesk.InlineStartResult`
  inlineStart = "copydesk/inline/start",
  --- Asks the model to change an undecided inline edit.
  --- `copydesk.InlineRefineParams -> copydesk.Empty`
  inlineRefine = "copydesk/inline/refine",
  --- Drops an inline edit, while the model writes it or after. The document is unchanged.
  --- `copydesk.InlineCancelParams -> copydesk.Empty`
  inlineCancel = "copydesk/inline/cancel",
  --- Lists the models that can be used now.
  --- `copydesk.ModelsParams -> copydesk.ModelsResult`
  models = "copydesk/models",
  --- Lists the providers of models, and what those lack that cannot be used. Looks for servers on the daemon's machine.
  --- `copydesk.ProviderListParams -> copydesk.ProviderListResult`
  providerList = "copydesk/provider/list",
  --- Stores the user's key for a provider.
  --- `copydesk.ProviderSetKeyParams -> copydesk.ProviderSetKeyResult`
  providerSetKey = "copydesk/provider/setKey",
  --- Lists the agents that a user can choose.
  --- `copydesk.AgentsParams -> copydesk.AgentsResult`
  agents = "copydesk/agents",
  --- Returns the state of the daemon.
  --- `copydesk.Empty -> copydesk.StatusResult`
  status = "copydesk/status",
  --- Records whether the user trusts a folder. Only a user's own choice may be sent.
  --- `copydesk.TrustSetParams -> copydesk.TrustInfo`
  trustSet = "copydesk/trust/set",
  --- Lists what the user always allows in a project and in its running sessions.
  --- `copydesk.PermissionListParams -> copydesk.PermissionListResult`
  permissionList = "copydesk/permission/list",
  --- Takes back what the user always allows. Only a user's own choice may be sent.
  --- `copydesk.PermissionRevokeParams -> copydesk.PermissionRevokeResult`
  permissionRevoke = "copydesk/permission/revoke",
  --- Explains which rules decide about a call, without making it.
  --- `copydesk.PermissionExplainParams -> copydesk.PermissionExplainResult`
  permissionExplain = "copydesk/permission/explain",
  --- Restarts language servers of the daemon, also those that it gave up.
  --- `copydesk.ServersRestartParams -> copydesk.ServersRestartResult`
  serversRestart = "copydesk/servers/restart",
  --- Returns the diagnostics of the client's own language servers, and the certainty that they are for the present text.
  --- `copydesk.DiagnosticsParams -> copydesk.DiagnosticsResult`
  diagnostics = "copydesk/diagnostics",
  --- Checks whether the daemon has the text that a document has in the editor.
  --- `copydesk.DocumentVerifyParams -> copydesk.DocumentVerifyResult`
  documentVerify = "copydesk/document/verify",
  --- A language server of the editor is there.
  --- `copydesk.ServerStartedParams`
  serverStarted = "copydesk/server/started",
  --- The editor told a language server of a document.
  --- `copydesk.ServerDocumentParams`
  serverDocument = "copydesk/server/document",
  --- The editor told a language server of files on the disk.
  --- `copydesk.ServerWatchedParams`
  serverWatched = "copydesk/server/watched",
  --- A language server sent the editor a message.
  --- `copydesk.ServerReceivedParams`
  serverReceived = "copydesk/server/received",
  --- A language server of the editor has ended.
  --- `copydesk.ServerEndedParams`
  serverEnded = "copydesk/server/ended",
  --- Changes how much the daemon logs.
  --- `copydesk.LogSetParams -> copydesk.LogSetResult`
  logSet = "copydesk/log/set",
  --- Stops the daemon.
  --- `copydesk.StopParams -> copydesk.StopResult`
  stop = "copydesk/stop",
  --- An event of a session that this client is attached to.
  --- `copydesk.EventParams`
  event = "copydesk/event",
  --- Asks the user to approve a call. Sent to every attached client; the first reply wins.
  --- `copydesk.PermissionAskParams -> copydesk.PermissionReply`
  permissionAsk = "copydesk/permission/ask",
  --- An ask needs no reply any more. A client that still shows it removes it and answers `cancelled`.
  --- `copydesk.PermissionSettledParams`
  permissionSettled = "copydesk/permission/settled",
  --- Asks the user the agent's questions. Sent to every attached client; the first reply wins.
  --- `copydesk.QuestionAskParams -> copydesk.QuestionReply`
  questionAsk = "copydesk/question/ask",
  --- Questions need no reply any more. A client that still shows them removes them and answers `cancelled`.
  --- `copydesk.QuestionSettledParams`
  questionSettled = "copydesk/question/settled",
  --- Names the editor's own language servers of a document.
  --- `copydesk.EditorServersParams -> copydesk.EditorServersResult`
  editorServers = "copydesk/editor/servers",
  --- The daemon needs a document no more: the editor may unload it.
  --- `copydesk.EditorServersDoneParams`
  editorServersDone = "copydesk/editor/serversDone",
  --- Sends a request to one of the editor's own language servers.
  --- `copydesk.EditorServerMessageParams -> copydesk.EditorServerResponse`
  editorServerRequest = "copydesk/editor/serverRequest",
  --- Sends a notification to one of the editor's own language servers.
  --- `copydesk.EditorServerMessageParams`
  editorServerNotify = "copydesk/editor/serverNotify",
  --- Returns the user's selection.
  --- `copydesk.Empty -> copydesk.SelectionResult`
  editorSelection = "copydesk/editor/selection",
  --- Returns the files that the user has open.
  --- `copydesk.Empty -> copydesk.OpenFilesResult`
  editorOpenFiles = "copydesk/editor/openFiles",
  --- Shows a range of a document in the editor.
  --- `copydesk.ShowParams -> copydesk.ShowResult`
  editorShow = "copydesk/editor/show",
  --- A new daemon serves this client: its documents are open again, its sessions are not loaded.
  --- `copydesk.Empty`
  restarted = "copydesk/restarted",
  --- The daemon changed a file on the disk that this client may have open.
  --- `copydesk.DocumentChangedParams`
  documentChanged = "copydesk/document/changed",
  --- Saves an open document as the user would.
  --- `copydesk.DocumentSaveParams -> copydesk.DocumentSaveResult`
  documentSave = "copydesk/document/save",
}

--- Error codes.
M.errors = {
  --- The message is not JSON.
  parseError = -32700,
  --- The message is not a request.
  invalidRequest = -32600,
  --- The method does not exist, or not in this direction.
  methodNotFound = -32601,
  --- The params are invalid; the message says where.
  invalidParams = -32602,
  --- A bug in the daemon; please report the message.
  internalError = -32603,
  --- The client has to send `initialize` first.
  serverNotInitialized = -32002,
  --- Cancelled. The daemon never sends it (law 3); from a client it means `cancelled`.
  requestCancelled = -32800,
  --- The document changed meanwhile. The daemon never sends it; from a client it means: ask again.
  contentModified = -32801,
  --- The request was valid but failed; the message says why.
  requestFailed = -32803,
  --- The session does not exist; it may have been deleted.
  unknownSession = -31001,
  --- The session has no such part or turn.
  unknownPart = -31002,
  --- The model does not exist or cannot be used now; the message says what is missing.
  unknownModel = -31003,
  --- The user can choose no agent of that name.
  unknownAgent = -31004,
  --- Daemon and extension do not speak the same protocol; the message says which to update and how.
  protocolMismatch = -31005,
  --- The request fails while a turn runs; cancel the turn or wait for its end.
  busy = -31006,
}

return M
