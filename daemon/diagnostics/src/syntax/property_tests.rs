//! An incremental parse after an edit finds the same errors as a parse from scratch.

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;

use super::tests::{soon, subject};
use super::*;

const TEXTS: [(&str, &str); 6] = [
    (
        "a.rs",
        "use a::b;\n\n/// A thing.\nstruct A<T> {\n    x: Vec<T>,\n}\n\nimpl<T> A<T> {\n    fn f(&self, é: u32) -> u32 {\n        let s = \"a{}\";\n        if é > 2 { self.x[1] } else { g(s, |y| y + 1) }\n    }\n}\n",
    ),
    (
        "a.ts",
        "import { a } from 'b';\n\nexport class A<T> {\n  x: T[] = [];\n  async f(é: number): Promise<void> {\n    const s = `a${é}`;\n    if (é > 2) { return g(s, y => y + 1); }\n  }\n}\n",
    ),
    (
        "a.py",
        "import a\n\n\nclass A(B):\n    x: int = 1\n\n    def f(self, é):\n        s = f\"a{é}\"\n        if é > 2:\n            return [y + 1 for y in s]\n        return None\n",
    ),
    (
        "a.go",
        "package a\n\nimport \"fmt\"\n\ntype A struct {\n\tx []int\n}\n\nfunc (a *A) F(y int) (int, error) {\n\tif y > 2 {\n\t\treturn a.x[1], nil\n\t}\n\tfmt.Println(\"a\")\n\treturn 0, nil\n}\n",
    ),
    ("a.json", "{\n  \"a\": [1, 2, {\"b\": null}],\n  \"é\": \"x\",\n  \"c\": {\"d\": true}\n}\n"),
    (
        "a.sh",
        "set -e\nf() {\n  if [ \"$1\" = a ]; then\n    echo \"x $(date)\" | cat\n  fi\n}\nfor i in 1 2; do f \"$i\"; done\n",
    ),
];

/// Where, how many characters are removed, and the inserted text.
type RandomSyntaxEdit = (Index, Index, &'static str);

fn steps() -> impl Strategy<Value = Vec<RandomSyntaxEdit>> {
    let put = prop::sample::select(vec![
        "",
        "",
        "x",
        " ",
        "\n",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        ";",
        ",",
        "é",
        "fn f() {}\n",
        "if x {\n}\n",
        "\n\n",
        "// a\n",
        "= 1",
    ]);
    prop::collection::vec((any::<Index>(), any::<Index>(), put), 1..8)
}

fn edited(text: &str, (at, many, put): &RandomSyntaxEdit) -> String {
    let letters: Vec<char> = text.chars().collect();
    let at = at.index(letters.len() + 1);
    let end = (at + many.index(6)).min(letters.len());
    let (before, after) = (&letters[..at], &letters[end..]);
    before.iter().copied().chain(put.chars()).chain(after.iter().copied()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: RngSeed::Fixed(20261115),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_incremental_parse_finds_the_same(which in 0..TEXTS.len(), steps in steps()) {
        let (path, text) = TEXTS[which];
        let grammar = grammar::grammar_for(Path::new(path)).unwrap();
        let syntax = SyntaxSource::default();
        let mut text = text.to_owned();
        prop_assert_eq!(syntax.verdict_for(grammar, &subject(path, &text), soon()), Verdict::Proven(vec![]));
        for step in &steps {
            text = edited(&text, step);
            let subject = subject(path, &text);
            let seen = syntax.verdict_for(grammar, &subject, soon());
            prop_assert_eq!(seen, SyntaxSource::default().verdict_for(grammar, &subject, soon()), "{}", text);
        }
    }
}
