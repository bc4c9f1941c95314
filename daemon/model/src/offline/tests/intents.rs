//! Sentences and the intents read from them.

use expect_test::expect;

use crate::offline::intent::parse_intent;

#[test]
fn plain_words_are_understood() {
    let sentences = [
        "fix",
        "Please fix the errors.",
        "make it compile!",
        "Repair the warnings",
        "Does it compile?",
        "rename count to tally",
        "Can you rename the function `count` to `tally` in src/lib.rs?",
        "rename count in src/lib.rs to tally",
        "rename util::count to tally",
        "rename foo.bar to baz",
        "rename the file a.rs to b.rs",
        "replace 'old text' with \"new text\" in README.md",
        "replace all occurrences of x with y",
        "change colour to color in the project",
        "replace it's with “it is”",
        "where is Registry defined?",
        "where is Shape::area used in src/main.rs?",
        "find all references to `area`",
        "Who calls area()?",
        "show me the definition of Square.area",
        "outline src/main.rs",
        "what is love",
        "find fn main in src",
        "search for `a in b`",
        "show me src/main.rs",
        "show lines 3 to 9 of src/main.rs",
        "show src/main.rs:12-20",
        "list",
        "list the files in src",
        "replace x",
        "rename",
        "find",
        "Hello",
        "",
        "write me a poem about fixing",
    ];
    let lines = sentences.map(|sentence| format!("{sentence} => {:?}\n", parse_intent(sentence)));
    expect![[r#"
        fix => Fix(FixGoal { is_report_only: false, warnings: false, tests: false })
        Please fix the errors. => Fix(FixGoal { is_report_only: false, warnings: false, tests: false })
        make it compile! => Fix(FixGoal { is_report_only: false, warnings: false, tests: false })
        Repair the warnings => Fix(FixGoal { is_report_only: false, warnings: true, tests: false })
        Does it compile? => Fix(FixGoal { is_report_only: true, warnings: false, tests: false })
        rename count to tally => Rename { old: "count", new: "tally", path: None }
        Can you rename the function `count` to `tally` in src/lib.rs? => Rename { old: "count", new: "tally", path: Some("src/lib.rs") }
        rename count in src/lib.rs to tally => Rename { old: "count", new: "tally", path: Some("src/lib.rs") }
        rename util::count to tally => Rename { old: "util::count", new: "tally", path: None }
        rename foo.bar to baz => Replace { old: "foo.bar", new: "baz", path: None }
        rename the file a.rs to b.rs => Unknown
        replace 'old text' with "new text" in README.md => Replace { old: "old text", new: "new text", path: Some("README.md") }
        replace all occurrences of x with y => Replace { old: "x", new: "y", path: None }
        change colour to color in the project => Replace { old: "colour", new: "color", path: None }
        replace it's with “it is” => Replace { old: "it's", new: "it is", path: None }
        where is Registry defined? => Ask { question: WhereDefined, name: "Registry", path: None }
        where is Shape::area used in src/main.rs? => Ask { question: References, name: "Shape::area", path: Some("src/main.rs") }
        find all references to `area` => Ask { question: References, name: "area", path: None }
        Who calls area()? => Ask { question: Callers, name: "area", path: None }
        show me the definition of Square.area => Ask { question: Definition, name: "Square.area", path: None }
        outline src/main.rs => Ask { question: Outline, name: "src/main.rs", path: None }
        what is love => Unknown
        find fn main in src => Find { what: "fn main", path: Some("src") }
        search for `a in b` => Find { what: "a in b", path: None }
        show me src/main.rs => Show { path: "src/main.rs", lines: None }
        show lines 3 to 9 of src/main.rs => Show { path: "src/main.rs", lines: Some((3, 9)) }
        show src/main.rs:12-20 => Show { path: "src/main.rs", lines: Some((12, 20)) }
        list => List { path: None }
        list the files in src => List { path: Some("src") }
        replace x => Unknown
        rename => Unknown
        find => Unknown
        Hello => Unknown
         => Unknown
        write me a poem about fixing => Unknown
    "#]].assert_eq(&lines.concat());
}
