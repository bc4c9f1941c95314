//! What the plugin reports of the user's language servers: each event once, about the right text, to each daemon.

use serde_json::{Value, json};

use super::{answered_result, check, start_disconnected};
use crate::neovim::neovim_session::for_each_neovim;

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
