//! Servers whose diagnostics need a proof of their own kind.

use serde_json::{Value, json};

use super::{answered_result, check, start_connected, wait_for_answer};
use crate::neovim::neovim_session::for_each_neovim;

/// typescript-language-server publishes nothing if there was and is no problem.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_compiler_behind_a_server_is_asked_past_it() {
    let script = r#"
        local command = "typescript.tsserverRequest"
        local server = T.serve("scripted", "python", {
          capabilities = { executeCommandProvider = { commands = { command } } },
          answers = { ["workspace/executeCommand"] = function(params, self)
            local request, file = params.arguments[1], params.arguments[2].file
            assert(params.command == command and file == T.uri("a.py"))
            if request == "syntacticDiagnosticsSync" then return { result = { success = true, body = {} } } end
            local is_new = self:version("a.py") == T.version("a.py")
            local place = { start = { line = 1, offset = 1 }, ["end"] = { line = 1, offset = 2 } }
            local one = vim.tbl_extend("error", place, { text = is_new and "new" or "old", category = "error" })
            return { result = { success = true, body = { one } } }
          end },
        })
        T.edit("a.py", "scripted")
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })
        -- What it publishes meanwhile may be about any text.
        server:publish("a.py", { T.problem(0, 0, 1, "published") })
        local result = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
        result.files[1].items[1].source = nil
        return result"#;
    check(script, answered_result("proven", &["new"]));
}

/// A rust-analyzer: the compiler's diagnostics follow a save. The test advances the clock.
const RUST_ANALYZER: &str = r#"
    local server = T.serve("rust-analyzer", "python", {
      capabilities = { diagnosticProvider = {} },
      answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {} } } },
    })
    T.edit("a.py", "rust-analyzer")
    local function unseen()
      return T.ask("diagnostics", { path = "a.py", wait = 60000 }).files[1].unseen or {}
    end
    local function check(kind, token)
      local params = { token = token or "rust-analyzer/flycheck/0", value = { kind = kind, title = "cargo check" } }
      server.dispatchers.notification("$/progress", params)
    end
    local notes = require("copydesk.diagnostics.notes")
    local clock = notes.now()
    function notes.now() clock = clock + 0.01 return clock end
    local function settle() clock = clock + 250 end
    -- Files were written now, or so many seconds ago.
    local age = 0
    function vim.uv.gettimeofday() return os.time() + (age > 0 and age or -10), 0 end
"#;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_compiler_that_looks_only_at_what_is_saved_is_named_until_it_has() {
    let script = r#"
        local seen = {}
        local function look() seen[#seen + 1] = #unseen() end
        check("begin") look() check("end") look() settle() look()
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" }) look()
        vim.cmd("silent write") look()
        -- One of two checks is not everything.
        check("begin") check("begin", "rustAnalyzer/cargo check") check("end")
        settle() look()
        check("end", "rustAnalyzer/cargo check") settle() look()
        return { seen, { unseen() } }"#;
    check(&format!("{RUST_ANALYZER}{script}"), json!([[1, 1, 0, 1, 1, 1, 0], [[]]]));
}

/// A command rewrites the file: nothing is saved, so the compiler does not check it.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_compiler_has_not_seen_what_was_read_again_from_the_disk() {
    let script = r#"
        check("begin") check("end") settle()
        local seen = { #unseen() }
        vim.fn.writefile({ "rewritten", "by a command" }, "a.py")
        require("copydesk.document").changed({ uri = T.uri("a.py"), reason = "written" })
        seen[2] = vim.bo.modified
        seen[3] = #unseen()
        check("begin") check("end") settle()
        seen[4] = #unseen()
        -- Nor has it seen changes of files that are not open.
        require("copydesk.document").changed({ uri = T.uri("b.py"), reason = "written" })
        T.turn() settle() settle()
        seen[5] = #unseen()
        return seen"#;
    check(&format!("{RUST_ANALYZER}{script}"), json!([0, false, 1, 0, 1]));
}

/// It has seen what was saved before its check, whenever a buffer opens it.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_compiler_has_seen_what_was_written_before_it_looked() {
    let script = r#"
        check("begin") check("end") settle()
        local seen = { #unseen() }
        vim.fn.writefile({ "one" }, "b.py")
        age = 100
        T.edit("b.py", "rust-analyzer")
        seen[2] = #unseen()
        age = 0
        vim.fn.writefile({ "one" }, "c.py")
        T.edit("c.py", "rust-analyzer")
        seen[3] = #unseen()
        return seen"#;
    check(&format!("{RUST_ANALYZER}{script}"), json!([0, 0, 1]));
}

/// The server publishes the compiler's old diagnostics again, after the save and before the compiler has run.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_compiler_said_of_the_text_before_is_not_said_of_the_saved_one() {
    let script = r#"
        local function say(...)
          local items = {}
          for _, source in ipairs({ ... }) do items[#items + 1] = T.problem(0, 0, 1, source, { source = source }) end
          server:publish("a.py", items, server:version("a.py"))
        end
        local function told()
          local items = T.ask("diagnostics", { path = "a.py", wait = 60000 }).files[1].items
          return vim.tbl_map(function(one) return one.source end, items)
        end
        check("begin") say("rustc", "clippy", "other") check("end") settle()
        local seen = { told() }
        T.change({ "mended" }, "a.py", "rust-analyzer")
        vim.cmd("silent write")
        T.turn()
        say("rustc", "clippy", "other")
        seen[2] = told()
        check("begin") check("end") settle()
        -- It had nothing else to publish.
        seen[3] = told()
        vim.cmd("silent write!")
        T.turn()
        check("begin") check("end") settle()
        seen[4] = told()
        return seen"#;
    let all = json!(["rustc", "clippy", "other"]);
    check(&format!("{RUST_ANALYZER}{script}"), json!([all, ["other"], all, all]));
}

/// A clangd: `a.py` has its preamble, `b.py` is the included file.
const CLANGD: &str = r#"
    local server = T.serve("clangd", "python", {})
    T.edit("a.py", "clangd")
    server:publish("a.py", { T.problem(0, 0, 1, "at first") }, server:version("a.py"))
    function T.asks() T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 }) end
    function T.publishes(message, version)
      server:publish("a.py", { T.problem(0, 0, 1, message) }, version or server:version("a.py"))
    end
"#;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn clangd_is_told_once_more_of_a_text_with_another_head() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(CLANGD);
        window.lua("T.change({ '#include <x>', 'one' }, 'a.py', 'clangd') T.publishes('with what was kept') T.asks()");
        let touch = window.nvim.wait_for_message("server", |told| told["params"]["forceRebuild"] == true);
        assert_eq!(touch["params"]["contentChanges"], json!([]));
        let version = touch["params"]["textDocument"]["version"].clone();
        window.nvim.lua("T.publishes(...)", json!(["made anew", version]));
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["made anew"]));
        // With the same preamble its first publish is proof.
        window.lua("T.change({ '#include <x>', 'two' }, 'a.py', 'clangd') T.publishes('below it') T.asks()");
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["below it"]));
    });
}

/// It does not see unsaved files, unless it was started so.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn clangd_says_nothing_of_a_text_that_may_include_what_is_not_saved() {
    let script = r#"
        T.publishes("as saved")
        vim.fn.writefile({ "one" }, "b.py")
        T.edit("b.py", "clangd")
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { "typed" })
        vim.cmd("silent buffer a.py")
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })"#;
    let mut expected: Value = answered_result("unknown", &["as saved"]);
    expected["files"][0]["proof"] = json!("unknown");
    check(&format!("{CLANGD}{script}"), expected);
}

/// What it published while the other file was unsaved was about the file on disk.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn clangd_has_not_seen_what_was_saved_since_it_spoke() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(CLANGD);
        window.lua(
            r#"
            vim.fn.writefile({ "one" }, "b.h")
            vim.api.nvim_create_autocmd("BufReadPost", { pattern = "*.h", callback = function() vim.bo.filetype = "python" end })
            T.edit("b.h", "clangd")
            T.change({ "typed" }, "b.h", "clangd")
            vim.cmd("bwipeout a.py")
            T.edit("a.py", "clangd")
            T.turn()
            T.publishes("of what lay on the disk")
            vim.cmd("silent buffer b.h | silent write | silent buffer a.py")
            T.turn()
            T.asks()"#,
        );
        let touch = window.nvim.wait_for_message("server", |told| told["params"]["forceRebuild"] == true);
        let version = touch["params"]["textDocument"]["version"].clone();
        window.nvim.lua("T.publishes(...)", json!(["made anew", version]));
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["made anew"]));
    });
}

/// The effect of another document's change is not known at once.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_said_before_another_document_changed_is_not_proven() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        server:publish("a.py", { T.problem(0, 0, 1, "before") }, server:version("a.py"))
        local function proof(wait)
          local params = { path = "a.py", version = T.version("a.py"), wait = wait }
          return T.ask("diagnostics", params).files[1].proof
        end
        local seen = { proof(60000) }
        vim.fn.writefile({ "one" }, "b.py")
        T.edit("b.py", "scripted")
        T.change({ "typed" }, "b.py", "scripted")
        seen[2] = proof(100)
        server:publish("b.py", {}, server:version("b.py"))
        seen[3] = proof(60000)
        return seen"#;
    check(script, json!(["proven", "unknown", "likely"]));
}

/// The server may have read the text before the other one changed, and publish after.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_was_told_before_another_document_changed_is_not_proven_by_what_is_said_after() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        vim.fn.writefile({ "one" }, "b.py")
        T.edit("b.py", "scripted")
        T.edit("a.py", "scripted")
        T.change({ "typed" }, "a.py", "scripted")
        vim.cmd("silent buffer b.py")
        T.change({ "typed" }, "b.py", "scripted")
        T.turn()
        server:publish("a.py", { T.problem(0, 0, 1, "before") }, server:version("a.py"))
        local params = { path = "a.py", version = T.version("a.py"), wait = 60000 }
        return T.ask("diagnostics", params)"#;
    check(script, answered_result("likely", &["before"]));
}

/// Text typed before the server publishes for the text before is not what it published for.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_head_that_clangd_kept_is_that_of_the_text_it_was_told() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(CLANGD);
        window.lua(
            r##"
            vim.api.nvim_buf_set_lines(0, 0, -1, false, { "#include <x>", "one" })
            T.publishes("of the text before")
            T.until_(function() return T.servers.clangd:version("a.py") == T.version("a.py") end)
            T.turn()
            T.publishes("with what was kept")
            T.asks()"##,
        );
        window.nvim.wait_for_message("server", |told| told["params"]["forceRebuild"] == true);
    });
}

/// A file that another one includes is no unit of its own, whatever its name.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_unit_that_another_document_includes_does_not_stand_alone() {
    let script = r##"
        local ground = require("copydesk.diagnostics.ground")
        vim.fn.writefile({ "one" }, "table.c")
        T.serve("other", "c", {})
        T.serve("clangd", "c", {})
        T.edit("table.c", "clangd")
        local part = vim.api.nvim_get_current_buf()
        local clangd, other = T.client_of("clangd"), T.client_of("other")
        T.until_(function() return ground.stands_alone(clangd, part) end)
        local seen = { ground.stands_alone(clangd, part), ground.stands_alone(other, part) }
        vim.fn.writefile({ "  # include \"sub/table.c\"" }, "main.c")
        T.edit("main.c", "clangd")
        seen[3] = ground.stands_alone(clangd, part)
        seen[4] = ground.stands_alone(clangd, vim.fn.bufnr("main.c"))
        -- Saved content is known even if no buffer has it open.
        vim.cmd("silent write | bwipeout")
        seen[5] = ground.stands_alone(clangd, part)
        return seen"##;
    check(script, json!([true, false, false, true, false]));
}

/// The file that includes it is not open.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_unit_that_a_file_on_the_disk_includes_does_not_stand_alone() {
    let script = r##"
        local ground, included = require("copydesk.diagnostics.ground"), require("copydesk.diagnostics.included")
        vim.fn.mkdir("sub")
        vim.fn.writefile({ "one" }, "table.c")
        vim.fn.writefile({ "// nothing", "#include \"../table.c\"" }, "sub/list.h")
        T.serve("clangd", "c", {})
        local seen = {}
        local function look()
          T.until_(function() return included.below(vim.fs.normalize(vim.uv.cwd())).is_done end)
          seen[#seen + 1] = ground.stands_alone(T.client_of("clangd"), vim.fn.bufnr("table.c"))
        end
        T.edit("table.c", "clangd")
        look()
        -- The daemon reports what changed since.
        vim.fn.writefile({ "// nothing" }, "sub/list.h")
        require("copydesk.document").changed({ uri = T.uri("sub/list.h"), reason = "written" })
        look()
        return seen"##;
    check(script, json!([false, true]));
}

/// In a folder with more files than are read, the includes are unknown.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_clangd_says_in_a_folder_that_was_not_read_to_the_end_is_likely() {
    let script = r#"
        require("copydesk.diagnostics.included").most_files = 1
        for _, name in ipairs({ "x.h", "y.h" }) do vim.fn.writefile({ "one" }, name) end"#;
    let ask = r#"
        T.publishes("said")
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })"#;
    check(&format!("{script}{CLANGD}{ask}"), answered_result("likely", &["said"]));
}

/// A server reads files that changed on disk some time after the notification.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_server_answers_soon_after_the_disk_was_changed_is_not_proven() {
    let script = r#"
        local notes, asked = require("copydesk.diagnostics.notes"), 0
        local clock = notes.now()
        function notes.now() clock = clock + 0.01 return clock end
        T.serve("scripted", "python", {
          capabilities = { diagnosticProvider = {} },
          answers = { ["textDocument/diagnostic"] = function()
            asked = notes.now()
            return { result = { kind = "full", items = {} } }
          end },
        })
        T.edit("a.py", "scripted")
        local function proof()
          return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 }).files[1].proof
        end
        local seen, begun = { proof() }, notes.now()
        require("copydesk.document").changed({ uri = T.uri("b.py"), reason = "created" })
        T.turn()
        vim.schedule(function()
          seen[3] = asked < begun
          clock = clock + 300
          notes.emit()
        end)
        seen[2] = proof()
        clock = clock + 2500
        seen[4] = proof()
        -- It does not read open files from disk.
        vim.fn.writefile({ "rewritten" }, "a.py")
        require("copydesk.document").changed({ uri = T.uri("a.py"), reason = "written" })
        seen[5] = proof()
        return seen"#;
    check(script, json!(["proven", "likely", true, "proven", "proven"]));
}

/// The TypeScript compiler notices late that a folder is gone.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_compiler_is_asked_later_where_a_folder_is_gone() {
    let script = r#"
        local notes, tsserver = require("copydesk.diagnostics.notes"), "typescript.tsserverRequest"
        T.serve("scripted", "python", { capabilities = { executeCommandProvider = { commands = { tsserver } } } })
        T.serve("other", "python", {})
        T.edit("a.py", "scripted")
        T.edit("a.py", "other")
        function notes.now() return 10000 end
        local function read(name, gone)
          require("copydesk.document").changed({ uri = T.uri(gone), reason = "deleted" })
          return (require("copydesk.diagnostics.disk").read(T.client_of(name)))
        end
        return { read("scripted", "b.py"), read("scripted", "parts/b.py"), read("other", "parts/b.py") }"#;
    check(script, json!([10300, 11500, 10300]));
}

/// Neovim may have sent its own request before another document changed.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_neovim_was_answered_before_another_document_changed_is_not_proven() {
    let script = r#"
        local server = T.serve("scripted", "python", { capabilities = { diagnosticProvider = {} } })
        vim.fn.writefile({ "one" }, "b.py")
        T.edit("b.py", "scripted")
        T.edit("a.py", "scripted")
        T.change({ "typed" }, "a.py", "scripted")
        T.turn()
        local notes, id = require("copydesk.diagnostics.notes"), T.client_of("scripted").id
        local function proof()
          local params = { textDocument = { uri = T.uri("a.py") } }
          local result = { items = { T.problem(0, 0, 1, "found") } }
          notes.pulled(id, result, { params = params, version = server:version("a.py") })
          return T.ask("diagnostics", { path = "a.py", version = T.version("a.py") }).files[1].proof
        end
        local seen = { proof() }
        vim.cmd("silent buffer b.py")
        T.change({ "typed" }, "b.py", "scripted")
        T.turn()
        seen[2] = proof()
        return seen"#;
    check(script, json!(["proven", "unknown"]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn servers_are_told_of_a_file_that_the_daemon_took_away_and_what_they_said_before_is_not_proven() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        let proofs = window.lua(
            r#"
            local server = T.serve("scripted", "python", {})
            T.edit("a.py", "scripted")
            server:publish("a.py", { T.problem(0, 0, 1, "before") }, server:version("a.py"))
            local function proof(wait)
              local params = { path = "a.py", version = T.version("a.py"), wait = wait }
              return T.ask("diagnostics", params).files[1].proof
            end
            local first = proof(60000)
            require("copydesk.document").changed({ uri = T.uri("b.py"), reason = "deleted" })
            return { first, proof(100) }"#,
        );
        assert_eq!(proofs, json!(["proven", "unknown"]));
        let told = window
            .nvim
            .wait_for_message("server", |told| told["method"] == "workspace/didChangeWatchedFiles");
        assert_eq!(told["params"]["changes"][0]["type"], 3);
    });
}
