-- The protocol between the desk of Copydesk and its editor extensions. Made from protocol/src; do not edit.
-- To bring it up to date: `UPDATE_EXPECT=1 cargo test -p copydesk-protocol`, then read what has changed.

--- A named set of prompt, model and rules.
---@class copydesk.AgentInfo
---@field name string Its name.
---@field description string When to use it.
---@field model? string `PROVIDER/MODEL`, where it has one of its own.

--- The agent that the session continues as after `plan_enter` or `plan_exit`.
---@class copydesk.AgentSwitchMetadata
---@field path? string The plan that the user approved, for `plan_exit`.
---@field agent string The agent's name.

--- Whose agents.
---@class copydesk.AgentsParams
---@field folder? string The folder whose configuration counts; where it is missing, the client's first workspace folder.

--- The agents that a person can choose.
---@class copydesk.AgentsResult
---@field agents copydesk.AgentInfo[] The one that is used where nobody chose comes first.

--- Whether an editor could say. The desk asks its own language servers where it could not.
---@alias copydesk.AnswerState
---| "answered" # It could, even if there was nothing to find.
---| "unsupported" # No language server of this editor can say.
---| "starting" # A language server could, but is not ready yet.
---| "cancelled" # The time that the desk gave is over, or the person cancelled the work.

--- A question.
---@class copydesk.AskedQuestionMetadata
---@field header string A word or two; may be empty.
---@field text string The question itself.

--- A command that `bash` started in the background.
---@class copydesk.BackgroundCommandMetadata
---@field job integer The job's number.
---@field file? string The file with everything that it prints.

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

--- A call of a tool.
---@class copydesk.CallInfo
---@field call string The model's name for this call, unique within its step.
---@field name string The tool's name; `invalid` where there is none that could have been meant.
---@field arguments string JSON as the model wrote it, and once the call is made as it was understood. While it is being written it is no valid JSON.
---@field parent? string The part of the call that stands for this one, as `batch` does.
---@field progress? copydesk.CallMetadata What the running call showed last: the `metadata` of its last `progress` event.
---@field output? copydesk.CallOutputInfo What came of it; missing until something did.

--- What a view shows of a call: the fields of its tool, and `CallNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own.
---@alias copydesk.CallMetadata
---| copydesk.EditMetadata # `edit`, `multiedit`, `write`, `apply_patch`
---| copydesk.TaskMetadata # `task`
---| copydesk.TodoListMetadata # `todowrite`, `todoread`
---| copydesk.QuestionsMetadata # `question`
---| copydesk.BatchMetadata # `batch`
---| copydesk.WebPageMetadata # `webfetch`
---| copydesk.WebSearchMetadata # `websearch`, `codesearch`
---| copydesk.SkillMetadata # `skill`
---| copydesk.TextPageMetadata # `read` of a text
---| copydesk.MediaFileMetadata # `read` of an image or a PDF
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

--- What came of a call.
---@class copydesk.CallOutputInfo
---@field title string One line for the person.
---@field output string What the model reads.
---@field isError? boolean Whether the model is told that the call failed.
---@field metadata? copydesk.CallMetadata What the user is shown.
---@field media? copydesk.MediaContent[] Images and PDFs that the call gave back.
---@field milliseconds integer How long it took.

--- What was done to a file.
---@alias copydesk.ChangeReason
---| "created" # It was made, or a command changed it and nobody knows whether it was there before.
---| "written" # It has another content.
---| "deleted" # It is not there any more.

--- A file and how it is changed.
---@class copydesk.ChangedFileMetadata
---@field filepath string Its absolute path.
---@field diff? string In unified form; empty where the diffs of the call are too long together.
---@field additions integer Lines that were added.
---@field deletions integer Lines that were removed.
---@field from? string The absolute path that it was moved from.
---@field path? string Its path for people, relative to the workspace; only where there are several files.

--- What a client says of itself: `initializationOptions.copydesk`.
---@class copydesk.ClientHello
---@field protocol integer The version of the protocol that it speaks.
---@field client string Its name, such as `vscode` or `nvim`.
---@field version string The extension's version.

--- A command that `bash` would run.
---@class copydesk.CommandAskMetadata
---@field command string The command. A view shows it, whatever the title says.
---@field workdir string The folder that it would run in, relative to the workspace.
---@field description? string What the model says that it does.

--- A command of `bash`. While it runs there is only `output`.
---@class copydesk.CommandMetadata
---@field exit? integer The exit code; missing while it runs, and if a signal, the timeout or the user ended it.
---@field truncated? boolean Whether it printed more than the output holds; missing while it runs.
---@field signal? integer The signal that ended it.
---@field timedOut? boolean Whether it was ended at its timeout; missing if not.
---@field output? string The end of what it has printed so far; when it is done, only if it failed.
---@field diagnostics? copydesk.DiagnosticsMetadata What is wrong with files that it changed; missing if nothing was checked.

--- Something the person pointed at: a file, a stretch of it, or words from elsewhere in the editor.
---@class copydesk.ContextItem
---@field uri string The document.
---@field range? copydesk.WireRange Where in it; the whole where it is missing.
---@field text? string The text as the person saw it; where it is missing, the desk reads the document.

--- What the desk says of itself: `capabilities.experimental.copydesk`.
---@class copydesk.DaemonHello
---@field protocol integer The version of the protocol that it speaks.
---@field version string The desk's version.
---@field pid integer The desk's process.

--- One problem.
---@class copydesk.DiagnosticInfo
---@field range copydesk.WireRange Where.
---@field severity copydesk.SeverityInfo How bad.
---@field code? string The server's name for this kind of problem, such as `E0308`.
---@field source? string Who says so, such as `rustc`.
---@field message string What is wrong.

--- What changes made wrong, and how sure that is. A source with the proof `unknown` is not clean: a view says so.
---@class copydesk.DiagnosticsMetadata
---@field reports copydesk.ProblemSourceMetadata[] Who was asked, and how sure the answer is.
---@field new copydesk.ProblemMetadata[] Problems that the change made.
---@field unsure copydesk.ProblemMetadata[] Problems that may be new: the baseline is not known.
---@field fixed integer How many older problems the change fixed.
---@field remaining integer How many older problems remain.
---@field waitedMs integer How long the daemon waited for the sources.
---@field unlisted? integer How many problems are in neither list because there are too many.

--- Which diagnostics.
---@class copydesk.DiagnosticsParams
---@field uri? string The document; all that the editor knows of where it is missing.
---@field version? integer The version of the document that they should be for, as in LSP.
---@field wait? integer How long to wait for that version, in milliseconds; where it is missing, not at all.
---@field waitReady? integer How much of that to wait for language servers that are not ready, in milliseconds; where it is missing, all of it.

--- What the editor's language servers say.
---@class copydesk.DiagnosticsResult
---@field state copydesk.AnswerState Whether the editor could say.
---@field files? copydesk.FileDiagnostics[] One for every document that was asked about or has any.

--- A file that was changed on the disk, by the desk or by a command of the agent.
---@class copydesk.DocumentChangedParams
---@field uri string The file.
---@field reason copydesk.ChangeReason What was done to it.

--- What to save.
---@class copydesk.DocumentSaveParams
---@field uri string The document.

--- Whether it is saved.
---@class copydesk.DocumentSaveResult
---@field saved boolean Whether the disk has the document's text now.
---@field message? string Why not.

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

--- The session's title, agent, model or time has changed.
---@class copydesk.EventInfo.session
---@field event "session"
---@field session copydesk.SessionInfo As it is now.

--- A turn begins.
---@class copydesk.EventInfo.turnStarted
---@field event "turnStarted"
---@field turn integer Its number, from 1.
---@field prompt string The id of the prompt that it begins with. Its part follows, unless it cannot be kept.

--- A part is new or has changed; a known id replaces what the client has.
---@class copydesk.EventInfo.part
---@field event "part"
---@field part copydesk.PartInfo The whole of it.

--- A part that is being written has grown.
---@class copydesk.EventInfo.delta
---@field event "delta"
---@field part string The part's id.
---@field text string To be added to `text` of a text or reasoning, to `arguments` of a call.

--- A part will not be: the attempt it belonged to failed. The client takes it away.
---@class copydesk.EventInfo.void
---@field event "void"
---@field part string The part's id.

--- A running call has something to show; it replaces what it showed before.
---@class copydesk.EventInfo.progress
---@field event "progress"
---@field part string The part's id.
---@field metadata copydesk.CallMetadata What the user is shown.

--- A call waits for a person. The request `copydesk/permission/ask` is what is answered.
---@class copydesk.EventInfo.asked: copydesk.PermissionAskInfo
---@field event "asked"

--- Somebody replied, or nobody needs to any more.
---@class copydesk.EventInfo.settled
---@field event "settled"
---@field ask string The ask's id.

--- The agent waits for answers. The request `copydesk/question/ask` is what is answered.
---@class copydesk.EventInfo.questioned: copydesk.QuestionAskInfo
---@field event "questioned"

--- Somebody answered, or nobody needs to any more.
---@class copydesk.EventInfo.answered
---@field event "answered"
---@field question string The id of the questions.

--- What is undecided has changed: the agent edited, a person decided or typed.
---@class copydesk.EventInfo.reviewChanged: copydesk.ReviewChange
---@field event "reviewChanged"

--- A command in the background has begun or ended, in a turn or between two.
---@class copydesk.EventInfo.jobs
---@field event "jobs"
---@field running copydesk.JobInfo[] Those that run now.
---@field ended copydesk.JobInfo[] Those that have ended since the last such event.

--- A turn is over. Exactly one for every `turnStarted`.
---@class copydesk.EventInfo.turnEnded
---@field event "turnEnded"
---@field turn integer Its number.
---@field end copydesk.TurnEndInfo Why.

--- Something the user should know about the session's setup: a key of the configuration that is left out, instructions that could not be fetched. It does not stop the work.
---@class copydesk.EventInfo.warning
---@field event "warning"
---@field message string For the user.

--- The session was deleted. It is the last event; nobody is attached any more.
---@class copydesk.EventInfo.deleted
---@field event "deleted"

--- Something that happened. A client passes over events that it does not know.
---@alias copydesk.EventInfo
---| copydesk.EventInfo.session # The session's title, agent, model or time has changed.
---| copydesk.EventInfo.turnStarted # A turn begins.
---| copydesk.EventInfo.part # A part is new or has changed; a known id replaces what the client has.
---| copydesk.EventInfo.delta # A part that is being written has grown.
---| copydesk.EventInfo.void # A part will not be: the attempt it belonged to failed. The client takes it away.
---| copydesk.EventInfo.progress # A running call has something to show; it replaces what it showed before.
---| copydesk.EventInfo.asked # A call waits for a person. The request `copydesk/permission/ask` is what is answered.
---| copydesk.EventInfo.settled # Somebody replied, or nobody needs to any more.
---| copydesk.EventInfo.questioned # The agent waits for answers. The request `copydesk/question/ask` is what is answered.
---| copydesk.EventInfo.answered # Somebody answered, or nobody needs to any more.
---| copydesk.EventInfo.reviewChanged # What is undecided has changed: the agent edited, a person decided or typed.
---| copydesk.EventInfo.jobs # A command in the background has begun or ended, in a turn or between two.
---| copydesk.EventInfo.turnEnded # A turn is over. Exactly one for every `turnStarted`.
---| copydesk.EventInfo.warning # Something the user should know about the session's setup: a key of the configuration that is left out, instructions that could not be fetched. It does not stop the work.
---| copydesk.EventInfo.deleted # The session was deleted. It is the last event; nobody is attached any more.

--- An event and its place among the events of its session.
---@class copydesk.EventParams
---@field session string The session's id.
---@field seq integer Counts up by one with every event of the session, as long as the desk runs. A client that sees a gap loads again.
---@field event copydesk.EventInfo What happened.

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
---@field version? integer The version of the document when they were looked at, as in LSP; missing where it is not open.
---@field proof copydesk.ProofLevel How sure it is that they are for that version.
---@field why? string Why that is not known; only with `unknown`.
---@field items copydesk.DiagnosticInfo[] All of them.
---@field unseen? string[] Who has not seen this text, because it looks only at what is saved: the compiler behind a language server, by the source that its diagnostics name.

--- A change to one file.
---@class copydesk.FileEditMetadata
---@field filepath string Its absolute path.
---@field diff? string In unified form; empty where the diffs of the call are too long together.
---@field additions integer Lines that were added.
---@field deletions integer Lines that were removed.
---@field from? string The absolute path that it was moved from.
---@field path? string Its path for people, relative to the workspace; only where there are several files.
---@field diagnostics? copydesk.DiagnosticsMetadata What the change made wrong, or would; missing if nothing was checked.
---@field tiers? table<string, integer> How many places each tier of the matcher found, by its name: `exact`, `indentation`, …

--- A file that came, went, or has another name.
---@class copydesk.FileHunkInfo
---@field hunk string Its id.
---@field expected string What a decision on it expects.
---@field kind copydesk.FileHunkKind What the agent did.
---@field from? string The path it had, where it was renamed.
---@field by string[] The ids of the parts of the calls that did it.

--- What became of a file.
---@alias copydesk.FileHunkKind
---| "created" # Rejecting deletes it.
---| "deleted" # Rejecting restores it.
---| "renamed" # Rejecting gives it its name back.

--- Files and folders that `glob`, `list` or `read` listed.
---@class copydesk.FileListMetadata
---@field count integer How many are listed.
---@field truncated boolean Whether there are more.

--- Lines that are others.
---@class copydesk.HunkInfo
---@field hunk string Its id, which it keeps as long as it lives.
---@field expected string What a decision on it expects: it is refused where the hunk is another by then.
---@field line integer The first of its lines in the document, from 0: the new lines after, the old ones before. Where it has none there, the line before which they belong. A client that has typed since looks whether the lines still stand there.
---@field old string[] Old lines, without their ends; at most 2,000.
---@field new string[] New lines, without their ends; at most 2,000.
---@field oldLines integer How many old lines there are.
---@field newLines integer How many new lines there are.
---@field words? copydesk.WordDiffInfo[] What differs within lines; only in hunks that are not long.
---@field by string[] The ids of the parts of the calls that made it.
---@field edited? boolean A person has typed in it.
---@field deciding? boolean A decision on it is on its way through the editor.
---@field problems? copydesk.HunkProblem[] What is said to be wrong in its new lines, and was not before the agent's edits, as far as that is known; only of edits that are made.

--- Lines of a hunk, counted from its first one on either side.
---@class copydesk.HunkLines
---@field old? integer[] Old lines.
---@field new? integer[] New lines.

--- One problem in a new line of a hunk.
---@class copydesk.HunkProblem
---@field line integer Counted from the hunk's first line.
---@field severity copydesk.SeverityInfo How bad.
---@field code? string The source's name for this kind of problem, such as `E0308`.
---@field source string Who says so, such as `rust-analyzer`.
---@field message string What is wrong, in one line.

--- An inline edit that is not wanted any more.
---@class copydesk.InlineCancelParams
---@field session string The session's id.
---@field review string The review of the edit.

--- What else the person wants of an inline edit.
---@class copydesk.InlineRefineParams
---@field session string The session's id.
---@field review string The review of the edit.
---@field instruction? string What to change about it; without words the model tries again.

--- What to rewrite, and how.
---@class copydesk.InlineStartParams
---@field session string The session whose model writes. What it says is not part of the conversation.
---@field uri string The document.
---@field range copydesk.WireRange What was selected.
---@field instruction string What the person wants.

--- Where the edit will be.
---@class copydesk.InlineStartResult
---@field review string The review in which it stands, `before`, and grows as the model writes.

--- A command in the background. None outlives its session.
---@class copydesk.JobInfo
---@field id integer Its number, as the agent calls it.
---@field command string The first line of the command.
---@field state string `running for 3.0 s`, `exit code 1 after 3.0 s`.

--- A background command that `job` looked at, waited for or stopped.
---@class copydesk.JobMetadata
---@field job integer The job's number.
---@field running boolean Whether it still runs.

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
---@field level string As in the params.

--- How often a tier of matching found the place of an edit.
---@class copydesk.MatchTierCount
---@field tier string `exact`, or what was overlooked: `indentation`, `typography`, …
---@field count integer How often.

--- An image or a PDF.
---@class copydesk.MediaContent
---@field mime string Such as `image/png`.
---@field base64 string The bytes, in base64 with padding.
---@field name? string The name of the file, where it had one.

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
---@field name string For people.
---@field provider string The provider's name, for people.
---@field context? integer Tokens that it can have before it, where that is known.
---@field output? integer Tokens that it can write, where that is known.
---@field local? boolean It runs on the desk's machine.

--- The models that can be used now.
---@class copydesk.ModelsResult
---@field models copydesk.ModelInfo[] Grouped by provider.
---@field default? string The one that is used where nobody chose.

--- Changes to several files.
---@class copydesk.MultiFileEditMetadata
---@field files copydesk.ChangedFileMetadata[] The files and their changes.
---@field additions integer Lines that were added, in all of them.
---@field deletions integer Lines that were removed, in all of them.
---@field diagnostics? copydesk.DiagnosticsMetadata What the changes made wrong, or would; missing if nothing was checked.
---@field tiers? table<string, integer> How many places each tier of the matcher found, by its name: `exact`, `indentation`, …

--- What can be asked.
---@alias copydesk.NavigateKind
---| "definition" # Where it is defined.
---| "declaration" # Where it is declared.
---| "typeDefinition" # Where its type is defined.
---| "implementation" # Where it is implemented.
---| "references" # Where it is used.
---| "hover" # What it is, in words.
---| "documentSymbols" # The symbols of the document.
---| "workspaceSymbols" # The symbols of the workspace whose names match `query`.
---| "incomingCalls" # Who calls it.
---| "outgoingCalls" # Whom it calls.

--- What to find.
---@class copydesk.NavigateParams
---@field kind copydesk.NavigateKind What is asked about it.
---@field uri? string The document; needed for all but `workspaceSymbols`.
---@field position? copydesk.WirePosition Where in it; needed for all but the symbols.
---@field query? string The name, or a piece of it, for `workspaceSymbols`.
---@field wait? integer How long to wait for the language server, in milliseconds; where it is missing, as long as the editor likes.

--- What was found. Which of the lists is filled follows from what was asked.
---@class copydesk.NavigateResult
---@field state copydesk.AnswerState Whether the editor could say.
---@field locations? copydesk.WireLocation[] Definitions, declarations, implementations, references.
---@field symbols? copydesk.SymbolInfo[] Symbols, and the two ends of calls.
---@field text? string Hover, as Markdown.
---@field server? string The language server that answered, where the editor tells.

--- A file the person has open.
---@class copydesk.OpenFile
---@field uri string The document.
---@field active? boolean It has the focus.
---@field visible? boolean It can be seen.
---@field dirty? boolean It has changes that are not saved.
---@field language? string LSP's id of its language.

--- The files the person has open.
---@class copydesk.OpenFilesResult
---@field files? copydesk.OpenFile[] The one that was used last first, where the editor knows.

--- What a person asked.
---@class copydesk.PartContentInfo.prompt: copydesk.PromptInfo
---@field kind "prompt"

--- An image or a PDF that came with a prompt.
---@class copydesk.PartContentInfo.file: copydesk.MediaContent
---@field kind "file"

--- What the model said.
---@class copydesk.PartContentInfo.text: copydesk.TextContent
---@field kind "text"

--- What the model let us see of its thinking.
---@class copydesk.PartContentInfo.reasoning: copydesk.TextContent
---@field kind "reasoning"

--- A call of a tool.
---@class copydesk.PartContentInfo.call: copydesk.CallInfo
---@field kind "call"

--- A request to the model begins.
---@class copydesk.PartContentInfo.stepStart
---@field kind "stepStart"
---@field model string `PROVIDER/MODEL`

--- A request to the model is answered.
---@class copydesk.PartContentInfo.stepFinish: copydesk.StepFinishInfo
---@field kind "stepFinish"

--- A request to the model failed, and another attempt will be made.
---@class copydesk.PartContentInfo.retry
---@field kind "retry"
---@field attempt integer Which retry this is, from 1.
---@field message string What went wrong, for a person.
---@field at integer When the next attempt is made, in milliseconds since 1970.

--- Something the model is told at its next step without anybody having said it.
---@class copydesk.PartContentInfo.note: copydesk.TextContent
---@field kind "note"

--- What a part is.
---@alias copydesk.PartContentInfo
---| copydesk.PartContentInfo.prompt # What a person asked.
---| copydesk.PartContentInfo.file # An image or a PDF that came with a prompt.
---| copydesk.PartContentInfo.text # What the model said.
---| copydesk.PartContentInfo.reasoning # What the model let us see of its thinking.
---| copydesk.PartContentInfo.call # A call of a tool.
---| copydesk.PartContentInfo.stepStart # A request to the model begins.
---| copydesk.PartContentInfo.stepFinish # A request to the model is answered.
---| copydesk.PartContentInfo.retry # A request to the model failed, and another attempt will be made.
---| copydesk.PartContentInfo.note # Something the model is told at its next step without anybody having said it.

--- One thing that was said or done.
---@class copydesk.PartInfo
---@field id string Unique; the order of parts is that in which they are sent, not that of their ids.
---@field session string The session's id.
---@field turn integer The number of its turn, from 1.
---@field step integer The number of its step, from 1 within the turn; 0 for what came before the first request to the model.
---@field created integer When it began, in milliseconds since 1970.
---@field updated integer When it last changed, in milliseconds since 1970.
---@field state copydesk.PartStateInfo Where it is on its way.
---@field content copydesk.PartContentInfo What it is.

--- It has not begun.
---@class copydesk.PartStateInfo.pending
---@field kind "pending"

--- It is under way.
---@class copydesk.PartStateInfo.running
---@field kind "running"

--- It is done.
---@class copydesk.PartStateInfo.completed
---@field kind "completed"

--- It failed.
---@class copydesk.PartStateInfo.error
---@field kind "error"
---@field message string Why, for a person.

--- The desk ended, or the person cancelled, while it ran.
---@class copydesk.PartStateInfo.interrupted
---@field kind "interrupted"

--- Where a part is on its way. One that is completed is on the desk's disk.
---@alias copydesk.PartStateInfo
---| copydesk.PartStateInfo.pending # It has not begun.
---| copydesk.PartStateInfo.running # It is under way.
---| copydesk.PartStateInfo.completed # It is done.
---| copydesk.PartStateInfo.error # It failed.
---| copydesk.PartStateInfo.interrupted # The desk ended, or the person cancelled, while it ran.

--- What a call wants to do.
---@class copydesk.PermissionAskInfo
---@field ask string The ask's id. The same ask may come more than once, when a client attaches again.
---@field part string The id of the call's part, whose event may come later than the ask.
---@field key string The key of the rule that asks, such as `bash` or `edit`.
---@field patterns string[] What is to be allowed: each path, each command.
---@field always string[] What `always` would allow from now on; empty where that cannot be said, and then `always` is not offered.
---@field title string One line for the person.
---@field metadata? copydesk.PermissionAskMetadata What the user is shown.

--- What a view shows of an ask: the fields of its tool, and `PermissionAskNotes` beside them. The fields tell the tools apart; a tool that is not built in may have fields of its own.
---@alias copydesk.PermissionAskMetadata
---| copydesk.EditMetadata # `edit`, `multiedit`, `write`, `apply_patch`
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
---@field ask string The ask's id. The same ask may come more than once, when a client attaches again.
---@field part string The id of the call's part, whose event may come later than the ask.
---@field key string The key of the rule that asks, such as `bash` or `edit`.
---@field patterns string[] What is to be allowed: each path, each command.
---@field always string[] What `always` would allow from now on; empty where that cannot be said, and then `always` is not offered.
---@field title string One line for the person.
---@field metadata? copydesk.PermissionAskMetadata What the user is shown.

--- This time.
---@class copydesk.PermissionReply.once
---@field reply "once"

--- This time, and whatever the ask has under `always` for as long as the session remembers.
---@class copydesk.PermissionReply.always
---@field reply "always"

--- No. With a reason the model is told it and goes on; without one the turn stops.
---@class copydesk.PermissionReply.reject
---@field reply "reject"
---@field reason? string What the model is told. One without words is none.

--- Nobody is at this client who could be asked, as where a script prompts: the call is refused, and the model is told why and goes on.
---@class copydesk.PermissionReply.nobody
---@field reply "nobody"

--- No reply from this client: the ask was settled, or its window was closed. It stays open for others.
---@class copydesk.PermissionReply.cancelled
---@field reply "cancelled"

--- What a person replied, or that nobody did.
---@alias copydesk.PermissionReply
---| copydesk.PermissionReply.once # This time.
---| copydesk.PermissionReply.always # This time, and whatever the ask has under `always` for as long as the session remembers.
---| copydesk.PermissionReply.reject # No. With a reason the model is told it and goes on; without one the turn stops.
---| copydesk.PermissionReply.nobody # Nobody is at this client who could be asked, as where a script prompts: the call is refused, and the model is told why and goes on.
---| copydesk.PermissionReply.cancelled # No reply from this client: the ask was settled, or its window was closed. It stays open for others.

--- An ask that needs no reply any more.
---@class copydesk.PermissionSettledParams
---@field session string The session's id.
---@field ask string The ask's id.
---@field by? string The name of the client that replied; missing where it was this one, or where nobody did.

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

--- How sure it is that an answer is about the text as it is now.
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

--- What a person, or an agent in a person's place, asked.
---@class copydesk.PromptInfo
---@field text string The words.
---@field steers? boolean It came while the turn ran, and joined it.

--- How sure it is that diagnostics are for the text in question.
---@alias copydesk.ProofLevel
---| "proven" # A language server said so: it was asked for this version, or named it.
---| "likely" # They came after this version, and nothing has changed for a while.
---| "unknown" # They may be for an older text.

--- `data` of the error with which `initialize` fails when the two do not speak the same protocol.
---@class copydesk.ProtocolMismatch
---@field desk integer The version of the protocol that the desk speaks.
---@field client integer The version of the protocol that the client speaks.
---@field update copydesk.ProtocolSide The side to update.
---@field retry boolean Trying again does not help: vscode-languageclient offers it otherwise.

--- One of the two that talk.
---@alias copydesk.ProtocolSide
---| "desk" # The daemon.
---| "client" # The editor's extension.

--- Questions that are asked together.
---@class copydesk.QuestionAskInfo
---@field question string Their id. The same questions may come more than once, when a client attaches again.
---@field part string The id of the call's part, whose event may come later than the questions.
---@field agent? string Who asks, where it is an agent that works for the session's own.
---@field questions copydesk.QuestionInfo[] At least one.

--- Questions and their session.
---@class copydesk.QuestionAskParams
---@field session string The session's id.
---@field question string Their id. The same questions may come more than once, when a client attaches again.
---@field part string The id of the call's part, whose event may come later than the questions.
---@field agent? string Who asks, where it is an agent that works for the session's own.
---@field questions copydesk.QuestionInfo[] At least one.

--- One question.
---@class copydesk.QuestionInfo
---@field header string A word or two, for a tab or a title.
---@field text string The question.
---@field options copydesk.QuestionOptionInfo[] What can be chosen.
---@field multiple boolean Whether more than one may be chosen.
---@field custom boolean Whether the person may write an answer of their own.

--- What can be chosen.
---@class copydesk.QuestionOptionInfo
---@field label string What is sent back when it is chosen.
---@field description? string What it would mean.

--- The person answered.
---@class copydesk.QuestionReply.answered
---@field reply "answered"
---@field answers string[][] For each question, in their order: the labels that were chosen, or the person's own words.

--- There is no answer. With a reason the model is told it and goes on; without one the person does not want to answer, and the turn stops.
---@class copydesk.QuestionReply.rejected
---@field reply "rejected"
---@field reason? string What the model is told. One without words is none.

--- No reply from this client: the questions were settled, or its window was closed. They stay open for others.
---@class copydesk.QuestionReply.cancelled
---@field reply "cancelled"

--- What a person answered, or that nobody did.
---@alias copydesk.QuestionReply
---| copydesk.QuestionReply.answered # The person answered.
---| copydesk.QuestionReply.rejected # There is no answer. With a reason the model is told it and goes on; without one the person does not want to answer, and the turn stops.
---| copydesk.QuestionReply.cancelled # No reply from this client: the questions were settled, or its window was closed. They stay open for others.

--- Questions that need no reply any more.
---@class copydesk.QuestionSettledParams
---@field session string The session's id.
---@field question string The id of the questions.
---@field by? string The name of the client that answered; missing where it was this one, or where nobody did.

--- What `question` asked the user, and the answers.
---@class copydesk.QuestionsMetadata
---@field questions copydesk.AskedQuestionMetadata[] The questions.
---@field answers string[][] For each question the labels that were chosen, or the user's own words; empty where there is no answer.

--- A call that the model has made several times, with the same result.
---@class copydesk.RepeatedCallAskMetadata
---@field name string The tool's name.
---@field arguments any The arguments of the call.
---@field times integer How often it was made.

--- A review as it has become. The session event `reviewChanged` has it.
---@class copydesk.ReviewChange
---@field review copydesk.ReviewInfo Of its hunks only those that are new or others than before. One without hunks and without a file is over.
---@field gone? string[] The ids of the hunks that are no more.
---@field failed? string Why an inline edit came to nothing, for the person.

--- Something to say to the model about its edits, without deciding them. It is told at its next step; several go together.
---@class copydesk.ReviewCommentParams
---@field session string The session's id.
---@field uri string The document.
---@field line integer The first of the lines that it is about, from 0.
---@field lines? integer How many lines; where it is missing, one.
---@field text string What to say.

--- What waits to be said.
---@class copydesk.ReviewCommentResult
---@field comments integer How many comments wait for the model's next step, this one included.

--- What a person decided.
---@class copydesk.ReviewDecideParams
---@field session string The session's id.
---@field decisions copydesk.ReviewDecision[] Each stands or falls by itself.

--- What became of the decisions.
---@class copydesk.ReviewDecideResult
---@field decided copydesk.ReviewDecisionResult[] One for each decision, in their order.

--- A decision on a hunk, a file, or everything in a review.
---@class copydesk.ReviewDecision
---@field hunk string The id of the hunk, or of the review.
---@field expected string As the screen has it.
---@field verdict copydesk.ReviewVerdict Yes or no.
---@field lines? copydesk.HunkLines Only these lines; the rest of the hunk stays undecided.
---@field text? string Accepted with this text in the place of the hunk's lines.
---@field comment? string What the model is told with it. One without words is none.
---@field confirmed? boolean The person knows that a created file they have typed in is going to be deleted.

--- What became of a decision.
---@alias copydesk.ReviewDecisionOutcome
---| "done" # It is carried out.
---| "refused" # The hunk is gone or another by now, or the editor did not make the change. Nothing has happened.
---| "confirm" # A person has typed in the file that would be deleted: to be decided again, with `confirmed`.

--- What became of a decision.
---@class copydesk.ReviewDecisionResult
---@field hunk string As in the decision.
---@field outcome copydesk.ReviewDecisionOutcome What became of it.
---@field message? string Why, for a person.

--- The undecided edits of one document.
---@class copydesk.ReviewInfo
---@field review string Its id. As `hunk` of a decision it stands for everything in it.
---@field uri string The document.
---@field path string The same for a person: relative to the session's folder where it lies in it.
---@field when copydesk.ReviewTimingInfo Whether its edits are made.
---@field ask? string The ask of the call that waits for it.
---@field writing? boolean An inline edit whose model is still at work. It can be decided when that is over.
---@field expected string What a decision on everything in it expects.
---@field file? copydesk.FileHunkInfo The file itself, where the agent created, deleted or renamed it. It is one of the hunks.
---@field hunks copydesk.HunkInfo[] In the order of the text.
---@field total integer How many hunks of lines it has altogether.
---@field additions integer New lines of all hunks.
---@field deletions integer Old lines of all hunks.

--- Which reviews of a session to list.
---@class copydesk.ReviewListParams
---@field session string The session's id.
---@field uri? string Only those of this document.
---@field skip? integer Passes over so many hunks of each review: a list has at most 1,000 of one.

--- What is undecided.
---@class copydesk.ReviewListResult
---@field reviews copydesk.ReviewInfo[] One for each document, sorted by path; two where some of its edits are made and others wait.
---@field comments integer How many comments wait for the model's next step.

--- Whether an edit is reviewed before it is made or after.
---@alias copydesk.ReviewTimingInfo
---| "before" # The call waits; nothing is changed before somebody accepts it.
---| "after" # The edit is made, and the turn goes on.

--- Yes or no.
---@alias copydesk.ReviewVerdict
---| "accept" # The new lines stay, or come.
---| "reject" # The old lines stay, or come back.

--- What `websearch` or `codesearch` would search for.
---@class copydesk.SearchAskMetadata
---@field query string The words.

--- A selection, or the place of the cursor.
---@class copydesk.SelectionInfo
---@field uri string The document.
---@field range copydesk.WireRange Where in it; empty where only the cursor is there.
---@field text string The text that is selected.

--- What the person has selected.
---@class copydesk.SelectionResult
---@field selection? copydesk.SelectionInfo Missing where no document has the focus or had it last.

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

--- A language server of the desk's own.
---@class copydesk.ServerInfo
---@field name string Its name, such as `rust-analyzer`.
---@field root string The folder that it works in.
---@field state copydesk.ServerState How it is.
---@field message? string What it is doing, or why it does nothing.
---@field percent? integer How much of that is done.
---@field documents integer How many documents it holds.
---@field memory? integer What it uses, in bytes, with all that it started.
---@field pid? integer Its process, while there is one.

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
---@field command? string[] The program and its arguments, if the editor knows them.
---@field root? string The folder that it works in, as a URI.
---@field encoding? string How it counts characters, as LSP names it; UTF-16 if it is missing.
---@field capabilities? any Its capabilities, from its response to `initialize`.
---@field running? boolean It ran before the editor reported anything. The editor then reports its registrations and its running progress as received.

--- How a language server is.
---@alias copydesk.ServerState
---| "starting" # It was started, and has not answered.
---| "indexing" # It reads the project: what it finds nothing in may be wrong.
---| "ready" # It can be asked.
---| "resting" # It broke, and is started again soon.
---| "givenUp" # It broke too often; `servers/restart` starts it again.
---| "ending" # Nobody needed it for a while.

--- The editor told a language server of files on the disk.
---@class copydesk.ServerWatchedParams
---@field server integer The server.
---@field changes copydesk.WatchedFileChange[] The files, as in `workspace/didChangeWatchedFiles`.

--- Which language servers to start anew.
---@class copydesk.ServersRestartParams
---@field name string The name of the server, in whatever folders it works.

--- What became of it.
---@class copydesk.ServersRestartResult
---@field servers integer How many there were of that name.

--- A session, and where another one goes its own way.
---@class copydesk.SessionForkParams
---@field session string The session's id.
---@field before string The id of the first part that the new session does not have.

--- A conversation with an agent. The desk owns it; it outlives every window.
---@class copydesk.SessionInfo
---@field id string Unique; later ones sort after earlier ones.
---@field folder string The folder it works in: an absolute path on the desk's machine.
---@field title? string Missing until there is one.
---@field agent string The agent's name.
---@field model? string `PROVIDER/MODEL`, where one was chosen for this session.
---@field parent? string The session whose call began this one.
---@field review? copydesk.ReviewTimingInfo When its edits are reviewed, where a person chose that.
---@field created integer When it was made, in milliseconds since 1970.
---@field updated integer When anything last happened in it, in milliseconds since 1970.

--- Which sessions to list.
---@class copydesk.SessionListParams
---@field folder? string Only those that work in this folder.
---@field limit? integer At most so many; where it is missing, 50.
---@field before? string Only those last used before this session: the id of the last one of the page before.

--- A page of sessions.
---@class copydesk.SessionListResult
---@field sessions copydesk.SessionInfo[] The one that was used last first. A page that is not full is the last.

--- Which session to attach to.
---@class copydesk.SessionLoadParams
---@field session string The session's id.
---@field limit? integer At most so many parts, the last ones; where it is missing, 200.

--- All that a client needs to show a session, as of `seq`.
---@class copydesk.SessionLoadResult
---@field session copydesk.SessionInfo The session as it is now.
---@field parts copydesk.PartInfo[] The last parts in their order, those under way included, with what they have so far.
---@field earlier boolean Whether there are parts before these: see `copydesk/session/parts`.
---@field running? integer The number of the turn that runs; missing where none does.
---@field seq integer The last event that is contained in this. Events up to it are dropped, whenever they come.
---@field asks copydesk.PermissionAskInfo[] Asks that wait for a reply. Each is also sent to this client as a request.
---@field questions copydesk.QuestionAskInfo[] Questions that wait for a reply. They are also sent to this client as requests.
---@field jobs? copydesk.JobInfo[] Commands that run in the background.
---@field warnings? string[] What the user was warned of since the daemon has the session at hand: see the event `warning`.

--- What a new session is to be.
---@class copydesk.SessionNewParams
---@field folder? string The folder to work in; where it is missing, the client's first workspace folder.
---@field agent? string The agent's name; where it is missing, the configured one.
---@field model? string `PROVIDER/MODEL`; where it is missing, the agent's or the configured one.

--- Names a session.
---@class copydesk.SessionParams
---@field session string The session's id.

--- Which page of a session's parts.
---@class copydesk.SessionPartsParams
---@field session string The session's id.
---@field before string Only parts before this one: the id of the first part that the client has.
---@field limit? integer At most so many, the last ones; where it is missing, 200.

--- A page of parts.
---@class copydesk.SessionPartsResult
---@field parts copydesk.PartInfo[] In their order.
---@field earlier boolean Whether there are parts before these.

--- A session and its new title.
---@class copydesk.SessionRenameParams
---@field session string The session's id.
---@field title string The new title.

--- The session as it is now.
---@class copydesk.SessionResult
---@field session copydesk.SessionInfo The session as it is now.

--- One place where the words stand.
---@class copydesk.SessionSearchMatch
---@field session string The session's id.
---@field title? string The session's title; missing where it has none.
---@field part string The id of the part in which they stand.
---@field excerpt string A line or so around them.

--- What to look for.
---@class copydesk.SessionSearchParams
---@field query string Words; all of them must be there.
---@field limit? integer At most so many; where it is missing, 50.

--- What was found.
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

--- When the edits of a session are reviewed.
---@class copydesk.SessionSetReviewParams
---@field session string The session's id.
---@field review? copydesk.ReviewTimingInfo From the next edit on; where it is missing, as the rules say.

--- A session that the desk has at hand.
---@class copydesk.SessionStatus
---@field session string The session's id.
---@field running boolean Whether a turn runs.

--- How bad a problem is.
---@alias copydesk.SeverityInfo
---| "error" # It does not work.
---| "warning" # It may not work.
---| "information" # Worth knowing.
---| "hint" # A suggestion.

--- What to show.
---@class copydesk.ShowParams
---@field uri string The document.
---@field range? copydesk.WireRange Where in it.
---@field focus? boolean Whether the cursor goes there too.

--- Whether it is shown.
---@class copydesk.ShowResult
---@field shown boolean Whether it is shown.

--- A skill that would be loaded.
---@class copydesk.SkillAskMetadata
---@field path string Its file.

--- A skill that `skill` loaded.
---@class copydesk.SkillMetadata
---@field name string Its name.
---@field path string Its file.
---@field foreign boolean Whether it comes from the repository, not from the user's own folders.
---@field files string[] The files beside it, relative to its folder.

--- How the desk is.
---@class copydesk.StatusResult
---@field version string The desk's version.
---@field protocol integer The version of the protocol that it speaks.
---@field pid integer Its process.
---@field started integer When it was started, in milliseconds since 1970.
---@field clients integer How many clients are attached to it.
---@field sessions copydesk.SessionStatus[] The sessions that it has at hand.
---@field documents integer How many documents the clients have open.
---@field tiers? copydesk.MatchTierCount[] How strictly the places of agents' edits were found since the desk began, the most frequent way first.
---@field servers? copydesk.ServerInfo[] The language servers that it runs itself, by name.
---@field missing? copydesk.MissingServer[] Those that would be of use and are not installed.

--- How a request to the model ended.
---@class copydesk.StepFinishInfo
---@field stop copydesk.StopReasonInfo Why the model stopped.
---@field usage copydesk.UsageInfo What was used.
---@field cost? number US dollars, where the price is known.

--- When to stop.
---@class copydesk.StopParams
---@field when copydesk.StopTiming When to stop.

--- Why a model stopped.
---@alias copydesk.StopReasonInfo
---| "end" # It has said what it wanted to say.
---| "calls" # It waits for the results of its calls.
---| "length" # It ran into the output limit; the last part may be cut.
---| "context" # It ran into the end of its context window.
---| "refused" # The model or a filter of the provider refused.
---| "paused" # The provider asks to be called again.
---| "broken" # The stream broke after complete calls had been received: they stand, the rest is lost.

--- What the stop waits for.
---@class copydesk.StopResult
---@field waitingFor integer How many turns still run.

--- When to stop.
---@alias copydesk.StopTiming
---| "idle" # When no turn runs any more. Until then everything works as before.
---| "now" # At once. Running turns are cancelled; what is completed is kept.

--- A named thing in a document.
---@class copydesk.SymbolInfo
---@field name string Its name.
---@field kind? string LSP's word for what it is, such as `function` or `struct`.
---@field detail? string More about it, such as its signature.
---@field container? string What it is part of.
---@field uri string The document.
---@field range copydesk.WireRange All of it.
---@field depth? integer How deep it stands in the document, from 0; the list is in the order of the document.
---@field calls? copydesk.WireRange[] Where the calls are, for the ends of calls: in this document for incoming ones, in the one asked about for outgoing ones.

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

--- Words.
---@class copydesk.TextContent
---@field text string The words, Markdown where the model wrote them.

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

--- The model has said what it wanted to say.
---@class copydesk.TurnEndInfo.done
---@field kind "done"

--- A person cancelled it, or the desk stopped.
---@class copydesk.TurnEndInfo.cancelled
---@field kind "cancelled"

--- A person rejected an ask without a reason to go on with.
---@class copydesk.TurnEndInfo.rejected
---@field kind "rejected"

--- The model would have gone on, but no more steps are allowed.
---@class copydesk.TurnEndInfo.stepLimit
---@field kind "stepLimit"
---@field steps integer So many are.

--- It could not go on.
---@class copydesk.TurnEndInfo.failed
---@field kind "failed"
---@field message string Why, for a person.

--- Why a turn is over.
---@alias copydesk.TurnEndInfo
---| copydesk.TurnEndInfo.done # The model has said what it wanted to say.
---| copydesk.TurnEndInfo.cancelled # A person cancelled it, or the desk stopped.
---| copydesk.TurnEndInfo.rejected # A person rejected an ask without a reason to go on with.
---| copydesk.TurnEndInfo.stepLimit # The model would have gone on, but no more steps are allowed.
---| copydesk.TurnEndInfo.failed # It could not go on.

--- What a person asks of a session.
---@class copydesk.TurnParams
---@field session string The session's id.
---@field text string The words.
---@field files? copydesk.MediaContent[] Images and PDFs.
---@field context? copydesk.ContextItem[] What the person pointed at.

--- What became of a prompt.
---@class copydesk.TurnStartResult
---@field queued boolean It waits for the end of the running turn.
---@field prompt string The id of the part that the prompt will be. The event `turnStarted` of its turn names it.

--- What became of a prompt.
---@class copydesk.TurnSteerResult
---@field joined boolean It joins the running turn; otherwise it began one.
---@field prompt string The id of the part that the prompt will be.

--- What became of one file.
---@alias copydesk.UndoOutcome
---| "undone" # What the agent did is taken back.
---| "conflict" # A person has since changed the same lines; the file is left as it is.
---| "gone" # The file is not there any more.
---| "unchanged" # There was nothing of it left to take back.

--- What to take back.
---@class copydesk.UndoParams
---@field session string The session's id.
---@field what copydesk.UndoScope How much.

--- What became of it, file by file.
---@class copydesk.UndoResult
---@field files copydesk.UndoneFile[] Empty where there was nothing to take back.

--- What one call did: the id of its part.
---@class copydesk.UndoScope.call
---@field call string

--- What one turn did: its number.
---@class copydesk.UndoScope.turn
---@field turn integer

--- What was done after a part: its id.
---@class copydesk.UndoScope.after
---@field after string

--- How much to take back. What a person wrote is never taken along.
---@alias copydesk.UndoScope
---| copydesk.UndoScope.call # What one call did: the id of its part.
---| copydesk.UndoScope.turn # What one turn did: its number.
---| copydesk.UndoScope.after # What was done after a part: its id.

--- What became of one file.
---@class copydesk.UndoneFile
---@field uri string The document.
---@field outcome copydesk.UndoOutcome What became of it.
---@field message? string Why, for a person.

--- Tokens of one request.
---@class copydesk.UsageInfo
---@field input integer Read by the model, without what a cache had or took.
---@field output integer Written by the model, its reasoning included.
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

--- A stretch of text in a document.
---@class copydesk.WireLocation
---@field uri string The document.
---@field range copydesk.WireRange Where in it.

--- A place between two characters.
---@class copydesk.WirePosition
---@field line integer From 0.
---@field character integer From 0, in the position encoding that LSP negotiated.

--- A stretch of text.
---@class copydesk.WireRange
---@field start copydesk.WirePosition Where it begins.
---@field end copydesk.WirePosition Where it ends; what stands there is not part of it.

--- What differs in an old line and in the new line at the same place of a hunk.
---@class copydesk.WordDiffInfo
---@field line integer Counted from the hunk's first line, on both sides.
---@field old any[][] From where to where, in bytes of the line.
---@field new any[][] From where to where, in bytes of the line.

local M = {}

--- The version of the protocol.
M.protocol = 1

--- The names of the methods, as they stand on the wire.
M.methods = {
  --- Makes a session. It is kept once something has been said in it.
  --- `copydesk.SessionNewParams -> copydesk.SessionResult`
  sessionNew = "copydesk/session/new",
  --- Sessions, the one that was used last first.
  --- `copydesk.SessionListParams -> copydesk.SessionListResult`
  sessionList = "copydesk/session/list",
  --- Attaches this client to a session: it gets what there is, and from then on the session's events and open asks.
  --- `copydesk.SessionLoadParams -> copydesk.SessionLoadResult`
  sessionLoad = "copydesk/session/load",
  --- Earlier parts of a session, page by page. Does not attach.
  --- `copydesk.SessionPartsParams -> copydesk.SessionPartsResult`
  sessionParts = "copydesk/session/parts",
  --- Detaches this client from a session. A running turn goes on.
  --- `copydesk.SessionParams -> copydesk.Empty`
  sessionLeave = "copydesk/session/leave",
  --- Makes a session that has what was said in another before a part. The other stays as it is.
  --- `copydesk.SessionForkParams -> copydesk.SessionResult`
  sessionFork = "copydesk/session/fork",
  --- Gives a session another title.
  --- `copydesk.SessionRenameParams -> copydesk.SessionResult`
  sessionRename = "copydesk/session/rename",
  --- Deletes a session and all that was said in it. A running turn is cancelled first.
  --- `copydesk.SessionParams -> copydesk.Empty`
  sessionDelete = "copydesk/session/delete",
  --- Chooses the model of a session, from its next turn on.
  --- `copydesk.SessionSetModelParams -> copydesk.SessionResult`
  sessionSetModel = "copydesk/session/setModel",
  --- Chooses the agent of a session, from its next turn on.
  --- `copydesk.SessionSetAgentParams -> copydesk.SessionResult`
  sessionSetAgent = "copydesk/session/setAgent",
  --- Chooses whether a session's edits are reviewed before they are made or after, from the next edit on.
  --- `copydesk.SessionSetReviewParams -> copydesk.SessionResult`
  sessionSetReview = "copydesk/session/setReview",
  --- Finds sessions by what was said in them.
  --- `copydesk.SessionSearchParams -> copydesk.SessionSearchResult`
  sessionSearch = "copydesk/session/search",
  --- Prompts. Answers at once; the turn is told by events. While a turn runs the prompt waits for its end.
  --- `copydesk.TurnParams -> copydesk.TurnStartResult`
  turnStart = "copydesk/turn/start",
  --- Prompts into the running turn: the model reads it with its next step. Without a turn it begins one.
  --- `copydesk.TurnParams -> copydesk.TurnSteerResult`
  turnSteer = "copydesk/turn/steer",
  --- Ends the running turn, and with it all asks. Answers at once; without a turn nothing happens.
  --- `copydesk.SessionParams -> copydesk.Empty`
  turnCancel = "copydesk/turn/cancel",
  --- Takes back what the agent did to files, and only that.
  --- `copydesk.UndoParams -> copydesk.UndoResult`
  undo = "copydesk/undo",
  --- Takes back the last undo of a session.
  --- `copydesk.SessionParams -> copydesk.UndoResult`
  redo = "copydesk/redo",
  --- What of the agent's edits nobody has decided yet.
  --- `copydesk.ReviewListParams -> copydesk.ReviewListResult`
  reviewList = "copydesk/review/list",
  --- Decides hunks. What is refused is answered, with the reason, and changes nothing.
  --- `copydesk.ReviewDecideParams -> copydesk.ReviewDecideResult`
  reviewDecide = "copydesk/review/decide",
  --- Says something about an edit without deciding it. The model is told at its next step.
  --- `copydesk.ReviewCommentParams -> copydesk.ReviewCommentResult`
  reviewComment = "copydesk/review/comment",
  --- Has the session's model rewrite a stretch of a document. Answers at once; the edit grows in a review.
  --- `copydesk.InlineStartParams -> copydesk.InlineStartResult`
  inlineStart = "copydesk/inline/start",
  --- Asks for something else in the place of an inline edit that is not decided yet.
  --- `copydesk.InlineRefineParams -> copydesk.Empty`
  inlineRefine = "copydesk/inline/refine",
  --- Gives an inline edit up, while it is written or after. The document is as it was.
  --- `copydesk.InlineCancelParams -> copydesk.Empty`
  inlineCancel = "copydesk/inline/cancel",
  --- The models that can be used now.
  --- `copydesk.Empty -> copydesk.ModelsResult`
  models = "copydesk/models",
  --- The agents that a person can choose.
  --- `copydesk.AgentsParams -> copydesk.AgentsResult`
  agents = "copydesk/agents",
  --- How the desk is.
  --- `copydesk.Empty -> copydesk.StatusResult`
  status = "copydesk/status",
  --- Ends language servers of the desk's own and starts them anew, whatever they broke of.
  --- `copydesk.ServersRestartParams -> copydesk.ServersRestartResult`
  serversRestart = "copydesk/servers/restart",
  --- What the client's own language servers say is wrong, and how sure it is that they say it of the present text.
  --- `copydesk.DiagnosticsParams -> copydesk.DiagnosticsResult`
  diagnostics = "copydesk/diagnostics",
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
  --- Stops the desk.
  --- `copydesk.StopParams -> copydesk.StopResult`
  stop = "copydesk/stop",
  --- Something happened in a session that this client is attached to.
  --- `copydesk.EventParams`
  event = "copydesk/event",
  --- Asks a person whether a call may do what it wants. Sent to every attached client; the first reply wins.
  --- `copydesk.PermissionAskParams -> copydesk.PermissionReply`
  permissionAsk = "copydesk/permission/ask",
  --- An ask needs no reply any more. Whoever still shows it takes it away and answers `cancelled`.
  --- `copydesk.PermissionSettledParams`
  permissionSettled = "copydesk/permission/settled",
  --- Asks a person what the agent wants to know. Sent to every attached client; the first reply wins.
  --- `copydesk.QuestionAskParams -> copydesk.QuestionReply`
  questionAsk = "copydesk/question/ask",
  --- Questions need no reply any more. Whoever still shows them takes them away and answers `cancelled`.
  --- `copydesk.QuestionSettledParams`
  questionSettled = "copydesk/question/settled",
  --- Which of the editor's own language servers serve a document.
  --- `copydesk.EditorServersParams -> copydesk.EditorServersResult`
  editorServers = "copydesk/editor/servers",
  --- The daemon has what it wanted to know of a document: the editor may unload it.
  --- `copydesk.EditorServersDoneParams`
  editorServersDone = "copydesk/editor/serversDone",
  --- Sends a request to one of the editor's own language servers.
  --- `copydesk.EditorServerMessageParams -> copydesk.EditorServerResponse`
  editorServerRequest = "copydesk/editor/serverRequest",
  --- Sends a notification to one of the editor's own language servers.
  --- `copydesk.EditorServerMessageParams`
  editorServerNotify = "copydesk/editor/serverNotify",
  --- Asks the editor's own language servers where something is, or what it is.
  --- `copydesk.NavigateParams -> copydesk.NavigateResult`
  editorNavigate = "copydesk/editor/navigate",
  --- What the person has selected.
  --- `copydesk.Empty -> copydesk.SelectionResult`
  editorSelection = "copydesk/editor/selection",
  --- The files the person has open.
  --- `copydesk.Empty -> copydesk.OpenFilesResult`
  editorOpenFiles = "copydesk/editor/openFiles",
  --- Shows a place in the editor.
  --- `copydesk.ShowParams -> copydesk.ShowResult`
  editorShow = "copydesk/editor/show",
  --- The desk was started anew under this client: its documents are open again, its sessions are not loaded.
  --- `copydesk.Empty`
  restarted = "copydesk/restarted",
  --- The desk changed a file on the disk that this client may have open.
  --- `copydesk.DocumentChangedParams`
  documentChanged = "copydesk/document/changed",
  --- Saves an open document, as if the person had.
  --- `copydesk.DocumentSaveParams -> copydesk.DocumentSaveResult`
  documentSave = "copydesk/document/save",
}

--- Error codes.
M.errors = {
  --- The message is no JSON.
  parseError = -32700,
  --- The message is no request.
  invalidRequest = -32600,
  --- There is no such method, or not in this direction.
  methodNotFound = -32601,
  --- The params are not what the method takes; the message says where.
  invalidParams = -32602,
  --- Something went wrong that should not have; the message is for a report.
  internalError = -32603,
  --- `initialize` has to come first.
  serverNotInitialized = -32002,
  --- Cancelled. The desk does not say so by itself (law 3); from a client it means the same as `cancelled`.
  requestCancelled = -32800,
  --- The document has changed meanwhile. The desk never says so; from a client it means that it should be asked again.
  contentModified = -32801,
  --- The request was good, and could not be done; the message says why.
  requestFailed = -32803,
  --- There is no such session; it may have been deleted.
  unknownSession = -31001,
  --- The session has no such part, or no such turn.
  unknownPart = -31002,
  --- There is no such model, or it cannot be used now; the message says what is missing.
  unknownModel = -31003,
  --- There is no agent of that name that a person can choose.
  unknownAgent = -31004,
  --- Desk and extension do not speak the same protocol; the message says which to update and how.
  protocolMismatch = -31005,
  --- It cannot be done while a turn runs; cancel it, or wait for its end.
  busy = -31006,
}

return M
