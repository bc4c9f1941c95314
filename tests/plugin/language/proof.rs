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
            assert(params.command == command and file == vim.uri_to_fname(T.uri("a.py")))
            local answer = { type = "response", success = true, body = {} }
            if request == "syntacticDiagnosticsSync" then return { result = answer } end
            local is_new = self:version("a.py") == T.version("a.py")
            local place = { start = { line = 1, offset = 1 }, ["end"] = { line = 1, offset = 2 } }
            local one = vim.tbl_extend("error", place, { text = is_new and "new" or "old", category = "error" })
            answer.body = { one }
            return { result = answer }
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

/// A rust-analyzer: the compiler's diagnostics follow a save.
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
    -- The compiler may begin another run at once, so it has looked only some time after its run.
    local function becomes(count)
      for _ = 1, 10000 do
        if #unseen() == count then return count end
      end
      return -1
    end
"#;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_compiler_that_looks_only_at_what_is_saved_is_named_until_it_has() {
    let script = r#"
        local seen = {}
        local function look() seen[#seen + 1] = #unseen() end
        check("begin") T.turn() look() check("end") seen[#seen + 1] = becomes(0)
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" }) look()
        vim.cmd("silent write") look()
        -- One of two checks is not everything.
        check("begin") check("begin", "rustAnalyzer/cargo check") check("end") T.turn()
        look()
        check("end", "rustAnalyzer/cargo check") seen[#seen + 1] = becomes(0)
        return seen"#;
    check(&format!("{RUST_ANALYZER}{script}"), json!([1, 0, 1, 1, 1, 0]));
}

/// A command rewrites the file: nothing is saved, so the compiler does not check it.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_compiler_has_not_seen_what_was_read_again_from_the_disk() {
    let script = r#"
        check("begin") check("end")
        local seen = { becomes(0) }
        vim.fn.writefile({ "rewritten", "by a command" }, "a.py")
        require("copydesk.document").changed({ uri = T.uri("a.py"), reason = "written" })
        seen[2] = vim.bo.modified
        seen[3] = #unseen()
        check("begin") check("end")
        seen[4] = becomes(0)
        -- Nor has it seen changes of files that are not open.
        require("copydesk.document").changed({ uri = T.uri("b.py"), reason = "written" })
        T.turn()
        seen[5] = #unseen()
        return seen"#;
    check(&format!("{RUST_ANALYZER}{script}"), json!([0, false, 1, 0, 1]));
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
        check("begin") say("rustc", "clippy", "other") check("end") becomes(0)
        local seen = { told() }
        T.change({ "mended" }, "a.py", "rust-analyzer")
        vim.cmd("silent write")
        T.turn()
        say("rustc", "clippy", "other")
        seen[2] = told()
        check("begin") check("end") becomes(0)
        -- It had nothing else to publish.
        seen[3] = told()
        vim.cmd("silent write!")
        T.turn()
        check("begin") check("end") becomes(0)
        seen[4] = told()
        return seen"#;
    // It can be asked, so what else it publishes does not count.
    let all = json!(["rustc", "clippy"]);
    check(&format!("{RUST_ANALYZER}{script}"), json!([all, [], all, all]));
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
