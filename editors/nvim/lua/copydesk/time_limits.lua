--- Every time limit of the plugin, in milliseconds, with its reason.
---
--- Contract: only numbers. Files read a limit when they need it, so that a test can change it here.

local M = {}

--- How long the daemon may take to answer a request. It answers at once, so then it counts as unresponsive: the request fails, and the
--- user learns how to restart.
M.request = 10 * 1000
--- The same for `:Copydesk status`, which also shows what the plugin knows by itself.
M.status_request = 2 * 1000
--- The pause before a lost connection is tried again. It doubles with each loss in a row.
M.first_reconnect = 100
--- The longest such pause.
M.last_reconnect = 30 * 1000
--- A connection that lasts this long ends a row of losses.
M.stable_connection = 60 * 1000

--- How long `copydesk --version` may take. Then the binary counts as broken.
M.version_command = 5 * 1000
--- The same for `copydesk status`, which itself waits five seconds for the daemon.
M.status_command = 8 * 1000
--- The same for all other commands of the binary, such as `copydesk doctor`, which ask servers and wait for them.
M.command = 20 * 1000
--- How long git or ripgrep may list files for the completion. Then the list has what came so far.
M.list_files_command = 10 * 1000
--- How long such a list counts as fresh. Then the next completion lists again.
M.file_list_age = 5 * 1000

--- How long an edit waits for a command that the user is in the middle of. The daemon waits longer. Then the edit fails.
M.pending_command = 1000
--- How often the mode is polled meanwhile: Neovim fires no event on leaving some modes.
M.pending_command_poll = 50
--- How long changes of a document without a name are gathered before they are sent, as in `vim.lsp`.
M.change_debounce = 150
--- How long after a change the user may still type, and the daemon may lag behind. Until then a difference from the daemon's text is no
--- news.
M.typing = 500
--- The pause before the missing lines of a hunk are looked up again: the daemon sees typing a little later.
M.lookup_retry = 400

--- How long a picker may take to call back after its window was left. Then it counts as dismissed.
M.picker_answer = 500

--- The pause before a draw is tried again that Neovim refused (textlock, E565): an expression waits for a key.
M.textlock_retry = 100
--- The shortest time between two draws of the chat, and of status lines: one frame of a screen.
M.frame = 16
--- How often the time of a running turn is redrawn, which is shown in seconds.
M.clock = 1000

--- The shortest time between two reports of one progress of a language server: each report sends the user's pending changes.
M.progress_report = 250

--- How long a hidden buffer that no request uses stays loaded. Then it is deleted, for its memory.
M.hidden_buffer_idle = 3 * 60 * 1000
--- How long a hidden buffer waits for a language server to attach. Then it counts as a file without a server.
M.attach = 250
--- How long files of such a kind are not loaded again.
M.unserved_kind = 60 * 1000

return M
