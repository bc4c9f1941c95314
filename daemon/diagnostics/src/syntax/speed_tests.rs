//! How long a check takes after an edit in 10,000 lines. Printed, not asserted: `cargo test --release -p copydesk-diagnostics speed -- --ignored --nocapture`.

use super::tests::{soon, subject};
use super::*;

const RUNS: usize = 30;

fn show(path: &str, piece: impl Fn(usize) -> String) {
    let text: String = (0..10_000 / 8).map(piece).collect();
    let grammar = grammar::grammar_for(Path::new(path)).unwrap();
    let syntax = SyntaxSource::default();
    let look = |text: &str| {
        let subject = subject(path, text);
        let started = Instant::now();
        let verdict = syntax.verdict_for(grammar, &subject, soon());
        (started.elapsed(), verdict)
    };
    println!("{path}: {} lines, {} KB", text.lines().count(), text.len() >> 10);
    println!("  from scratch      {:?}", look(&text).0);
    for (name, from, to) in [
        ("right", "a + 600,", "a + 6001,"),
        ("bracket too many", "a + 600,", "a + 600),"),
        ("bracket missing", "compute(a + 600", "compute a + 600"),
    ] {
        let edited = text.replacen(from, to, 1);
        let times = (0..RUNS).map(|_| {
            look(&text);
            let (took, verdict) = look(&edited);
            assert_eq!(verdict.diagnostics().unwrap().is_empty(), name == "right");
            took
        });
        let mut times: Vec<_> = times.collect();
        times.sort_unstable();
        println!("  {name:17} {:?} (best {:?})", times[RUNS / 2], times[0]);
    }
}

#[test]
#[ignore = "prints figures of this machine"]
fn speed_after_an_edit() {
    show("a.rs", |n| {
        format!(
            "/// Doc {n}.\npub fn f_{n}(a: u32, b: &str) -> Result<u32, String> {{\n    let value = compute(a + {n}, \"item\")?;\n    if value > 3 {{\n        return Err(format!(\"bad {{b}}\"));\n    }}\n    Ok(value)\n}}\n"
        )
    });
    show("a.ts", |n| {
        format!(
            "/** Doc {n} */\nexport function f_{n}(a: number, b: string): number {{\n  const value = compute(a + {n}, \"item\");\n  if (value > 3) {{\n    throw new Error(`bad ${{b}}`);\n  }}\n  return value;\n}}\n"
        )
    });
    show("a.py", |n| {
        format!(
            "# Doc {n}\ndef f_{n}(a: int, b: str) -> int:\n    value = compute(a + {n}, \"item\")\n    if value > 3:\n        raise ValueError(f\"bad {{b}}\")\n    return value\n\n\n"
        )
    });
}
