//! Measures replacements in 100,000 lines and in texts built to be slow. Prints, asserts nothing.

use std::time::Instant;

use super::replace;

fn show(name: &str, text: &str, old: &str, new: &str) {
    let mut times: Vec<_> = (0..5)
        .map(|_| {
            let begun = Instant::now();
            let seen = replace(text, old, new, false);
            (begun.elapsed(), seen.map_or_else(|_| "refused", |replaced| replaced.tier.name()))
        })
        .collect();
    times.sort_unstable();
    println!("{name:32} {:?} ({})", times[2].0, times[2].1);
}

#[test]
#[ignore = "prints figures of this machine"]
fn speed_of_every_tier() {
    let line = |n: usize| format!("    let value_{n} = compute({n}, \"item\");\n");
    let text: String = (0..100_000).map(line).collect();
    let block: String = (70_000..70_004).map(line).collect();
    let new = |old: &str| old.replace("value_70002", "other");
    let check = |name, old: String| show(name, &text, &old, &new(&old));
    check("exact", block.clone());
    show("exact, crlf", &text.replace('\n', "\r\n"), &block, &new(&block));
    check("trailing blanks", block.replace(";\n", ";  \n"));
    check("indentation", block.replace("    ", "\t"));
    check("typography", block.replace('"', "”"));
    check("blanks", block.replace(" = ", "  =  "));
    check("copied", block.lines().zip(1..).map(|(line, n)| format!("{n}: {line}\n")).collect());
    check("escapes", block.trim_end().replace('"', "\\\"").replace('\n', "\\n"));
    check("anchors", block.replacen("compute(70001", "computes(70001", 1));
    check("near", block.replacen("compute(70000", "computes(70000", 1));
    check("refused", block.replacen("compute(70001", "nothing like it(70001", 1));
    let many: String = (0..30_000).map(|n| line(n).replace("compute", "computes")).collect();
    let five: String = (0..140_000).map(line).collect();
    show("1 MB, not there, in 5 MB", &five, &many, "x");
    show("1 MB of one line in 5 MB of it", &" a\n".repeat(1_700_000), &"a\n".repeat(500_000), "x");
    let brackets = "}\n".repeat(500_000);
    show("1 MB of brackets in 5 MB", &"}\n".repeat(2_500_000), &format!("{brackets}wrong\n}}"), "x");
}
