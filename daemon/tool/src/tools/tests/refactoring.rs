//! `refactor` without a language server: whole definitions, by their syntax trees.

use expect_test::expect;
use serde_json::{Value, json};

use super::fixture::{check_on, fixture};

const SHAPES: &str = "\
use std::fmt;

/// A tile.
#[derive(Debug)]
pub struct Plank {
    side: u32,
    colour: u8,
}

impl Plank {
    /// How large it is.
    pub fn area(&self) -> u32 {
        self.side * self.side
    }

    pub fn side(&self) -> u32 {
        self.side
    }
}

fn last() {}
";

/// The text after one call, once the model has read the file.
async fn after(file: &str, text: &str, arguments: Value) -> String {
    let fixture = fixture(&[(file, text)]);
    fixture.call("read", json!({ "filePath": file })).await;
    let mut arguments = arguments;
    arguments["filePath"] = json!(file);
    let outcome = fixture.call("refactor", arguments.clone()).await;
    assert_eq!(outcome.error_kind, None, "{arguments}: {}", outcome.output);
    fixture.bytes(file)
}

/// One call in each language: before, call, after.
#[tokio::test]
async fn a_definition_is_replaced_or_deleted_where_it_stands() {
    let replace = |symbol: &str, content: &str| json!({ "operation": "replaceSymbol", "symbol": symbol, "content": content });
    let delete = |symbol: &str| json!({ "operation": "deleteSymbol", "symbol": symbol });
    let python = "import os\n\n\nclass A:\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\n\ndef three():\n    pass\n";
    let typescript =
        "/** One. */\nexport function one(): number {\n  return 1;\n}\n\nexport const two = () => 2;\n";
    for (file, before, call, expected) in [
        // Comments and attributes stay if the new text has none.
        (
            "a.rs",
            "/// Doc.\n#[inline]\nfn a() {\n    1\n}\n\nfn b() {}\n",
            replace("a", "fn a() {\n    2\n}"),
            "/// Doc.\n#[inline]\nfn a() {\n    2\n}\n\nfn b() {}\n",
        ),
        // Else the new ones take their place.
        (
            "a.rs",
            "/// Doc.\n#[inline]\nfn a() {\n    1\n}\n",
            replace("a", "/// New.\nfn a() {\n    2\n}\n"),
            "/// New.\nfn a() {\n    2\n}\n",
        ),
        (
            "a.py",
            python,
            replace("A.one", "def one(self):\n    return 10\n"),
            &python.replace("return 1\n", "return 10\n"),
        ),
        (
            "a.py",
            python,
            replace("A.two", "    @cached\n    def two(self):\n        return 20\n"),
            &python.replace(
                "    def two(self):\n        return 2\n",
                "    @cached\n    def two(self):\n        return 20\n",
            ),
        ),
        (
            "a.py",
            python,
            delete("A.one"),
            &python.replace("    @property\n    def one(self):\n        return 1\n\n", ""),
        ),
        (
            "a.py",
            python,
            delete("three"),
            "import os\n\n\nclass A:\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n",
        ),
        (
            "a.ts",
            typescript,
            replace("one", "export function one(): number {\n  return 11;\n}"),
            &typescript.replace("return 1;", "return 11;"),
        ),
        ("a.ts", typescript, delete("one"), "export const two = () => 2;\n"),
        ("a.rs", "struct S {\n    a: u8,\n    b: u8,\n}\n", delete("S.a"), "struct S {\n    b: u8,\n}\n"),
        (
            "a.rs",
            "struct S {\n    a: u8,\n    b: u8,\n}\n",
            replace("S.b", "b: u16"),
            "struct S {\n    a: u8,\n    b: u16,\n}\n",
        ),
        // Separators are neither doubled nor lost.
        (
            "a.rs",
            "struct S {\n    a: u8,\n    b: u8,\n}\n",
            replace("S.b", "b: u16,"),
            "struct S {\n    a: u8,\n    b: u16,\n}\n",
        ),
        // Annotations stay.
        (
            "A.java",
            "class A {\n    @Override @Deprecated public void save() {\n    }\n}\n",
            replace("A.save", "public void save() {\n    one();\n}"),
            "class A {\n    @Override @Deprecated public void save() {\n        one();\n    }\n}\n",
        ),
        // A method of TypeScript does not parse alone.
        (
            "a.ts",
            "class A {\n  /** Old. */\n  @Get()\n  area(): number {\n    return 1;\n  }\n}\n",
            replace("A.area", "/** New. */\n@Get()\narea(): number {\n  const s = 2;\n  return s;\n}"),
            "class A {\n  /** New. */\n  @Get()\n  area(): number {\n    const s = 2;\n    return s;\n  }\n}\n",
        ),
        // The white space in a string is a part of it.
        (
            "a.py",
            "class A:\n    def one(self):\n        return 1\n",
            replace("A.one", "def one(self):\n    return \"\"\"\nSELECT\n  x\n\"\"\"\n"),
            "class A:\n    def one(self):\n        return \"\"\"\nSELECT\n  x\n\"\"\"\n",
        ),
        // Line breaks are those of the file.
        (
            "a.rs",
            "fn a() {\r\n    1\r\n}\r\n\r\nfn b() {}\r\n",
            replace("a", "fn a() {\n    2\n}"),
            "fn a() {\r\n    2\r\n}\r\n\r\nfn b() {}\r\n",
        ),
        (
            "a.go",
            "package p\n\n// F does.\nfunc F() {}\n\nfunc G() {}\n",
            delete("F"),
            "package p\n\nfunc G() {}\n",
        ),
        (
            "a.c",
            "int a(void);\n\nint b(void)\n{\n    return 1;\n}\n",
            replace("b", "int b(void)\n{\n    return 2;\n}"),
            "int a(void);\n\nint b(void)\n{\n    return 2;\n}\n",
        ),
    ] {
        assert_eq!(after(file, before, call.clone()).await, expected, "{call}");
    }
}

#[tokio::test]
async fn a_text_is_inserted_beside_a_definition() {
    let insert = |operation: &str, symbol: &str, content: &str| json!({ "operation": operation, "symbol": symbol, "content": content });
    let (before_it, after_it) = ("insertBefore", "insertAfter");
    for (file, before, call, expected) in [
        (
            "a.rs",
            "/// Doc.\nfn a() {}\n\nfn b() {}\n",
            insert(before_it, "a", "fn n() {}\n"),
            "fn n() {}\n\n/// Doc.\nfn a() {}\n\nfn b() {}\n",
        ),
        (
            "a.rs",
            "fn a() {}\n\nfn b() {}\n",
            insert(after_it, "a", "fn n() {}\n"),
            "fn a() {}\n\nfn n() {}\n\nfn b() {}\n",
        ),
        ("a.rs", "fn a() {} // end\n", insert(after_it, "a", "fn n() {}"), "fn a() {} // end\n\nfn n() {}\n"),
        (
            "a.rs",
            "struct S {\n    a: u8,\n    b: u8,\n}\n",
            insert(after_it, "S.a", "n: u8,"),
            "struct S {\n    a: u8,\n    n: u8,\n    b: u8,\n}\n",
        ),
        (
            "a.py",
            "class A:\n    def one(self):\n        return 1\n\n\nX = 1\n",
            insert(after_it, "A.one", "def n(self):\n    return 2"),
            "class A:\n    def one(self):\n        return 1\n\n    def n(self):\n        return 2\n\n\nX = 1\n",
        ),
        (
            "a.py",
            "def one():\n    pass\n\n\ndef two():\n    pass\n",
            insert(before_it, "two", "def n():\n    pass"),
            "def one():\n    pass\n\n\ndef n():\n    pass\n\n\ndef two():\n    pass\n",
        ),
        (
            "a.c",
            "enum colour {\n    RED,\n    BLUE\n};\n",
            insert(after_it, "colour.BLUE", "GREEN"),
            "enum colour {\n    RED,\n    BLUE,\n    GREEN\n};\n",
        ),
        (
            "a.ts",
            "export function one() {}",
            insert(after_it, "one", "export function n() {}"),
            "export function one() {}\n\nexport function n() {}",
        ),
    ] {
        assert_eq!(after(file, before, call.clone()).await, expected, "{call}");
    }
}

#[tokio::test]
async fn what_cannot_be_done_is_said_and_nothing_is_changed() {
    let together = "package p\n\nvar one, two = 1, 2\n";
    let line = "enum Form { Round, Flat }\n";
    let fixture = fixture(&[
        ("src/shapes.rs", SHAPES),
        ("notes.txt", "area\n"),
        ("together.go", together),
        ("line.rs", line),
    ]);
    let refactor = |arguments: Value| ("refactor", arguments);
    let calls = [
        refactor(json!({ "operation": "rename", "symbol": "Plank", "newName": "Slab" })),
        refactor(json!({ "operation": "rename", "symbol": "Plank", "newName": "struct" })),
        refactor(json!({ "operation": "rename", "symbol": "Plank", "newName": "1 bad" })),
        refactor(json!({ "operation": "rename", "symbol": "Plank", "newName": "" })),
        refactor(json!({ "operation": "rename", "symbol": "Plank", "newName": "Plank" })),
        refactor(json!({ "operation": "rename", "symbol": "Plank" })),
        refactor(json!({ "operation": "rename", "filePath": "src/none.rs", "newPath": "src/new.rs" })),
        refactor(json!({ "operation": "rename", "filePath": "src/shapes.rs", "newPath": "notes.txt" })),
        refactor(json!({ "operation": "codeAction", "filePath": "src/shapes.rs", "line": 12 })),
        refactor(json!({ "operation": "organizeImports", "filePath": "src/shapes.rs" })),
        refactor(json!({ "operation": "organizeImports" })),
        refactor(json!({ "operation": "format", "filePath": "src/shapes.rs" })),
        refactor(json!({ "operation": "replaceSymbol", "symbol": "Plank.area" })),
        refactor(json!({ "operation": "replaceSymbol", "symbol": "Plank.area", "content": " " })),
        refactor(
            json!({ "operation": "deleteSymbol", "filePath": "src/shapes.rs", "line": 13, "symbol": "side" }),
        ),
        refactor(json!({ "operation": "deleteSymbol", "filePath": "notes.txt", "symbol": "area" })),
        refactor(json!({ "operation": "deleteSymbol", "filePath": "together.go", "symbol": "one" })),
        refactor(
            json!({ "operation": "insertBefore", "filePath": "line.rs", "symbol": "Form.Flat", "content": "Odd," }),
        ),
        // Two lines further down.
        refactor(
            json!({ "operation": "deleteSymbol", "filePath": "src/shapes.rs", "line": 10, "symbol": "area" }),
        ),
        // It was not read.
        refactor(json!({ "operation": "deleteSymbol", "symbol": "Plank.area" })),
        // Now it was shown.
        refactor(json!({ "operation": "deleteSymbol", "symbol": "Plank.area" })),
    ];
    check_on(&fixture, &calls, expect![[r#"
        refactor
        ? lsp: Plank (always: *)
        ! Target
        No language server serves src/shapes.rs. Nothing was changed; find the places with `lsp` or `grep`, and edit them.
        refactor
        ? lsp: Plank (always: *)
        ! Target
        `struct` cannot be a name here. Nothing was changed.
        refactor
        ? lsp: Plank (always: *)
        ! Target
        `1 bad` cannot be a name here. Nothing was changed.
        refactor
        ? lsp: Plank (always: *)
        ! Target
        `` cannot be a name here. Nothing was changed.
        refactor
        ? lsp: Plank (always: *)
        ! Target
        It is called `Plank` already. Nothing was changed.
        refactor
        ? lsp: Plank (always: *)
        ! Arguments
        Give either `newName`, for a symbol, or `newPath`, for `filePath`.
        refactor
        ? read: src/none.rs (always: src/none.rs)
        ! Target
        `src/none.rs` does not exist. Look for it with `glob`, or list its folder.
        refactor
        ? read: src/shapes.rs (always: src/shapes.rs)
        ! Target
        The edit was not made: notes.txt exists already. Nothing was changed.
        refactor
        ? read: src/shapes.rs (always: src/shapes.rs)
        ! Target
        No language server offers code actions for src/shapes.rs. Use `edit`.
        refactor
        ? read: src/shapes.rs (always: src/shapes.rs)
        ! Target
        No language server offers code actions for src/shapes.rs. Use `edit`.
        refactor
        ? lsp: * (always: *)
        ! Arguments
        Name the file in `filePath`.
        refactor
        ? read: src/shapes.rs (always: src/shapes.rs)
        ! Target
        No language server serves src/shapes.rs. Nothing was changed; run the project's formatter with `bash`, if it has one.
        refactor
        ? lsp: Plank.area (always: *)
        ! Arguments
        Give the new text in `content`.
        refactor
        ? lsp: Plank.area (always: *)
        ! Target
        The new text is empty. To delete it, use deleteSymbol.
        refactor
        ? read: src/shapes.rs (always: src/shapes.rs)
        ! Target
        `side` in src/shapes.rs:13 is not a definition. Name the definition, or use `edit`.
        refactor
        ? read: notes.txt (always: notes.txt)
        ! Target
        No grammar for notes.txt: where a symbol ends is not known. Use `edit`.
        refactor
        ? read: together.go (always: together.go)
        ! Target
        `one` is declared together with others. Nothing was changed; use `edit`.
        refactor
        ? read: line.rs (always: line.rs)
        ! Target
        Other code stands in the same line. Nothing was changed; use `edit`.
        refactor
        ? read: src/shapes.rs (always: src/shapes.rs)
        ! Target
        Line 10 has no `area`; line 12 does. Nothing was changed; name the place by its line and its name.
        refactor
        ? lsp: Plank.area (always: *)
        ! Target
        You were not shown `Plank.area` in `src/shapes.rs` as it is now. Nothing was changed; make the call again if it still fits. It reads:
        11:     /// How large it is.
        12:     pub fn area(&self) -> u32 {
        13:         self.side * self.side
        14:     }
        refactor
        ? lsp: Plank.area (always: *)
        ? edit: src/shapes.rs (always: *)
        Edited src/shapes.rs (+0 -5). The changed places now read:
        8: }
        9: 
        10: impl Plank {
        11:     pub fn side(&self) -> u32 {
        12:         self.side
        13:     }
        = src/shapes.rs: "use std::fmt;\n\n/// A tile.\n#[derive(Debug)]\npub struct Plank {\n    side: u32,\n    colour: u8,\n}\n\nimpl Plank {\n    pub fn side(&self) -> u32 {\n        self.side\n    }\n}\n\nfn last() {}\n"
    "#]]).await;
}
