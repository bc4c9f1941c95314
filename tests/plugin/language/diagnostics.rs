//! Diagnostics of servers: states, items, several files, and servers that misbehave.

use serde_json::{Value, json};

use super::{answered_result, check, start_connected, wait_for_answer, wait_for_server_request};
use crate::neovim::neovim_session::for_each_neovim;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_without_a_server_is_said_to_be_without_one() {
    let script = r#"
        T.edit("a.py")
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 600000 })"#;
    check(script, json!({ "state": "unsupported" }));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_says_nothing_has_not_answered_in_time() {
    let script = r#"
        T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 50 })"#;
    check(script, json!({ "state": "cancelled" }));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_is_not_up_yet_is_waited_for() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        let script = r#"
            local answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {} } } }
            local provider = { diagnosticProvider = {} }
            T.serve("slow", "python", { capabilities = provider, held = { "initialize" }, answers = answers })
            T.edit("a.py")
            local early = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 600000, waitReady = 50 })
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
            T.servers.slow:release("initialize")
            return early"#;
        assert_eq!(window.lua(script), json!({ "state": "starting" }));
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &[]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_still_reads_the_project_is_not_believed_to_find_nothing() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        let script = r#"
            local found = {}
            T.serve("scripted", "python", {
              capabilities = { diagnosticProvider = {} },
              answers = { ["textDocument/diagnostic"] = function() return { result = { kind = "full", items = found } } end },
            })
            T.edit("a.py", "scripted")
            T.servers.scripted:progress("begin", "Indexing")
            T.turn()
            local early = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 100 })
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
            T.finish = function()
              found = { T.problem(0, 0, 1, "found") }
              T.servers.scripted:progress("end")
            end
            return early"#;
        assert_eq!(window.lua(script), json!({ "state": "starting" }));
        window.lua("T.finish()");
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["found"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_looks_at_the_project_once_more_is_waited_for() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        let script = r#"
            local found = { T.problem(0, 0, 1, "before it has looked") }
            local server = T.serve("scripted", "python", {
              capabilities = { diagnosticProvider = {} },
              answers = { ["textDocument/diagnostic"] = function() return { result = { kind = "full", items = found } } end },
            })
            T.edit("a.py", "scripted")
            local function ready(is_it)
              server.dispatchers.notification("experimental/serverStatus", { quiescent = is_it })
            end
            local question = { version = T.version("a.py"), wait = 60000, waitReady = 0 }
            local function about() return vim.tbl_extend("error", { path = "a.py" }, question) end
            ready(false)
            local first = T.ask("diagnostics", about())
            ready(true)
            local after = T.ask("diagnostics", about())
            ready(false)
            T.begin("diagnostics", about())
            T.finish = function()
              found = { T.problem(0, 0, 1, "after it has") }
              ready(true)
            end
            return { first, after }"#;
        let before = answered_result("proven", &["before it has looked"]);
        assert_eq!(window.lua(script), json!([{ "state": "starting" }, before]));
        window.lua("T.finish()");
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["after it has"]));
    });
}

/// The daemon numbers the requests to each server on its own, so two servers get the same numbers.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn every_server_is_told_that_its_request_is_cancelled() {
    let script = r#"
        local held, provider = { "textDocument/diagnostic" }, { diagnosticProvider = {} }
        T.serve("first", "python", { capabilities = provider, held = held })
        T.serve("second", "python", { capabilities = provider, held = held })
        T.edit("a.py", "first")
        T.edit("a.py", "second")
        local answer = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 300 })
        T.until_(function() return next(T.servers.first.cancelled) and next(T.servers.second.cancelled) end)
        return answer.state"#;
    check(script, json!("cancelled"));
}

/// A file that is not reported would count as fixed.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_server_did_not_say_in_time_of_something_open_is_told_as_not_known() {
    let script = r#"
        local held = { "textDocument/diagnostic" }
        T.serve("scripted", "python", { capabilities = { diagnosticProvider = {} }, held = held })
        T.edit("a.py", "scripted")
        return T.ask("diagnostics", { wait = 50 })"#;
    check(script, answered_result("unknown", &[]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_server_published_before_it_was_ready_proves_little() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        local function ready(is_it)
          server.dispatchers.notification("experimental/serverStatus", { quiescent = is_it })
        end
        local function ask(wait)
          return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = wait })
        end
        ready(false)
        server:publish("a.py", {}, server:version("a.py"))
        local early = ask(100)
        ready(true)
        local late = ask(60000)
        server:publish("a.py", {}, server:version("a.py"))
        return { early, late, ask(60000) }"#;
    let mut early = answered_result("unknown", &[]);
    early["state"] = json!("starting");
    check(script, json!([early, answered_result("likely", &[]), answered_result("proven", &[])]));
}

/// Nor does a result from meanwhile: the server may have lost its state. A status without content changes nothing.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_server_found_before_it_was_ready_proves_little() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        local function status(params) server.dispatchers.notification("experimental/serverStatus", params) end
        local function ask(wait)
          return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = wait })
        end
        local function publish() server:publish("a.py", { T.problem(0, 0, 1, "found") }, server:version("a.py")) end
        status(vim.NIL)
        status({ quiescent = vim.NIL })
        publish()
        local first = ask(60000)
        status({ quiescent = false })
        publish()
        local early, all = ask(100), T.ask("diagnostics", { wait = 50 })
        status({ quiescent = true })
        return { first, early, all, ask(60000) }"#;
    let mut early = answered_result("unknown", &["found"]);
    early["state"] = json!("starting");
    let unknown = answered_result("unknown", &["found"]);
    check(
        script,
        json!([answered_result("proven", &["found"]), early, unknown, answered_result("likely", &["found"])]),
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn other_work_of_a_server_holds_nothing_up() {
    let script = r#"
        T.serve("scripted", "python", {
          capabilities = { diagnosticProvider = {} },
          answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {} } } },
        })
        T.edit("a.py", "scripted")
        T.servers.scripted:progress("begin", "cargo check")
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 600000 })"#;
    check(script, answered_result("proven", &[]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_is_wiped_meanwhile_ends_the_waiting() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            local held = { "textDocument/diagnostic" }
            T.serve("scripted", "python", { capabilities = { diagnosticProvider = {} }, held = held })
            T.edit("a.py", "scripted")
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 600000 })"#,
        );
        wait_for_server_request(&mut window, "textDocument/diagnostic");
        window.command("bwipeout!");
        // Neovim may stop a server that has no buffer any more.
        let state = wait_for_answer(&mut window)["state"].clone();
        assert!(state == "cancelled" || state == "unsupported", "{state}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_dies_meanwhile_cannot_say() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            local held = { "textDocument/diagnostic" }
            T.serve("scripted", "python", { capabilities = { diagnosticProvider = {} }, held = held })
            T.edit("a.py", "scripted")
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 600000 })"#,
        );
        wait_for_server_request(&mut window, "textDocument/diagnostic");
        window.lua("T.servers.scripted:die()");
        assert_eq!(wait_for_answer(&mut window), json!({ "state": "unsupported" }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn whatever_a_server_sends_becomes_a_diagnostic() {
    let script = r#"
        local range = { start = { line = 1, character = 2 }, ["end"] = { line = 1, character = 3 } }
        local backwards = { start = range["end"], ["end"] = range.start }
        local server = T.serve("scripted", "python", {
          -- The stock handler fails on this.
          handlers = { ["textDocument/publishDiagnostics"] = function() end },
        })
        T.edit("a.py", "scripted")
        server:publish("a.py", {
          { range = range, message = "all", severity = 2, code = 12, source = "lint" },
          { range = range, message = "text", severity = 3, code = "E1" },
          { range = range, message = { kind = "markdown", value = "*marked*" }, severity = 4, code = { value = "x" } },
          { range = backwards, message = "backwards" },
          { range = { start = { line = -1, character = 0.5 } }, message = vim.NIL, severity = 9, source = {} },
          "nonsense",
        }, server:version("a.py"))
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 }).files[1].items"#;
    check(
        script,
        json!([
            { "range": "1:2-1:3", "severity": "warning", "code": "12", "source": "lint", "message": "all" },
            { "range": "1:2-1:3", "severity": "information", "code": "E1", "message": "text" },
            { "range": "1:2-1:3", "severity": "hint", "code": "x", "message": "*marked*" },
            { "range": "1:3-1:3", "severity": "error", "message": "backwards" },
            { "range": "0:0-0:0", "severity": "error", "message": "(it does not say what is wrong)" },
        ]),
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn places_are_in_the_encoding_that_the_daemon_and_neovim_have_agreed_on() {
    // A letter of two bytes, and one of four that UTF-16 counts twice: the position of the word after them.
    for (encoding, first, last) in [("utf-8", 6, 10), ("utf-16", 3, 7), ("utf-32", 2, 6)] {
        for_each_neovim(|program| {
            let (_env, mut window) = start_connected(program);
            let script = r#"
                local encoding, first, last = ...
                local server = T.serve("scripted", "python", { encoding = encoding })
                T.edit("a.py", "scripted")
                T.change({ "é𝄞word" }, "a.py", "scripted")
                local beyond = T.problem(7, 3, 9, "beyond")
                local items = { T.problem(0, first, last, "word"), T.problem(0, first, 999, "long"), beyond }
                server:publish("a.py", items, server:version("a.py"))
                local answer = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
                return { require("copydesk.client").get().offset_encoding, answer.files[1].items }"#;
            let seen = window.nvim.lua(script, json!([encoding, first, last]));
            let agreed = seen[0].as_str().unwrap();
            let (from, to) = if agreed == "utf-8" { (6, 10) } else { (3, 7) };
            assert_eq!(seen[1][0]["range"], format!("0:{from}-0:{to}"), "{encoding} to {agreed}");
            assert_eq!(seen[1][1]["range"], format!("0:{from}-0:{to}"), "{encoding} to {agreed}");
            // Beyond the text is its end.
            assert_eq!(seen[1][2]["range"], "1:0-1:0", "{encoding} to {agreed}");
        });
    }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn of_very_many_the_worst_are_told() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        local items = {}
        for number = 1, 12000 do
          items[number] = T.problem(0, 0, 1, tostring(number), { severity = number % 4 == 0 and 1 or 4 })
        end
        server:publish("a.py", items, server:version("a.py"))
        local told = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 }).files[1].items
        local errors = vim.tbl_filter(function(one) return one.severity == "error" end, told)
        return { #told, #errors }"#;
    check(script, json!([10000, 3000]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_user_filters_from_the_screen_is_told_all_the_same() {
    let script = r#"
        local seen = {}
        local server = T.serve("own", "python", {
          handlers = { ["textDocument/publishDiagnostics"] = function(_, params) table.insert(seen, params.version) end },
        })
        T.edit("a.py", "own")
        server:publish("a.py", { T.problem(0, 0, 1, "filtered") }, server:version("a.py"))
        local own = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
        local count = #seen
        local other = T.serve("common", "other", {})
        vim.bo.filetype = "other"
        T.until_(function() return other:version("a.py") end)
        -- The user replaces the global handler after we have wrapped the client's.
        vim.lsp.handlers["textDocument/publishDiagnostics"] = function() count = count + 10 end
        other:publish("a.py", { T.problem(0, 0, 1, "too") }, other:version("a.py"))
        return { own, T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 }), count }"#;
    check(
        script,
        json!([
            answered_result("proven", &["filtered"]),
            answered_result("proven", &["filtered", "too"]),
            11
        ]),
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn without_a_document_all_that_is_known_is_told() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_connected(program);
        scripted.env.write("b.py", "three\n");
        scripted.env.write("closed.py", "four\n");
        let script = r#"
            local server = T.serve("scripted", "python", {})
            T.edit("b.py", "scripted")
            T.edit("a.py", "scripted")
            server:publish("a.py", { T.problem(0, 0, 1, "named") }, server:version("a.py"))
            server:publish("b.py", { T.problem(0, 0, 1, "not named") })
            server:publish("closed.py", { T.problem(0, 0, 1, "closed") })
            T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
            local all = T.ask("diagnostics", {})
            T.change({ "typed" }, "a.py", "scripted")
            return { all.files[1], T.ask("diagnostics", {}).files[2], all.files[3] }"#;
        let item = |message| json!([{ "range": "0:0-0:1", "severity": "error", "message": message }]);
        let file = |uri, proof, message| json!({ "uri": uri, "version": "present", "proof": proof, "items": item(message) });
        let closed = json!({ "uri": "closed.py", "proof": "unknown", "items": item("closed") });
        let expected: Value =
            json!([file("a.py", "proven", "named"), file("b.py", "unknown", "not named"), closed,]);
        assert_eq!(window.lua(script), expected);
    });
}
