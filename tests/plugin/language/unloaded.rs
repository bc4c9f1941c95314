//! Files that are not open: loaded for a while, invisible, and harmless.

use serde_json::json;

use super::{check, start_connected, wait_for_answer};
use crate::neovim::neovim_session::for_each_neovim;

/// A server that publishes a file's first line as soon as it gets the text.
const ECHO: &str = r#"
    T.serve("scripted", "python", {})
    local notify = getmetatable(T.servers.scripted).notify
    T.servers.scripted.notify = function(self, method, params)
      local went, document = notify(self, method, params), params and params.textDocument
      local text = document and document.version and self.texts[document.uri]
      if text then
        vim.schedule(function()
          local items = { T.problem(0, 0, 1, vim.split(text, "\n")[1]) }
          self:publish(vim.uri_to_fname(document.uri), items, document.version)
        end)
      end
      return went
    end
    function T.first_line(path)
      local answer = T.ask("diagnostics", { path = path, wait = 60000 })
      return answer.state == "answered" and answer.files[1].items[1].message or answer.state
    end
"#;

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_nobody_has_open_is_asked_about() {
    let script = format!(
        r#"{ECHO}
        local before = vim.api.nvim_list_wins()
        local answer = T.ask("diagnostics", {{ path = "a.py", wait = 60000 }})
        local buffer = vim.fn.bufnr("a.py")
        local is_hidden = not vim.bo[buffer].buflisted and #vim.fn.win_findbuf(buffer) == 0
        return {{ answer, is_hidden, vim.deep_equal(before, vim.api.nvim_list_wins()) }}"#
    );
    let item = json!({ "range": "0:0-0:1", "severity": "error", "message": "one" });
    let file = json!({ "uri": "a.py", "proof": "proven", "items": [item] });
    check(&script, json!([{ "state": "answered", "files": [file] }, true, true]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_kind_of_file_without_a_server_is_said_to_be_without_one() {
    let script = r#"
        local gone = T.ask("diagnostics", { path = "none.py", wait = 600000 })
        local folder = T.ask("diagnostics", { path = ".", wait = 600000 })
        local other = T.ask("diagnostics", { uri = "zip:///x", wait = 600000 })
        return { T.ask("diagnostics", { path = "a.py", wait = 600000 }), gone, folder, other }"#;
    let unsupported = json!({ "state": "unsupported" });
    check(script, json!([unsupported, unsupported, unsupported, unsupported]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn visited_files_go_away_again() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_connected(program);
        for name in ["b.py", "c.py", "d.py", "e.py"] {
            scripted.env.write(name, format!("{name}\n"));
        }
        window.lua(ECHO);
        let script = r#"
            local visit = require("copydesk.visit")
            visit.most = 2
            vim.cmd("badd e.py")
            local seen = {}
            for _, name in ipairs({ "a.py", "b.py", "c.py", "d.py", "e.py" }) do
              table.insert(seen, T.first_line(name))
            end
            local function left()
              return vim.tbl_filter(function(name) return vim.fn.bufloaded(name) == 1 end,
                { "a.py", "b.py", "c.py", "d.py", "e.py" })
            end
            T.until_(function() return vim.deep_equal(left(), { "d.py", "e.py" }) end)
            require("copydesk.time_limits").hidden_buffer_idle = 0
            T.first_line("d.py")
            T.until_(function() return #left() == 0 end)
            return { seen, vim.fn.bufexists("d.py"), vim.fn.buflisted("e.py") }"#;
        let expected = json!([["one", "b.py", "c.py", "d.py", "e.py"], 0, 1]);
        assert_eq!(window.lua(script), expected);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_visited_file_goes_away_if_its_check_is_cancelled() {
    let script = r#"
        local held = { "textDocument/diagnostic" }
        local server = T.serve("scripted", "python", { capabilities = { diagnosticProvider = {} }, held = held })
        require("copydesk.time_limits").hidden_buffer_idle = 0
        local client, params = require("copydesk.client").get(), { uri = T.uri("a.py"), wait = 600000 }
        local cancel = require("copydesk.server").request(client, "copydesk/diagnostics", params, nil, function() end)
        T.until_(function() return #server.held["textDocument/diagnostic"] > 0 end)
        local was_loaded = vim.fn.bufloaded("a.py")
        cancel()
        T.until_(function() return vim.fn.bufloaded("a.py") == 0 end)
        return was_loaded"#;
    check(script, json!(1));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_was_changed_on_the_disk_is_read_again() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_connected(program);
        window.lua(ECHO);
        assert_eq!(window.lua(r#"return T.first_line("a.py")"#), "one");
        scripted.env.write("a.py", "changed since\n");
        assert_eq!(window.lua(r#"return T.first_line("a.py")"#), "changed since");
        std::fs::remove_file(scripted.env.path("a.py")).unwrap();
        assert_eq!(window.lua(r#"return T.first_line("a.py")"#), "unsupported");
    });
}

/// A check that the daemon has cancelled may still end in the plugin, without a result.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_cancelled_check_ends_no_other_ones_use_of_a_file() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            T.serve("slow", "python", { held = { "initialize" } })
            require("copydesk.time_limits").hidden_buffer_idle = 0
            function T.done() require("copydesk.diagnostics").done({ uri = T.uri("a.py") }) end
            assert(T.ask("servers", { path = "a.py", wait = 1 }).state == "starting")
            T.begin("servers", { path = "a.py", wait = 600000 })
            T.done()
            T.servers.slow:die()"#,
        );
        assert_eq!(wait_for_answer(&mut window)["state"], "unsupported");
        assert_eq!(window.lua(r#"return vim.fn.bufloaded("a.py")"#), 1);
        window.lua("T.done()");
        window.wait_until(r#"vim.fn.bufloaded("a.py") == 0"#);
    });
}

/// Neovim opens such a file under a version that it has used before, for another text.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_is_read_again_gets_a_version_of_its_own() {
    for (sync, first_change) in [(1, json!("again\nline\n")), (2, json!(""))] {
        for_each_neovim(|program| {
            let (_env, mut window) = start_connected(program);
            let script = r#"
                local sent = {}
                local server = T.serve("scripted", "python", {
                  sync = ..., capabilities = { diagnosticProvider = {} },
                  answers = { ["textDocument/diagnostic"] = { result = { kind = "full", items = {} } } },
                })
                local notify = server.notify
                server.notify = function(self, method, params)
                  if method:find("did[OC]") then table.insert(sent, { method, params }) end
                  return notify(self, method, params)
                end
                local function check() return T.ask("diagnostics", { path = "a.py", wait = 60000 }).files[1].proof end
                -- The last change since the last opening, if its version is above all before.
                local function last_change()
                  T.until_(function() return sent[#sent][1] == "textDocument/didChange" end)
                  local greatest = 0
                  for number = 1, #sent - 1 do
                    greatest = math.max(greatest, sent[number][2].textDocument.version or 0)
                  end
                  local change = sent[#sent][2]
                  assert(sent[#sent - 1][1] == "textDocument/didOpen")
                  assert(change.textDocument.version > greatest, vim.inspect(sent))
                  return change.contentChanges[1]
                end
                local seen = { check(), #sent }
                vim.fn.writefile({ "again", "line" }, "a.py")
                seen[3] = check()
                seen[4] = last_change().text
                for number = 5, 7 do
                  vim.api.nvim_buf_delete(vim.fn.bufnr("a.py"), { force = true })
                  check()
                  seen[number] = last_change().text == seen[4]
                end
                local buffer = vim.fn.bufnr("a.py")
                local is_changed = vim.bo[buffer].modified or #vim.fn.undotree(buffer).entries > 0
                return { seen, is_changed, vim.api.nvim_buf_get_lines(buffer, 0, -1, false) }"#;
            let seen = window.nvim.lua(script, json!([sync]));
            let expected = json!(["proven", 1, "proven", first_change, true, true, true]);
            assert_eq!(seen, json!([expected, false, ["again", "line"]]));
        });
    }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_swap_file_of_another_neovim_asks_nothing() {
    let script = format!(
        r#"{ECHO}
        local crash = "lua vim.uv.kill(vim.uv.os_getpid(), 'sigkill')"
        local other = {{ vim.v.progpath, "--headless", "--clean", "-c", "set directory=. swapfile", "-c", "edit a.py" }}
        vim.list_extend(other, {{ "-c", "normal ox", "-c", "preserve", "-c", crash }})
        T.await(function(done) vim.system(other, {{}}, done) end)
        vim.o.directory, vim.o.swapfile, vim.o.shortmess = ".", true, ""
        local seen = {{ #vim.fn.glob(".a.py.sw*", true, true), T.first_line("a.py") }}
        return {{ seen, vim.v.errmsg }}"#
    );
    check(&script, json!([[1, "one"], ""]));
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_sets_nothing_before_a_user_goes_to_it() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_connected(program);
        scripted.env.write("hostile.py", "text\n# vim: set textwidth=33 :\n");
        window.lua(ECHO);
        let script = r#"
            vim.o.modeline, vim.go.modeline, vim.o.swapfile, vim.o.directory = true, true, true, "."
            T.first_line("hostile.py")
            local buffer = vim.fn.bufnr("hostile.py")
            local hidden = { vim.bo[buffer].textwidth, vim.bo[buffer].swapfile }
            vim.cmd.edit("hostile.py")
            local seen = { vim.bo[buffer].textwidth, vim.bo[buffer].swapfile, vim.bo[buffer].buflisted }
            vim.cmd.enew()
            require("copydesk.time_limits").hidden_buffer_idle = 0
            T.first_line("a.py")
            T.until_(function() return vim.fn.bufloaded("a.py") == 0 end)
            return { hidden, seen, vim.fn.bufloaded("hostile.py") }"#;
        assert_eq!(window.lua(script), json!([[0, false], [33, true, true], 1]));
    });
}

/// The server was not sent their text: whatever it publishes is not proven.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_published_of_a_buffer_without_the_server_is_no_proof() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_connected(program);
        scripted.env.write("closed.py", "four\n");
        scripted.env.write("other.txt", "five\n");
        let script = r#"
            local server = T.serve("scripted", "python", {})
            T.edit("a.py", "scripted")
            vim.cmd("edit other.txt")
            server:publish("closed.py", { T.problem(0, 0, 1, "closed") }, 1)
            server:publish("other.txt", { T.problem(0, 0, 1, "other") }, vim.b.changedtick)
            T.turn()
            local answers = { T.ask("diagnostics", {}), T.ask("diagnostics", { wait = 2000 }) }
            local proofs = {}
            for number, answer in ipairs(answers) do
              for _, file in ipairs(answer.files) do
                if file.uri ~= "a.py" then
                  table.insert(proofs, { number, file.uri, file.proof })
                end
              end
            end
            return proofs"#;
        let unproven = |number: u32, uri: &str| json!([number, uri, "unknown"]);
        let expected = [(1, "closed.py"), (1, "other.txt"), (2, "closed.py"), (2, "other.txt")];
        let expected: Vec<_> = expected.into_iter().map(|(number, uri)| unproven(number, uri)).collect();
        assert_eq!(window.lua(script), json!(expected));
    });
}
