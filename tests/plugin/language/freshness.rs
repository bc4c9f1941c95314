//! For which text diagnostics are valid: pulled, named by a version, quiet after a change, or unknown.

use serde_json::json;

use super::{
    answered_result, check, start_connected, start_disconnected, wait_for_answer, wait_for_server_request,
};
use crate::neovim::neovim_session::for_each_neovim;

const PULL: &str = "textDocument/diagnostic";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_can_be_asked_proves_the_version() {
    let script = r#"
        local server = T.serve("scripted", "python", {
          capabilities = { diagnosticProvider = { identifier = "own" } },
          answers = { ["textDocument/diagnostic"] = function(params, self)
            local message = (params.identifier or "") .. " at " .. self:version("a.py")
            return { result = { kind = "full", items = { T.problem(0, 0, 1, message) } } }
          end },
        })
        T.edit("a.py", "scripted")
        local first = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })
        local second = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
        local expected = "own at " .. T.version("a.py")
        return { first.files[1].proof, second.files[1].proof, second.files[1].items[1].message == expected }"#;
    check(script, json!(["proven", "proven", true]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_was_overtaken_is_asked_again() {
    let script = r#"
        local count = 0
        local server = T.serve("scripted", "python", {
          capabilities = { diagnosticProvider = {} },
          answers = { ["textDocument/diagnostic"] = function()
            count = count + 1
            local problems = { { code = -32802, data = { retriggerRequest = true } }, { code = -32802 }, { code = -32801 } }
            if problems[count] then return { problem = problems[count] } end
            return { result = { kind = "full", items = { T.problem(0, 0, 1, "at last") } } }
          end },
        })
        T.edit("a.py", "scripted")
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })"#;
    check(script, answered_result("proven", &["at last"]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_refuses_to_be_asked_may_still_publish() {
    let script = r#"
        local server = T.serve("scripted", "python", {
          capabilities = { diagnosticProvider = {} },
          answers = { ["textDocument/diagnostic"] = { problem = { code = -32802, data = { retriggerRequest = false } } } },
        })
        T.edit("a.py", "scripted")
        local silent = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 50 })
        server:publish("a.py", { T.problem(0, 0, 1, "told") }, server:version("a.py"))
        return { silent, T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 }) }"#;
    check(script, json!([{ "state": "cancelled" }, answered_result("proven", &["told"])]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_may_say_later_that_it_can_be_asked() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            local items = { T.problem(0, 0, 1, "late") }
            local answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = items } } }
            T.serve("scripted", "python", { answers = answers })
            T.edit("a.py", "scripted")
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
            T.servers.scripted:register("textDocument/diagnostic", { documentSelector = { { language = "python" } } })"#,
        );
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["late"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_a_server_answers_is_for_the_text_that_it_was_asked_about() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            T.serve("scripted", "python", {
              capabilities = { diagnosticProvider = {} },
              held = { "textDocument/diagnostic" },
              answers = { ["textDocument/diagnostic"] = function(params, self)
                local is_new = self:version("a.py") == T.version("a.py")
                return { result = { kind = "full", items = { T.problem(0, 0, 1, is_new and "new" or "old") } } }
              end },
            })
            T.edit("a.py", "scripted")
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })"#,
        );
        wait_for_server_request(&mut window, PULL);
        window.lua(
            r#"
            vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })
            T.servers.scripted:release("textDocument/diagnostic")"#,
        );
        // It depends on the moment which text that is: the version says so.
        let answer = wait_for_answer(&mut window);
        let mut old = answered_result("proven", &["old"]);
        old["files"][0]["version"] = json!("another");
        assert!(answer == old || answer == answered_result("proven", &["new"]), "{answer}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_question_that_somebody_else_cancels_is_asked_again() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            local items = { T.problem(0, 0, 1, "found") }
            T.serve("scripted", "python", {
              capabilities = { diagnosticProvider = {} },
              answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = items } } },
            })
            T.edit("a.py", "scripted")
            T.servers.scripted.held["textDocument/diagnostic"] = {}
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
            T.until_(function() return #T.servers.scripted.held["textDocument/diagnostic"] > 0 end)
            -- As Neovim does when it sends its own request.
            local client = T.client_of("scripted")
            for id in pairs(client.requests) do
              if vim.fn.has("nvim-0.11") == 1 then client:cancel_request(id) else client.cancel_request(id) end
            end
            T.servers.scripted:release("textDocument/diagnostic")"#,
        );
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["found"]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_published_version_is_a_proof_and_an_older_one_is_none() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            local server = T.serve("scripted", "python", {})
            T.edit("a.py", "scripted")
            local before = server:version("a.py")
            T.change({ "typed" }, "a.py", "scripted")
            T.begin("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
            server:publish("a.py", { T.problem(0, 0, 1, "old") }, before)
            server:publish("a.py", { T.problem(0, 0, 1, "new") }, server:version("a.py"))"#,
        );
        assert_eq!(wait_for_answer(&mut window), answered_result("proven", &["new"]));
        let later =
            window.lua(r#"return T.ask("diagnostics", { path = "a.py", version = T.version("a.py") })"#);
        assert_eq!(later, answered_result("proven", &["new"]), "without waiting");
        let script = r#"
            T.change({ "typed", "again" }, "a.py", "scripted")
            return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 50 })"#;
        assert_eq!(window.lua(script), answered_result("unknown", &["new"]), "the text has changed since");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_published_after_a_change_and_then_left_is_likely() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        T.change({ "typed" }, "a.py", "scripted")
        T.turn()
        server:publish("a.py", { T.problem(0, 0, 1, "without a version") })
        local likely = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
        T.change({ "typed", "again" }, "a.py", "scripted")
        return { likely, T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 50 }) }"#;
    check(
        script,
        json!([
            answered_result("likely", &["without a version"]),
            answered_result("unknown", &["without a version"])
        ]),
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_text_that_is_newer_than_the_one_asked_about_is_answered_for() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        local asked = T.version("a.py")
        T.change({ "typed" }, "a.py", "scripted")
        server:publish("a.py", { T.problem(0, 0, 1, "newer") }, server:version("a.py"))
        return T.ask("diagnostics", { path = "a.py", version = asked, wait = 60000 })"#;
    check(script, answered_result("proven", &["newer"]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_text_that_has_not_come_yet_is_not_proven() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        server:publish("a.py", { T.problem(0, 0, 1, "older") }, server:version("a.py"))
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py") + 1, wait = 100 })"#;
    check(script, answered_result("unknown", &["older"]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_comes_late_counts_in_its_own_numbers() {
    let script = r#"
        T.edit("a.py")
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })
        local server = T.serve("scripted", "late", {})
        vim.bo.filetype = "late"
        T.until_(function() return server:version("a.py") end)
        server:publish("a.py", { T.problem(0, 0, 1, "as opened") }, server:version("a.py"))
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })"#;
    check(script, answered_result("proven", &["as opened"]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_was_there_before_the_daemon_counts_in_its_own_numbers() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_disconnected(program);
        window.lua(
            r#"
            local server = T.serve("scripted", "python", {})
            vim.cmd.edit("a.py")
            T.until_(function() return server:version("a.py") end)
            T.old = server:version("a.py")
            vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })
            T.until_(function() return server:version("a.py") ~= T.old end)"#,
        );
        window.connect();
        let script = r#"
            local server = T.servers.scripted
            T.edit("a.py", "scripted")
            server:publish("a.py", { T.problem(0, 0, 1, "old") }, T.old)
            local old = T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 100 })
            server:publish("a.py", { T.problem(0, 0, 1, "present") }, server:version("a.py"))
            return { old, T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 }) }"#;
        assert_eq!(
            window.lua(script),
            json!([answered_result("unknown", &["old"]), answered_result("proven", &["present"])])
        );
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_is_read_again_can_be_proven_after_the_next_change() {
    let script = r#"
        local server = T.serve("scripted", "python", {})
        T.edit("a.py", "scripted")
        T.change({ "typed" }, "a.py", "scripted")
        vim.cmd("edit!")
        T.until_(function() return server:version("a.py") end)
        local function ask()
          return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })
        end
        -- Neovim gives the text a version that another text had.
        server:publish("a.py", { T.problem(0, 0, 1, "read again") }, server:version("a.py"))
        local read_again = ask()
        T.change({ "typed again" }, "a.py", "scripted")
        server:publish("a.py", { T.problem(0, 0, 1, "typed again") }, server:version("a.py"))
        return { read_again, ask() }"#;
    let likely = answered_result("likely", &["read again"]);
    check(script, json!([likely, answered_result("proven", &["typed again"])]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_gets_another_name_can_be_proven() {
    for change in ["", r#"T.change({ "typed" }, "a.py", "scripted")"#] {
        let script = format!(
            r#"
            local server = T.serve("scripted", "python", {{}})
            vim.fn.writefile({{ "one" }}, "old.py")
            T.edit("old.py", "scripted")
            vim.cmd("silent saveas! a.py")
            T.until_(function() return server:version("a.py") end)
            {change}
            server:publish("a.py", {{ T.problem(0, 0, 1, "said since") }}, server:version("a.py"))
            return T.ask("diagnostics", {{ path = "a.py", version = T.version("a.py"), wait = 5000 }})"#
        );
        check(&script, answered_result("proven", &["said since"]));
    }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_weakest_proof_of_several_servers_counts() {
    let script = r#"
        T.serve("asked", "python", {
          capabilities = { diagnosticProvider = {} },
          answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {
            T.problem(0, 0, 1, "both"), T.problem(0, 0, 1, "one"),
          } } } },
        })
        local other = T.serve("publishes", "python", {})
        T.edit("a.py", "asked")
        T.edit("a.py", "publishes")
        T.change({ "typed" }, "a.py", "publishes")
        T.turn()
        other:publish("a.py", { T.problem(0, 0, 1, "both"), T.problem(0, 0, 1, "two") })
        return T.ask("diagnostics", { path = "a.py", version = T.version("a.py"), wait = 60000 })"#;
    check(script, answered_result("likely", &["both", "one", "two"]));
}
