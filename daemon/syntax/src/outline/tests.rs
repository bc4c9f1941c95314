use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};

use super::outline;
use crate::{grammar, parse};

/// Each definition with its kind, its lines and its signature, indented by depth.
fn shown(path: &str, text: &str) -> String {
    let grammar = grammar::grammar_for(Path::new(path)).unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    let tree = parse::parse_tree(&(grammar.language)(), text, None, until).unwrap();
    let symbols = outline(grammar, &tree, text);
    let line = |offset: usize| text[..offset].matches('\n').count() + 1;
    let mut shown = String::new();
    for symbol in &symbols {
        let mut depth = 0;
        let mut above = symbol.parent;
        while let Some(parent) = above {
            (depth, above) = (depth + 1, symbols[parent].parent);
        }
        assert!(symbol.name.ends_with(&text[symbol.name_range.clone()]));
        let lines = format!("{}-{}", line(symbol.range.start), line(symbol.range.end));
        let signature = text[symbol.signature.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(
            shown,
            "{:depth$}{} {:?} {lines}: {signature}",
            "",
            symbol.name,
            symbol.kind,
            depth = depth * 2
        )
        .unwrap();
    }
    shown
}

fn check(path: &str, text: &str, expected: &Expect) {
    expected.assert_eq(&shown(path, text));
}

#[test]
fn rust() {
    check(
        "a.rs",
        include_str!("samples/shapes.rs.txt"),
        &expect![[r#"
            Square Struct 3-9: pub struct Square<T>
              side Field 6-7: side: T
              width Field 8-8: width: u32
            impl Shape for Square<T> Object 11-18: impl<T: Copy> Shape for Square<T>
              area Method 12-17: fn area(&self) -> T
                helper Function 15-15: fn helper()
            Shape Interface 20-23: pub trait Shape
              Unit TypeParameter 21-21: type Unit;
              area Method 22-22: fn area(&self);
            inner Module 25-28: mod inner
              MAX Constant 26-26: pub const MAX: usize = 3;
              twice Function 27-27: macro_rules! twice { () => {} }
            Form Enum 30-30: enum Form
              Round EnumMember 30-30: Round
              Flat EnumMember 30-30: Flat
                depth Field 30-30: depth: u32
        "#]],
    );
}

#[test]
fn typescript() {
    check(
        "a.ts",
        "\
/** Says hello. */
@sealed
export class Greeter extends Base {
    private name = 'x';
    constructor(name: string) { super(); const local = 1; }
    // By name.
    @log()
    greet(): string { return this.name; }
}

export const add = (a: number, b: number) => {
    return a + b;
};
const one = 1, two = 2;
export default function main() { const inner = () => 1; function nested() {} }
interface Shape { side: number; area(): number }
type Alias = string | number;
enum Form { Round, Flat = 3 }
namespace N { export function f() {} }
declare function external(a: number): void;
",
        &expect![[r#"
            Greeter Class 1-9: class Greeter extends Base
              name Field 4-4: private name = 'x'
              constructor Method 5-5: constructor(name: string)
              greet Method 6-8: greet(): string
            add Function 11-13: add = (a: number, b: number) => {
            one Variable 14-14: one = 1
            two Variable 14-14: two = 2
            main Function 15-15: function main()
              nested Function 15-15: function nested()
            Shape Interface 16-16: interface Shape
              side Property 16-16: side: number
              area Method 16-16: area(): number
            Alias TypeParameter 17-17: type Alias = string | number;
            Form Enum 18-18: enum Form
              Round EnumMember 18-18: Round
              Flat EnumMember 18-18: Flat = 3
            N Namespace 19-19: namespace N
              f Function 19-19: function f()
            external Function 20-20: function external(a: number): void;
        "#]],
    );
}

#[test]
fn python() {
    check(
        "a.py",
        "\
MAX = 3
a, b = 1, 2

# Comment.
@decorator
class Square(Shape):
    side: int = 1

    @property
    def area(self) -> int:
        local = 1
        def helper(): pass
        return self.side

async def main(): ...
",
        &expect![[r#"
            MAX Variable 1-1: MAX = 3
            Square Class 4-13: class Square(Shape):
              side Field 7-7: side: int = 1
              area Method 9-13: def area(self) -> int:
                helper Function 12-12: def helper():
            main Function 15-15: async def main():
        "#]],
    );
}

#[test]
fn go() {
    check(
        "a.go",
        "\
package p

// Square is one.
type Square struct {
	Side int
	a, b string
}

type (
	// A is first.
	A = int
	B interface { Area() int }
)

// Area says how large.
func (s *Square) Area() int { x := 1; var y int; return x + y }
func (l List[T]) Len() int { return 0 }
func main() {}

const Max = 3
var one, two = 1, 2
",
        &expect![[r#"
            Square Struct 3-7: Square struct {
              Side Field 5-5: Side int
              a Field 6-6: a, b string
              b Field 6-6: a, b string
            A TypeParameter 10-11: A = int
            B Interface 12-12: B interface { Area() int }
              Area Method 12-12: Area() int
            Square.Area Method 15-16: func (s *Square) Area() int
            List.Len Method 17-17: func (l List[T]) Len() int
            main Function 18-18: func main()
            Max Constant 20-20: Max = 3
            one Variable 21-21: one, two = 1, 2
            two Variable 21-21: one, two = 1, 2
        "#]],
    );
}

#[test]
fn c_and_cpp() {
    check(
        "a.c",
        "\
#define MAX 3
#define TWICE(x) ((x) * 2)
struct point { int x; int *y; };
typedef struct { int side; } square;
enum kind { ROUND, FLAT = 3 };
static int *find(struct point *p, int n);
int (*callback)(void);
static int count = 0;
/* Finds. */
static int *find(struct point *p, int n) { int local = n; return p->y + local; }
",
        &expect![[r#"
            MAX Constant 1-1: #define MAX 3
            TWICE Function 2-2: #define TWICE(x) ((x) * 2)
            point Struct 3-3: struct point
              x Field 3-3: int x;
              y Field 3-3: int *y;
            square TypeParameter 4-4: typedef struct { int side; } square;
              side Field 4-4: int side;
            kind Enum 5-5: enum kind
              ROUND EnumMember 5-5: ROUND
              FLAT EnumMember 5-5: FLAT = 3
            find Function 6-6: static int *find(struct point *p, int n);
            callback Function 7-7: int (*callback)(void);
            count Variable 8-8: static int count = 0;
            find Function 9-10: static int *find(struct point *p, int n)
        "#]],
    );
    check(
        "a.cpp",
        "\
namespace shapes {
template <typename T>
class Square : public Shape {
public:
    Square(T side);
    T area() const { return side; }
private:
    T side;
};
using Alias = int;
}
int shapes::Square<int>::perimeter() { return 4; }
",
        &expect![[r#"
            shapes Namespace 1-11: namespace shapes
              Square Class 2-9: class Square : public Shape
                Square Method 5-5: Square(T side);
                area Method 6-6: T area() const
                side Field 8-8: T side;
              Alias TypeParameter 10-10: using Alias = int;
            Square<int>::perimeter Function 12-12: int shapes::Square<int>::perimeter()
        "#]],
    );
}

#[test]
fn other_languages() {
    check(
        "A.java",
        "package p;\n/** Doc. */\n@Deprecated\npublic class A { int x; A() {} int f(int a) { int b; return a; } enum K { ONE } }\ninterface I { void g(); }\n",
        &expect![[r#"
            A Class 2-4: @Deprecated public class A
              x Field 4-4: int x;
              A Constructor 4-4: A()
              f Method 4-4: int f(int a)
              K Enum 4-4: enum K
                ONE EnumMember 4-4: ONE
            I Interface 5-5: interface I
              g Method 5-5: void g();
        "#]],
    );
    check(
        "a.lua",
        "local M = {}\nfunction M.setup(a) local x = 1 end\nlocal function inner() end\nM.x = 1\nmax = 3\n",
        &expect![[r#"
        M Variable 1-1: M = {}
        M.setup Function 2-2: function M.setup(a)
        inner Function 3-3: local function inner() end
        max Variable 5-5: max = 3
    "#]],
    );
    check(
        "a.rb",
        "module M\n  MAX = 3\n  class A < B\n    def f(x) = x\n    def self.g; end\n  end\nend\n",
        &expect![[r#"
        M Module 1-7: module M
          MAX Constant 2-2: MAX = 3
          A Class 3-6: class A < B
            f Method 4-4: def f(x) =
            g Method 5-5: def self.g; end
    "#]],
    );
    check(
        "a.php",
        "<?php\nnamespace N;\nclass A { const MAX = 3; private $x; function f() {} }\nfunction g() {}\n",
        &expect![[r#"
        N Namespace 2-2: namespace N;
        A Class 3-3: class A
          $x Property 3-3: $x
          f Method 3-3: function f()
        g Function 4-4: function g()
    "#]],
    );
    check(
        "a.sh",
        "MAX=3\n# Runs.\nrun() { local x=1; }\nfunction other { :; }\n",
        &expect![[r#"
        MAX Variable 1-1: MAX=3
        run Function 2-3: run()
        other Function 4-4: function other
    "#]],
    );
    check(
        "a.js",
        "const f = function () {};\nclass A { #x = 1; m() {} static s = 2 }\nmodule.exports = { f };\n",
        &expect![[r#"
        f Function 1-1: f = function () {}
        A Class 2-2: class A
          #x Field 2-2: #x = 1
          m Method 2-2: m()
          s Field 2-2: static s = 2
    "#]],
    );
}

#[test]
fn what_defines_nothing_has_no_outline() {
    for (path, text) in
        [("a.json", "{ \"a\": 1 }"), ("a.css", "a { color: red }"), ("a.rs", ""), ("b.rs", "fn (")]
    {
        assert_eq!(shown(path, text), "", "{path}");
    }
}

/// Bodies of functions are looked into only if a keyword is in them.
#[test]
fn every_definition_inside_a_function_is_found() {
    for (path, before, inner, after) in [
        ("a.rs", "fn f() {", "fn g() {}", "}"),
        ("a.rs", "fn f() {", "enum G { A }", "}"),
        ("a.rs", "fn f() {", "impl G {}", "}"),
        ("a.rs", "fn f() {", "macro_rules! G { () => {} }", "}"),
        ("a.rs", "fn f() {", "mod g {}", "}"),
        ("a.rs", "fn f() {", "struct G;", "}"),
        ("a.rs", "fn f() {", "trait G {}", "}"),
        ("a.rs", "fn f() {", "type G = u8;", "}"),
        ("a.rs", "fn f() {", "union G { a: u8 }", "}"),
        ("a.rs", "fn f() { if a { h(|| {", "struct G;", "}) } }"),
        ("a.py", "def f():\n  ", "class G: pass", "\n"),
        ("a.py", "def f():\n  ", "def g(): pass", "\n"),
        ("a.go", "package a\nfunc f() {\n", "type g struct{}", "\n}\n"),
        ("a.go", "package a\nfunc f() {\n", "type g = int", "\n}\n"),
        ("a.go", "package a\nfunc f() {\n", "var g interface{ H() }", "\n}\n"),
        ("a.lua", "function f()\n", "local function g() end", "\nend\n"),
    ] {
        let with = shown(path, &format!("{before}{inner}{after}"));
        assert!(with.lines().count() > 1, "{inner}\n{with}");
        assert_eq!(shown(path, &format!("{before}{after}")).lines().count(), 1, "{inner}");
    }
}
