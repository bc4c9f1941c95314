//! What the plugin reports of the user's language servers: each event once, about the right text, to each daemon.

use serde_json::{Value, json};

use super::{answered_result, check, start_connected, start_disconnected, wait_for_answer};
use crate::daemon::stdio_editor::kill;
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn only_a_buffer_that_is_written_to_its_own_file_is_reported_as_saved() {
    let script = r#"
        T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        T.change({ "one", "two" }, "a.py", "scripted")
        local reports = T.reports()
        vim.cmd("silent write other.py | silent 1write part.py | silent 1write! a.py")
        vim.cmd("silent write!")
        local version = T.version("a.py")
        -- At once, before Neovim gets to its events.
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { "later" })
        T.until_(function() return #T.reported(reports, "changed") == 1 end)
        return vim.tbl_map(function(report)
          return { report.modified, report.version == version, report.document == version }
        end, T.reported(reports, "saved"))"#;
    check(script, json!([[false, true, true]]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_daemon_that_replaces_another_one_is_told_of_the_servers() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        let script = r#"
            local answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = { T.problem(0, 0, 1, "found") } } } }
            T.serve("asked", "python", { capabilities = { diagnosticProvider = {} }, answers = answers })
            local other = T.serve("publishes", "python", {})
            T.edit("a.py", "asked")
            T.change({ "typed" }, "a.py", "publishes")
            local client = require("copydesk.client")
            local handlers = client.get().handlers
            local restarted = handlers["copydesk/restarted"]
            handlers["copydesk/restarted"] = function(...)
              restarted(...)
              T.tell("restarted", vim.empty_dict())
            end
            function T.proof()
              other:publish("a.py", {}, other:version("a.py"))
              return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
            end
            local _, status = client.await_request("copydesk/status", {})
            return { status.pid, T.proof() }"#;
        let seen = window.lua(script);
        assert_eq!(seen[1], answered_result("proven", &["found"]));
        kill(seen[0].as_u64().unwrap(), "-KILL");
        window.nvim.wait_for_message("restarted", |_| true);
        // What it published last was about this text, but the new daemon has not seen it published.
        assert_eq!(window.lua("return T.proof()"), answered_result("proven", &["found"]));
        let changed = r#"T.change({ "typed", "again" }, "a.py", "publishes") return T.proof()"#;
        assert_eq!(window.lua(changed), answered_result("proven", &["found"]));
    });
}

/// Neovim 0.12 also counts a server's own capability as a registration, if that has an id.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_server_registered_before_the_connection_is_reported() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_disconnected(program);
        window.lua(
            r#"
            T.told = T.reports()
            local answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {} } } }
            T.serve("dynamic", "python", { answers = answers })
            T.serve("static", "python", { capabilities = { diagnosticProvider = { id = "own" } }, answers = answers })
            vim.cmd.edit("a.py")
            T.until_(function() return T.servers.dynamic:version("a.py") and T.servers.static:version("a.py") end)
            T.servers.dynamic:register("textDocument/diagnostic", { documentSelector = { { language = "python" } } })"#,
        );
        window.connect();
        let script = r#"
            T.edit("a.py", "dynamic")
            local result = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 5000 })
            local registered = vim.tbl_filter(function(report) return report.method == "client/registerCapability" end, T.told)
            return { result, #registered, registered[1] and #registered[1].params.registrations }"#;
        assert_eq!(window.lua(script), json!([answered_result("proven", &[]), 1, 1]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_handler_that_the_user_sets_when_a_server_attaches_hides_nothing() {
    let script = r#"
        local method, count = "textDocument/publishDiagnostics", 0
        local server = T.serve("scripted", "python", {
          on_attach = function(client) client.handlers[method] = function() count = count + 1 end end,
        })
        T.edit("a.py", "scripted")
        server:publish("a.py", { T.problem(0, 0, 1, "found") }, server:version("a.py"))
        return { T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 5000 }), count }"#;
    check(script, json!([answered_result("proven", &["found"]), 1]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_publish_is_reported_once_if_the_user_wraps_the_handler() {
    let script = r#"
        local method, count = "textDocument/publishDiagnostics", 0
        local server = T.serve("scripted", "python", {
          on_attach = function(client)
            local inner = client.handlers[method] or vim.lsp.handlers[method]
            client.handlers[method] = function(...)
              count = count + 1
              return inner(...)
            end
          end,
        })
        vim.fn.writefile({ "one" }, "b.py")
        T.edit("b.py", "scripted")
        T.edit("a.py", "scripted")
        local reports = T.reports()
        server:publish("a.py", {}, server:version("a.py"))
        T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
        local published = vim.tbl_filter(function(report) return report.method == method end, reports)
        return { #published, count }"#;
    check(script, json!([1, 2]));
}

/// Neovim 0.10 counts the versions of all servers from 0 again when one attaches.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_can_be_asked_after_another_one_has_attached() {
    let script = r#"
        local answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {} } } }
        T.serve("asked", "python", { capabilities = { diagnosticProvider = {} }, answers = answers })
        T.edit("a.py", "asked")
        T.change({ "typed" }, "a.py", "asked")
        local late = T.serve("late", "late", {})
        vim.bo.filetype = "late"
        T.until_(function() return late:version("a.py") end)
        T.turn()
        late:publish("a.py", {}, late:version("a.py"))
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 5000 })"#;
    check(script, answered_result("proven", &[]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_ends_without_a_buffer_is_reported_and_its_requests_fail() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            T.serve("scripted", "python", { held = { "workspace/executeCommand" } })
            T.edit("a.py", "scripted")
            T.told = T.reports()
            T.id = T.client_of("scripted").id
            vim.cmd("bwipeout")
            T.begin("serverRequest", { server = T.id, id = 1, method = "workspace/executeCommand", params = { command = "x" } })
            T.servers.scripted:die()"#,
        );
        assert_eq!(wait_for_answer(&mut window)["error"]["code"], -32803);
        window.wait_until("vim.iter(T.told):any(function(report) return report.name == 'ended' and report.server == T.id end)");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_hidden_file_that_is_read_again_has_no_version_of_the_daemons() {
    let script = r#"
        T.serve("scripted", "python", {
          capabilities = { diagnosticProvider = {} },
          answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {} } } },
        })
        local reports = T.reports()
        T.ask("diagnostics", { path = "a.py", wait = 60000 })
        vim.fn.writefile({ "again" }, "a.py")
        T.ask("diagnostics", { path = "a.py", wait = 60000 })
        T.until_(function() return #T.reported(reports, "opened") == 2 end)
        return vim.iter(reports):any(function(report) return report.document ~= nil end)"#;
    check(script, json!(false));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_document_is_closed_once_and_then_no_request_is_about_it() {
    let script = r#"
        T.serve("scripted", "python", {})
        vim.fn.writefile({ "one" }, "old.py")
        T.edit("old.py", "scripted")
        local reports = T.reports()
        vim.cmd("silent saveas! a.py")
        T.until_(function() return #T.reported(reports, "opened") == 1 end)
        local client, document = T.client_of("scripted"), { uri = T.uri("a.py"), version = T.servers.scripted:version("a.py") }
        local function code()
          local params = { server = client.id, id = 1, method = "textDocument/hover", params = {}, document = vim.deepcopy(document) }
          return vim.tbl_get(T.ask("serverRequest", params), "error", "code") or "sent"
        end
        local seen = { code() }
        require("copydesk.server").notify(client, "textDocument/didClose", { textDocument = { uri = document.uri } })
        T.until_(function() return #T.reported(reports, "closed") == 2 end)
        seen[2] = code()
        vim.cmd("bwipeout")
        T.edit("old.py", "scripted")
        T.until_(function() return #T.reported(reports, "opened") == 2 end)
        seen[3] = vim.tbl_map(function(report) return vim.fs.basename(report.uri) end, T.reported(reports, "closed"))
        return seen"#;
    check(script, json!(["sent", -32801, ["old.py", "a.py"]]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn much_progress_of_a_server_is_reported_now_and_then() {
    let script = r#"
        require("copydesk.time_limits").progress_report = 600000
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        local reports = T.reports()
        server:progress("begin", "Indexing")
        for _ = 1, 20 do server:progress("report") end
        server:progress("end")
        server:progress("begin", "Indexing")
        server:progress("report")
        server:progress("end")
        local function kinds() return vim.tbl_map(function(report) return report.params.value.kind end, reports) end
        T.until_(function() return #vim.tbl_filter(function(kind) return kind == "end" end, kinds()) == 2 end)
        return kinds()"#;
    let expected: Value = json!(["begin", "report", "end", "begin", "report", "end"]);
    check(script, expected);
}
