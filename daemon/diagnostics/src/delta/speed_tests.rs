//! How long 10,000 diagnostics take to move, compare and render. Printed, not asserted.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use copydesk_text::Change;

use super::tests::{item, report};
use super::*;
use crate::report_text::render_delta;

fn show(name: &str, old: &str, new: &str, problem: impl Fn(u32) -> Diagnostic) {
    let before = report("c", (0..10_000).map(&problem).collect());
    let after = report("c", (0..10_000).map(|n| problem(n + u32::from(n > 5000))).collect());
    let change = Change::between(old, new);
    let text = Arc::new(new.to_owned());
    let mut times: Vec<_> = (0..9)
        .map(|_| {
            let started = Instant::now();
            let baseline = Baseline::shifted(&before, old, &change);
            let delta = DiagnosticsDelta::compute(&[baseline], std::slice::from_ref(&after), Severity::Error);
            let text_out = render_delta(&delta, Path::new("/w"), &|_: &Path| Some(text.clone()));
            (started.elapsed(), text_out.len(), delta.new.len())
        })
        .collect();
    times.sort_unstable();
    println!("{name:24} {:?} (best {:?}, {} new)", times[4].0, times[0].0, times[4].2);
}

#[test]
#[ignore = "prints figures of this machine"]
fn speed_of_many_diagnostics() {
    let line = |n: usize| format!("    let é_{n} = compute({n}, \"item\");\n");
    let text: String = (0..10_000).map(line).collect();
    let edited = text.replacen("    let é_5000", "    x();\n    let é_5000", 1);
    show("one in each line", &text, &edited, |n| item(n, 8, &format!("wrong {n}")));
    show("the same in each line", &text, &edited, |n| item(n, 8, "wrong"));
    let (one, other) = (text.replace('\n', " "), edited.replace('\n', " "));
    show("all in one line", &one, &other, |n| item(0, n * 20, "wrong"));
    show("all at one place", &text, &edited, |_| item(5000, 4, "wrong"));
}
