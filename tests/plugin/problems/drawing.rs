//! Drawing of problems below a call and in an ask, from metadata of every kind.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

/// The lines, and their highlights.
const DRAW: &str = r#"
    local metadata, is_proposed = ...
    local block = { lines = {}, marks = {} }
    local is_there = require("copydesk.chat.problems").add(block, metadata, is_proposed)
    local seen = { tostring(is_there) }
    for row, line in ipairs(block.lines) do
      seen[#seen + 1] = "|" .. line
      for _, mark in ipairs(block.marks) do
        if mark.row == row - 1 then
          seen[#seen + 1] = "    " .. mark.options.hl_group .. ": " .. line:sub(mark.col + 1, mark.options.end_col)
        end
      end
    end
    return table.concat(seen, "\n") .. "\n""#;

#[track_caller]
fn check(metadata: &Value, is_proposed: bool, expected: &Expect) {
    for_each_neovim(|program| {
        let drawn = MockDaemonNeovim::start(program, "utf-16").lua_with(DRAW, json!([metadata, is_proposed]));
        expected.assert_eq(drawn.as_str().unwrap());
    });
}

fn problem(severity: &str, code: Option<&str>, message: &str) -> Value {
    json!({ "path": "src/cart.rs", "line": 12, "column": 9, "severity": severity, "code": code, "message": message })
}

fn diagnostics_metadata(reports: Value, new: Value, unsure: Value) -> Value {
    json!({ "diagnostics": { "reports": reports, "new": new, "unsure": unsure, "fixed": 1, "remaining": 2 } })
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn problems_and_who_says_so() {
    let new =
        json!([problem("error", Some("E0308"), "mismatched\ntypes"), problem("warning", None, "not used")]);
    let reports = json!([
        { "source": "rust-analyzer", "proof": "proven" },
        { "source": "cargo check", "proof": "likely" },
        { "source": "clippy", "proof": "unknown", "why": "it runs for saved files only" },
    ]);
    check(
        &diagnostics_metadata(reports.clone(), new.clone(), json!([])),
        false,
        &expect![[r#"
        true
        |  src/cart.rs:12 error E0308 mismatched types
            DiagnosticError: error E0308
        |  src/cart.rs:12 warning not used
            DiagnosticWarn: warning
        |  rust-analyzer, proven; cargo check, likely: 2 new, 2 older, 1 fixed
            CopydeskDim:   rust-analyzer, proven; cargo check, likely: 2 new, 2 older, 1 fixed
        |  clippy: not known: it runs for saved files only
            CopydeskDim:   clippy: not known: it runs for saved files only
    "#]],
    );
    check(
        &diagnostics_metadata(reports, new, json!([])),
        true,
        &expect![[r#"
        true
        |  src/cart.rs:12 error E0308 mismatched types
            DiagnosticError: error E0308
        |  src/cart.rs:12 warning not used
            DiagnosticWarn: warning
        |  rust-analyzer, proven; cargo check, likely: 2 new if this is made, 2 older, 1 fixed
            CopydeskDim:   rust-analyzer, proven; cargo check, likely: 2 new if this is made, 2 older, 1 fixed
        |  clippy: not known: it runs for saved files only
            CopydeskDim:   clippy: not known: it runs for saved files only
    "#]],
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_handful_and_how_many_more() {
    let unsure = json!(vec![problem("information", None, "x"); 7]);
    let reports = json!([{ "source": "rust-analyzer", "proof": "proven" }]);
    check(
        &diagnostics_metadata(reports, json!([]), unsure),
        false,
        &expect![[r#"
        true
        |  src/cart.rs:12 information x
            DiagnosticInfo: information
        |  src/cart.rs:12 information x
            DiagnosticInfo: information
        |  src/cart.rs:12 information x
            DiagnosticInfo: information
        |  src/cart.rs:12 information x
            DiagnosticInfo: information
        |  src/cart.rs:12 information x
            DiagnosticInfo: information
        |  … and 2 more
            CopydeskDim:   … and 2 more
        |  rust-analyzer, proven: 7 found, which of them are new is not known, 2 older, 1 fixed
            CopydeskDim:   rust-analyzer, proven: 7 found, which of them are new is not known, 2 older, 1 fixed
    "#]],
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_not_known_is_not_clean() {
    let reports = json!([{ "source": "rust-analyzer", "proof": "unknown", "why": "still indexing (40 %)" }]);
    let mut told = diagnostics_metadata(reports, json!([]), json!([]));
    told["diagnostics"]["remaining"] = json!(0);
    check(
        &told,
        false,
        &expect![[r#"
        true
        |  rust-analyzer: not known: still indexing (40 %)
            CopydeskDim:   rust-analyzer: not known: still indexing (40 %)
    "#]],
    );
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn whatever_stands_there() {
    for odd in [json!(7), json!({}), json!({ "diagnostics": null }), json!({ "diagnostics": "none" })] {
        for_each_neovim(|program| {
            let drawn = MockDaemonNeovim::start(program, "utf-16").lua_with(DRAW, json!([odd, false]));
            assert_eq!(drawn, "false\n", "{odd}");
        });
    }
    let odd = json!({ "diagnostics": {
        "reports": [7, {}, { "source": null, "proof": 3 }],
        "new": [null, 3, { "path": 7 }, { "path": "a", "line": "x", "column": -4, "severity": [], "message": {} }],
        "unsure": "many", "fixed": -1, "remaining": "two",
    } });
    check(
        &odd,
        false,
        &expect![[r#"
        true
        |  a:1 error 
            DiagnosticError: error
        |  : not known
            CopydeskDim:   : not known
    "#]],
    );
}
