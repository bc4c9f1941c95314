//! Definitions, references, symbols, calls and hovers, in every form that servers use.

use serde_json::{Value, json};

use super::{check, start_connected, wait_for_answer, wait_for_server_request};
use crate::neovim::neovim_session::for_each_neovim;

/// Asks about the first character of `a.py`, of a server with these responses.
fn script(capabilities: &str, answers: &str, rest: &str) -> String {
    format!(
        r#"
        local function range(line, first, last)
          return {{ start = {{ line = line, character = first }}, ["end"] = {{ line = line, character = last }} }}
        end
        for _, name in ipairs({{ "a.py", "b.py" }}) do
          vim.fn.writefile(vim.split(("a line of text\n"):rep(9), "\n"), name)
        end
        local here, there = T.uri("a.py"), T.uri("b.py")
        T.serve("scripted", "python", {{ capabilities = {{ {capabilities} }}, answers = {{ {answers} }} }})
        T.edit("a.py", "scripted")
        local function ask(kind, more)
          local params = {{ kind = kind, path = "a.py", position = {{ line = 0, character = 0 }}, wait = 60000 }}
          return T.ask("navigate", vim.tbl_extend("force", params, more or {{}}))
        end
        {rest}"#
    )
}

fn locations(list: &Value) -> Value {
    json!({ "state": "answered", "server": "scripted", "locations": list })
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn places_come_in_three_shapes() {
    let capabilities = "definitionProvider = true, declarationProvider = true, typeDefinitionProvider = true,
        implementationProvider = true, referencesProvider = true";
    let answers = r#"
        ["textDocument/definition"] = { result = { uri = here, range = range(1, 0, 3) } },
        ["textDocument/declaration"] = { result = {
          { uri = there, range = range(2, 0, 1) }, { uri = there, range = range(2, 0, 1) },
        } },
        ["textDocument/typeDefinition"] = { result = {
          { targetUri = there, targetRange = range(3, 0, 9), targetSelectionRange = range(3, 4, 5) },
        } },
        ["textDocument/implementation"] = { result = {} },
        ["textDocument/references"] = function(params)
          return { result = { { uri = here, range = range(params.context.includeDeclaration and 4 or 5, 0, 1) } } }
        end"#;
    let rest = r#"
        local kinds = { "definition", "declaration", "typeDefinition", "implementation", "references" }
        return vim.tbl_map(ask, kinds)"#;
    let expected = json!([
        locations(&json!([{ "uri": "a.py", "range": "1:0-1:3" }])),
        locations(&json!([{ "uri": "b.py", "range": "2:0-2:1" }])),
        locations(&json!([{ "uri": "b.py", "range": "3:4-3:5" }])),
        { "state": "answered" },
        locations(&json!([{ "uri": "a.py", "range": "4:0-4:1" }])),
    ]);
    check(&script(capabilities, answers, rest), expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn one_server_is_enough_for_a_definition_and_all_count_for_references() {
    let capabilities = "definitionProvider = true, referencesProvider = true, hoverProvider = true";
    let answers = r#"
        ["textDocument/definition"] = { result = {} },
        ["textDocument/references"] = { result = { { uri = here, range = range(0, 0, 1) } } },
        ["textDocument/hover"] = { result = { contents = {} } }"#;
    let rest = r#"
        local both = { { uri = here, range = range(0, 0, 1) }, { uri = there, range = range(1, 0, 1) } }
        T.serve("other", "python", {
          capabilities = { definitionProvider = true, referencesProvider = true, hoverProvider = true },
          answers = {
            ["textDocument/definition"] = { result = { both[2] } },
            ["textDocument/references"] = { result = both },
            ["textDocument/hover"] = { result = { contents = "words" } },
          },
        })
        vim.cmd("doautocmd FileType")
        T.edit("a.py", "other")
        return { ask("definition"), ask("references"), ask("hover") }"#;
    let expected = json!([
        { "state": "answered", "server": "other", "locations": [{ "uri": "b.py", "range": "1:0-1:1" }] },
        {
            "state": "answered",
            "server": "scripted, other",
            "locations": [{ "uri": "a.py", "range": "0:0-0:1" }, { "uri": "b.py", "range": "1:0-1:1" }],
        },
        { "state": "answered", "server": "other", "text": "words" },
    ]);
    check(&script(capabilities, answers, rest), expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_hover_is_markdown_whatever_its_shape() {
    let answers = r#"["textDocument/hover"] = function() return { result = { contents = T.contents } } end"#;
    let rest = r#"
        local shapes = {
          { kind = "markdown", value = "*marked*" },
          { kind = "plaintext", value = "a ``` b" },
          "**string**",
          { language = "rust", value = "fn a()" },
          { { language = "rust", value = "fn a()" }, "", "words" },
          {},
        }
        return vim.tbl_map(function(shape)
          T.contents = shape
          return ask("hover").text or "nothing"
        end, shapes)"#;
    let expected = json!([
        "*marked*",
        "````\na ``` b\n````",
        "**string**",
        "```rust\nfn a()\n```",
        "```rust\nfn a()\n```\n\nwords",
        "nothing",
    ]);
    check(&script("hoverProvider = true", answers, rest), expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn symbols_of_a_document_are_told_in_its_order() {
    let answers = r#"["textDocument/documentSymbol"] = function() return { result = T.symbols } end"#;
    let rest = r#"
        local method = { name = "run", kind = 6, range = range(2, 2, 9), selectionRange = range(2, 2, 5), detail = "()" }
        local class = { name = "Desk", kind = 5, range = range(1, 0, 9), selectionRange = range(1, 0, 1) }
        class.children = { method, { name = "id", kind = 8, range = range(1, 3, 5), selectionRange = range(1, 3, 4) } }
        T.symbols = { class, { name = "first", kind = 12, range = range(0, 0, 9), selectionRange = range(0, 0, 1) } }
        local nested = ask("documentSymbols")
        T.symbols = {
          { name = "late", kind = 26, location = { uri = here, range = range(3, 0, 1) }, containerName = "Desk" },
          { name = "early", kind = 99, location = { uri = here, range = range(1, 0, 1) } },
        }
        return { nested, ask("documentSymbols") }"#;
    let symbol = |name: &str, kind: &str, range: &str, depth: u32| json!({ "name": name, "kind": kind, "uri": "a.py", "range": range, "depth": depth });
    let mut id = symbol("id", "field", "1:3-1:5", 1);
    id["container"] = json!("Desk");
    let mut run = symbol("run", "method", "2:2-2:9", 1);
    run["container"] = json!("Desk");
    run["detail"] = json!("()");
    let expected = json!([
        {
            "state": "answered",
            "server": "scripted",
            "symbols": [symbol("first", "function", "0:0-0:9", 0), symbol("Desk", "class", "1:0-1:9", 0), id, run],
        },
        {
            "state": "answered",
            "server": "scripted",
            "symbols": [
                { "name": "early", "uri": "a.py", "range": "1:0-1:1" },
                {
                    "name": "late", "kind": "typeParameter", "container": "Desk", "uri": "a.py", "range": "3:0-3:1",
                },
            ],
        },
    ]);
    check(&script("documentSymbolProvider = true", answers, rest), expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn symbols_of_the_workspace_need_no_document() {
    let answers = r#"["workspace/symbol"] = function(params)
        return { result = {
          { name = params.query, kind = 23, location = { uri = there, range = range(0, 0, 4) }, containerName = "desk" },
          { name = "placeless", kind = 23, location = { uri = there } },
        } }
      end"#;
    let rest = r#"return T.ask("navigate", { kind = "workspaceSymbols", query = "Desk", wait = 60000 })"#;
    let expected = json!({
        "state": "answered",
        "server": "scripted",
        "symbols": [
            { "name": "Desk", "kind": "struct", "container": "desk", "uri": "b.py", "range": "0:0-0:4" },
            { "name": "placeless", "kind": "struct", "uri": "b.py", "range": "0:0-0:0" },
        ],
    });
    check(&script("workspaceSymbolProvider = true", answers, rest), expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn calls_are_followed_to_their_other_ends() {
    let answers = r#"
        ["textDocument/prepareCallHierarchy"] = { result = {
          { name = "own", kind = 12, uri = here, range = range(0, 0, 1), selectionRange = range(0, 0, 1), data = "mark" },
        } },
        ["callHierarchy/incomingCalls"] = function(params)
          local caller = { name = params.item.data, kind = 12, uri = there, range = range(5, 0, 9) }
          return { result = { { from = caller, fromRanges = { range(6, 2, 5), range(7, 2, 5) } } } }
        end,
        ["callHierarchy/outgoingCalls"] = { result = {
          { to = { name = "callee", kind = 6, detail = "b", uri = there, range = range(1, 0, 9) }, fromRanges = {} },
        } }"#;
    let rest = r#"return { ask("incomingCalls"), ask("outgoingCalls") }"#;
    let caller = json!({
        "name": "mark", "kind": "function", "uri": "b.py", "range": "5:0-5:9", "calls": ["6:2-6:5", "7:2-7:5"],
    });
    let callee =
        json!({ "name": "callee", "kind": "method", "detail": "b", "uri": "b.py", "range": "1:0-1:9" });
    let expected = json!([
        { "state": "answered", "server": "scripted", "symbols": [caller] },
        { "state": "answered", "server": "scripted", "symbols": [callee] },
    ]);
    check(&script("callHierarchyProvider = true", answers, rest), expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn places_are_told_in_the_daemons_encoding_in_files_that_nobody_has_open_too() {
    for_each_neovim(|program| {
        let (scripted, mut window) = start_connected(program);
        scripted.env.write("b.py", "é𝄞word\r\n");
        scripted.env.write("a.py", "é𝄞word\n");
        let script = r#"
            local asked
            T.serve("scripted", "python", {
              encoding = "utf-32",
              capabilities = { definitionProvider = true },
              answers = { ["textDocument/definition"] = function(params)
                asked = params.position.character
                local range = { start = { line = 0, character = 2 }, ["end"] = { line = 0, character = 99 } }
                return { result = { { uri = T.uri("b.py"), range = range } } }
              end },
            })
            T.edit("a.py", "scripted")
            local encoding = require("copydesk.client").get().offset_encoding
            local position = { line = 0, character = encoding == "utf-8" and 6 or 3 }
            local answer = T.ask("navigate", { kind = "definition", path = "a.py", position = position })
            return { asked, answer.locations[1].range, encoding }"#;
        let seen = window.lua(script);
        let range = if seen[2] == "utf-8" { "0:6-0:10" } else { "0:3-0:7" };
        assert_eq!((&seen[0], &seen[1]), (&json!(2), &json!(range)));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_not_answered_in_time_is_cancelled() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        let script = r#"
            local held = { "textDocument/definition" }
            T.serve("scripted", "python", { capabilities = { definitionProvider = true }, held = held })
            T.edit("a.py", "scripted")
            local position = { line = 0, character = 0 }
            return T.ask("navigate", { kind = "definition", path = "a.py", position = position, wait = 50 })"#;
        assert_eq!(window.lua(script), json!({ "state": "cancelled" }));
        window.nvim.wait_for_message("server", |told| told["method"] == "$/cancelRequest");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_fails_cannot_say_and_one_that_was_overtaken_is_asked_again() {
    let answers = r#"
        ["textDocument/hover"] = { problem = { code = -32603, message = "broken" } },
        ["textDocument/definition"] = function()
          T.count = (T.count or 0) + 1
          if T.count < 3 then return { problem = { code = -32801, message = "content modified" } } end
          return { result = { uri = here, range = range(0, 0, 1) } }
        end"#;
    let rest = r#"
        return { ask("hover"), ask("definition"), T.count, ask("references"), ask("nonsense"),
          T.ask("navigate", { kind = "hover", path = "a.py" }), T.ask("navigate", { kind = "documentSymbols" }) }"#;
    let unsupported = json!({ "state": "unsupported" });
    let found = locations(&json!([{ "uri": "a.py", "range": "0:0-0:1" }]));
    let expected = json!([unsupported, found, 3, unsupported, unsupported, unsupported, unsupported]);
    check(&script("hoverProvider = true, definitionProvider = true", answers, rest), expected);
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_is_not_ready_is_waited_for() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        let script = r#"
            T.serve("slow", "python", {
              capabilities = { definitionProvider = true },
              held = { "initialize" },
              answers = { ["textDocument/definition"] = function() return { result = T.result } end },
            })
            T.edit("a.py")
            local params = { kind = "definition", path = "a.py", position = { line = 0, character = 0 } }
            local function ask(wait) return T.ask("navigate", vim.tbl_extend("force", params, { wait = wait })) end
            local before = ask(50)
            T.servers.slow:release("initialize")
            T.until_(function() return T.servers.slow:version("a.py") end)
            T.servers.slow:progress("begin", "Loading workspace")
            local loading = ask(100)
            T.begin("navigate", vim.tbl_extend("force", params, { wait = 60000 }))
            return { before, loading }"#;
        assert_eq!(window.lua(script), json!([{ "state": "starting" }, { "state": "starting" }]));
        wait_for_server_request(&mut window, "textDocument/definition");
        window.lua(
            r#"
            local place = { line = 0, character = 0 }
            T.result = { uri = T.uri("a.py"), range = { start = place, ["end"] = place } }
            T.servers.slow:progress("end")"#,
        );
        assert_eq!(wait_for_answer(&mut window)["locations"], json!([{ "uri": "a.py", "range": "0:0-0:0" }]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_server_that_dies_while_it_is_asked_cannot_say() {
    for_each_neovim(|program| {
        let (_env, mut window) = start_connected(program);
        window.lua(
            r#"
            local held = { "textDocument/definition" }
            T.serve("scripted", "python", { capabilities = { definitionProvider = true }, held = held })
            local place = { line = 0, character = 0 }
            T.begin("navigate", { kind = "definition", path = "a.py", position = place, wait = 600000 })"#,
        );
        wait_for_server_request(&mut window, "textDocument/definition");
        window.lua("T.servers.scripted:die()");
        assert_eq!(wait_for_answer(&mut window), json!({ "state": "unsupported" }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_buffer_that_is_wiped_meanwhile_cannot_be_spoken_of() {
    for_each_neovim(|program| {
        for method in ["textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls"] {
            let (_env, mut window) = start_connected(program);
            window.nvim.lua(
                r#"
                local item = { name = "own", kind = 12, uri = T.uri("a.py"), range = T.problem(0, 0, 1, "").range }
                T.serve("scripted", "python", {
                  capabilities = { callHierarchyProvider = true },
                  answers = { ["textDocument/prepareCallHierarchy"] = { result = { item } } },
                  held = { ... },
                })
                T.edit("a.py", "scripted")
                local position = { line = 0, character = 0 }
                T.begin("navigate", { kind = "incomingCalls", path = "a.py", position = position, wait = 60000 })"#,
                json!([method]),
            );
            wait_for_server_request(&mut window, method);
            window.command("bwipeout!");
            window.nvim.lua("T.servers.scripted:release(...)", json!([method]));
            let answer = wait_for_answer(&mut window);
            assert!(answer["state"] == "cancelled" || answer["state"] == "answered", "{method}: {answer}");
            assert_eq!(window.lua("return T.said"), json!([]), "{method}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn nonsense_of_a_server_is_passed_over() {
    let answers = r#"
        ["textDocument/documentSymbol"] = { result = { 7, vim.NIL, { name = "a", range = { start = 5 } } } },
        ["textDocument/prepareCallHierarchy"] = { result = { 7, vim.NIL, "x" } },
        ["textDocument/references"] = { result = { 7, vim.NIL, { uri = 7 }, { uri = there, range = 7 } } }"#;
    let capabilities =
        "documentSymbolProvider = true, callHierarchyProvider = true, referencesProvider = true";
    let rest = r#"return { ask("documentSymbols"), ask("incomingCalls"), ask("references"), T.said }"#;
    let symbol = json!({ "name": "a", "depth": 0, "uri": "a.py", "range": "0:0-0:0" });
    let expected = json!([
        { "state": "answered", "server": "scripted", "symbols": [symbol] },
        { "state": "unsupported" },
        locations(&json!([{ "uri": "b.py", "range": "0:0-0:0" }])),
        [],
    ]);
    check(&script(capabilities, answers, rest), expected);
}
