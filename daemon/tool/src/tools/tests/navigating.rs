//! `lsp` without a language server: places are found by name, and syntax trees answer.

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{check_on, fixture};

const SHAPES: &str = "\
/// A tile.
///
/// Not a rectangle.
pub struct Tile {
    side: u32,
}

impl Tile {
    /// How large it is.
    pub fn area(&self) -> u32 {
        self.side * self.side // area
    }
}

pub struct Disc;

impl Disc {
    pub fn area(&self) -> u32 {
        3
    }
}
";

const REPORT: &str = "\
use crate::shapes::{Disc, Tile};

pub fn report(tile: &Tile) -> String {
    let text = format!(\"area {}\", tile.area());
    helper(&text)
}

fn helper(text: &str) -> String {
    text.to_owned()
}
";

fn lsp(arguments: Value) -> (&'static str, Value) {
    ("lsp", arguments)
}

#[tokio::test]
async fn a_place_is_named_in_many_ways() {
    let fixture = fixture(&[("src/shapes.rs", SHAPES), ("src/report.rs", REPORT)]);
    let definition = |place: Value| {
        let mut arguments = place;
        arguments["operation"] = json!("goToDefinition");
        lsp(arguments)
    };
    let calls = [
        definition(json!({ "symbol": "Tile" })),
        definition(json!({ "symbol": "Tile.area" })),
        definition(json!({ "symbol": "Tile::area()", "body": true })),
        // As OpenCode's tool has it, one column off.
        definition(json!({ "filePath": "src/report.rs", "line": 5, "character": 4 })),
        definition(json!({ "filePath": "src/report.rs", "line": 5, "character": 99 })),
        // A line off.
        definition(json!({ "filePath": "src/report.rs", "line": 4, "symbol": "helper" })),
        definition(json!({ "filePath": "src/report.rs", "symbol": "helper(&text)" })),
    ];
    check_on(
        &fixture,
        &calls,
        expect![[r#"
        lsp
        ? lsp: Tile (always: *)
        No language server serves src/shapes.rs.
        1 definition (by syntax, likely):
        src/shapes.rs:4 struct
            pub struct Tile
            A tile.
        lsp
        ? lsp: Tile.area (always: *)
        No language server serves src/shapes.rs.
        1 definition (by syntax, likely):
        src/shapes.rs:10 method in Tile
            pub fn area(&self) -> u32
            How large it is.
        lsp
        ? lsp: Tile::area() (always: *)
        No language server serves src/shapes.rs.
        1 definition (by syntax, likely):
        src/shapes.rs:10 method in Tile
            /// How large it is.
            pub fn area(&self) -> u32 {
                self.side * self.side // area
            }
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        There is no name at 5:4; `helper` in the same line was taken.
        No language server serves src/report.rs.
        1 definition (by syntax, likely):
        src/report.rs:8 function
            fn helper(text: &str) -> String
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        There is no name at 5:99; `text` in the same line was taken.
        No language server serves src/report.rs.
        No definitions (by syntax, likely).
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        Line 4 has no `helper`; line 5 does.
        No language server serves src/report.rs.
        1 definition (by syntax, likely):
        src/report.rs:8 function
            fn helper(text: &str) -> String
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        No language server serves src/report.rs.
        1 definition (by syntax, likely):
        src/report.rs:8 function
            fn helper(text: &str) -> String
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_place_that_is_not_clear_is_said() {
    let fixture = fixture(&[("src/shapes.rs", SHAPES), ("src/report.rs", REPORT), ("a.bin", "\0")]);
    let calls = [
        lsp(json!({ "operation": "goToDefinition", "symbol": "area" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "tile" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "nothing" })),
        lsp(json!({ "operation": "goToDefinition", "filePath": "src/shapes.rs", "symbol": "Tiel" })),
        lsp(json!({ "operation": "hover", "filePath": "src/report.rs", "line": 400, "character": 1 })),
        lsp(json!({ "operation": "hover", "filePath": "src/report.rs", "line": 2, "character": 1 })),
        lsp(json!({ "operation": "hover", "filePath": "src/report.rs", "line": 4 })),
        lsp(json!({ "operation": "hover", "filePath": "src/report.rs" })),
        lsp(json!({ "operation": "hover" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "()" })),
        lsp(json!({ "operation": "outgoingCalls", "symbol": "report" })),
        lsp(json!({ "operation": "documentSymbol", "filePath": "none.rs" })),
        lsp(json!({ "operation": "documentSymbol" })),
        lsp(json!({ "operation": "renameEverything" })),
    ];
    check_on(&fixture, &calls, expect![[r#"
        lsp
        ? lsp: area (always: *)
        ! Target
        `area` is defined 2 times. Name one by filePath and line, or by more of its path (`Type.method`):
          src/shapes.rs:10 pub fn area(&self) -> u32
          src/shapes.rs:18 pub fn area(&self) -> u32
        lsp
        ? lsp: tile (always: *)
        ! Target
        No file of the workspace defines `tile`. Did you mean `Tile`?
        lsp
        ? lsp: nothing (always: *)
        ! Target
        No file of the workspace defines `nothing`.
        lsp
        ? lsp: src/shapes.rs (always: src/shapes.rs)
        ! Target
        src/shapes.rs has no `Tiel`. Did you mean `Tile`, `Tile.area`, `Tile.side`?
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        ! Target
        src/report.rs has no line 400; it has 10.
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        ! Target
        Line 2 of src/report.rs has no name in it.
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        ! Target
        Say which name in line 4 of src/report.rs, in `symbol` or by `character`: let, text, format, area, tile, area.
        lsp
        ? lsp: src/report.rs (always: src/report.rs)
        ! Target
        Say which symbol of the file: its name in `symbol`, or `line` and `character`.
        lsp
        ? lsp: * (always: *)
        ! Target
        Say what to look for: a symbol, or filePath with line and character.
        lsp
        ? lsp: () (always: *)
        ! Target
        `()` is no name of a symbol.
        lsp
        ? lsp: report (always: *)
        ! Target
        No language server serves src/report.rs. Syntax alone does not tell this; findReferences and goToDefinition of `report` do not need a server.
        lsp
        ? lsp: none.rs (always: none.rs)
        ! Target
        `none.rs` does not exist. Look for it with `glob`, or list its folder.
        lsp
        ? lsp: * (always: *)
        ! Target
        Name the file in filePath.
        lsp
        ! Arguments
        The arguments of `lsp` do not fit: `operation`: unknown variant `renameEverything`, expected one of `goToDefinition`, `goToDeclaration`, `goToTypeDefinition`, `goToImplementation`, `findReferences`, `hover`, `documentSymbol`, `workspaceSymbol`, `prepareCallHierarchy`, `incomingCalls`, `outgoingCalls`, `supertypes`, `subtypes`, `diagnostics`. It takes: operation (value), filePath (string, optional), line (integer, optional), character (integer, optional), symbol (string, optional), depth (integer, optional), body (boolean, optional), offset (integer, optional). Make the call again.
    "#]]).await;
}

#[tokio::test]
async fn uses_callers_and_outlines_are_found_by_syntax() {
    let fixture = fixture(&[("src/shapes.rs", SHAPES), ("src/report.rs", REPORT)]);
    let calls = [
        lsp(json!({ "operation": "findReferences", "symbol": "Tile" })),
        lsp(
            json!({ "operation": "findReferences", "filePath": "src/shapes.rs", "line": 10, "symbol": "area" }),
        ),
        lsp(json!({ "operation": "incomingCalls", "symbol": "helper" })),
        lsp(json!({ "operation": "documentSymbol", "filePath": "src/shapes.rs" })),
        lsp(json!({ "operation": "workspaceSymbol", "query": "area" })),
        lsp(json!({ "operation": "workspaceSymbol", "query": "nothing" })),
    ];
    check_on(
        &fixture,
        &calls,
        expect![[r#"
        lsp
        ? lsp: Tile (always: *)
        No language server serves src/shapes.rs.
        4 references in 2 files (by syntax, likely):

        src/report.rs
            1: use crate::shapes::{Disc, Tile};
          in report:
            3: pub fn report(tile: &Tile) -> String {

        src/shapes.rs
            4: pub struct Tile {
            8: impl Tile {
        lsp
        ? lsp: src/shapes.rs (always: src/shapes.rs)
        No language server serves src/shapes.rs.
        2 definitions have the name `area`: these are the uses of all of them.
        3 references in 2 files (by syntax, likely):

        src/report.rs
          in report:
            4: let text = format!("area {}", tile.area());

        src/shapes.rs
          in Tile:
            10: pub fn area(&self) -> u32 {
          in Disc:
            18: pub fn area(&self) -> u32 {
        lsp
        ? lsp: helper (always: *)
        No language server serves src/report.rs.
        1 caller (by syntax, likely):

        src/report.rs
          in report:
            5: helper(&text)
        lsp
        ? lsp: src/shapes.rs (always: src/shapes.rs)
        7 symbols (by syntax):
        4-6: pub struct Tile
          5: side: u32
        8-13: impl Tile
          10-12: pub fn area(&self) -> u32
        15: pub struct Disc;
        17-21: impl Disc
          18-20: pub fn area(&self) -> u32
        lsp
        ? lsp: area (always: *)
        2 symbols (by syntax, likely):
        src/shapes.rs:10 method in Tile
            pub fn area(&self) -> u32
            How large it is.
        src/shapes.rs:18 method in Disc
            pub fn area(&self) -> u32
        lsp
        ? lsp: nothing (always: *)
        No symbols (by syntax, likely).
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_long_list_is_paged() {
    let many: String = (0..120).map(|number| format!("fn user{number}() {{ target(); }}\n")).collect();
    let fixture = fixture(&[("a.rs", &format!("fn target() {{}}\n{many}"))]);
    let references =
        |offset: usize| lsp(json!({ "operation": "findReferences", "symbol": "target", "offset": offset }));
    for (offset, expected) in [
        (0, "121 references (by syntax, likely); 1-50 shown, the next with offset 50:"),
        (100, "121 references (by syntax, likely); 101-121 shown:"),
        (500, "121 references (by syntax, likely); none are left at this offset:"),
    ] {
        let (name, arguments) = references(offset);
        let outcome = fixture.call(name, arguments).await;
        let summary = outcome.output.lines().nth(1);
        assert_eq!(summary, Some(expected), "{}", outcome.output);
    }
}

#[tokio::test]
async fn a_name_is_not_mistaken_for_another() {
    let fixture = fixture(&[
        ("a.lua", "local M = {}\nfunction M.setup() end\nM.setup()\nN.setup()\n"),
        ("ring.rs", "pub struct Ring {\n    r: u32,\n}\nfn areas() {}\n"),
        ("more.rs", "impl Ring {\n    fn fill(&self) {}\n}\n"),
        ("find.c", "int find(int n);\nint find(int n) { return n; }\n"),
    ]);
    let calls = [
        lsp(json!({ "operation": "findReferences", "filePath": "a.lua", "symbol": "M.setup" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "Ring" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "Ring.r" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "find" })),
        lsp(json!({ "operation": "goToDefinition", "filePath": "ring.rs", "symbol": "Ring.fill" })),
        lsp(json!({ "operation": "goToDefinition", "filePath": "ring.rs", "symbol": "area" })),
    ];
    check_on(
        &fixture,
        &calls,
        expect![[r#"
        lsp
        ? lsp: a.lua (always: a.lua)
        No language server serves a.lua.
        3 references (by syntax, likely):

        a.lua
            2: function M.setup() end
            3: M.setup()
            4: N.setup()
        lsp
        ? lsp: Ring (always: *)
        No language server serves ring.rs.
        1 definition (by syntax, likely):
        ring.rs:1 struct
            pub struct Ring
        lsp
        ? lsp: Ring.r (always: *)
        No language server serves ring.rs.
        1 definition (by syntax, likely):
        ring.rs:2 field in Ring
            r: u32
        lsp
        ? lsp: find (always: *)
        No language server serves find.c.
        1 definition (by syntax, likely):
        find.c:2 function
            int find(int n)
        lsp
        ? lsp: ring.rs (always: ring.rs)
        ! Target
        ring.rs has no `Ring.fill`. Did you mean `Ring`, `Ring.r`?
        lsp
        ? lsp: ring.rs (always: ring.rs)
        ! Target
        ring.rs has no `area`. Did you mean `areas`, `Ring.r`?
    "#]],
    )
    .await;
}

#[tokio::test]
async fn deep_nesting_costs_little() {
    let deep = format!("{}{}", "mod a { ".repeat(20_000), "}".repeat(20_000));
    let fixture = fixture(&[("a.rs", &deep)]);
    let outcome = fixture
        .call("lsp", json!({ "operation": "documentSymbol", "filePath": "a.rs", "offset": usize::MAX }))
        .await;
    assert!(outcome.output.starts_with("20000 symbols"), "{}", outcome.output);
}

#[tokio::test]
async fn overloads_and_accessors_are_one_definition() {
    let overloads = "\
export function parse(text: string): number;
export function parse(text: string, radix: number): number;
export function parse(text: string, radix = 10): number {
  function inner() {}
  return Number.parseInt(text, radix);
}
export class Point {
  get x(): number { return 1; }
  set x(value: number) {}
  other() {}
}
";
    let overloaded = "\
@overload
def area(side: int) -> int: ...
def area(side):
    return side
def other(): ...
def area_of(): ...
";
    // Methods of Java are several.
    let java = "class A {\n  void run() {}\n  void run(int times) {}\n}\n";
    let fixture = fixture(&[("a.ts", overloads), ("a.py", overloaded), ("A.java", java)]);
    let calls = [
        lsp(json!({ "operation": "goToDefinition", "symbol": "parse" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "x", "filePath": "a.ts" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "area" })),
        lsp(json!({ "operation": "goToDefinition", "symbol": "run" })),
        // An edit is of one of them.
        ("refactor", json!({ "operation": "deleteSymbol", "symbol": "parse" })),
    ];
    check_on(
        &fixture,
        &calls,
        expect![[r#"
            lsp
            ? lsp: parse (always: *)
            No language server serves a.ts.
            1 definition (by syntax, likely):
            a.ts:3 function
                function parse(text: string, radix = 10): number
            lsp
            ? lsp: a.ts (always: a.ts)
            No language server serves a.ts.
            1 definition (by syntax, likely):
            a.ts:9 method in Point
                set x(value: number)
            lsp
            ? lsp: area (always: *)
            No language server serves a.py.
            1 definition (by syntax, likely):
            a.py:3 function
                def area(side)
            lsp
            ? lsp: run (always: *)
            ! Target
            `run` is defined 2 times. Name one by filePath and line, or by more of its path (`Type.method`):
              A.java:2 void run()
              A.java:3 void run(int times)
            refactor
            ? lsp: parse (always: *)
            ! Target
            `parse` has several signatures, in the lines 1, 2, 3 of a.ts. Name one by its line, or use `edit`.
        "#]],
    )
    .await;
}
