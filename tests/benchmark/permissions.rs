//! Reading a shell command, and deciding about it by rules. Pure: no I/O.

use std::hint::black_box;
use std::time::{Duration, Instant};

use copydesk_permission::{
    Ask, PermissionAction, PermissionDecision, PermissionRule, PermissionRules, RuleLayers, ShellPlace,
    default_rules, read_command,
};

use super::table::BenchmarkTable;

const RUNS: usize = 200;
const FEW_RUNS: usize = 9;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    for (name, bytes, budget) in [("read a command, 1 KB", 1024, 2), ("read a command, 10 KB", 10 * 1024, 15)]
    {
        if table.includes_row(name) {
            let script = script(bytes);
            let samples = timed(RUNS, || assert!(!read(&script).is_empty()));
            table.row(
                name,
                samples,
                Some(Duration::from_millis(budget)),
                "substitutions, quotes, pipes, loops".to_owned(),
            );
        }
    }
    if table.includes_row("decide a command, 1,000 rules") {
        let layers = layers(1_000, |number| format!("program-{number} *"));
        let ask = ask("git commit -m 'a message' -- src/main.rs");
        let samples = timed(RUNS, || assert!(is_asked(&layers, &ask)));
        let note = "no rule matches, so all are compared; one command with its spellings".to_owned();
        table.row("decide a command, 1,000 rules", samples, Some(Duration::from_micros(50)), note);
    }
    if table.includes_row("decide 100 KB, 10,000 rules") {
        let command = format!("echo {}", "a".repeat(100 * 1024));
        let layers = layers(10_000, |number| format!("*a*a*a*a*b{number}*"));
        let samples = timed(FEW_RUNS, || assert!(is_asked(&layers, &ask(&command))));
        let note = "read and decided; every rule begins with a wildcard".to_owned();
        table.row("decide 100 KB, 10,000 rules", samples, Some(Duration::from_millis(100)), note);
    }
}

fn timed(runs: usize, run: impl Fn()) -> Vec<Duration> {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..runs).map(once).collect()
}

fn read(command: &str) -> Vec<copydesk_permission::CommandPattern> {
    let place = ShellPlace { home: Some("/home/ada"), working_folder: Some("/home/ada/project") };
    black_box(read_command(black_box(command), place)).commands
}

fn ask(command: &str) -> Ask {
    Ask { key: "bash".to_owned(), commands: read(command), ..Ask::default() }
}

fn is_asked(layers: &RuleLayers, ask: &Ask) -> bool {
    matches!(black_box(layers.decide(black_box(ask))), PermissionDecision::Ask(_))
}

fn layers(count: usize, pattern: impl Fn(usize) -> String) -> RuleLayers {
    let rules = (0..count).map(|number| PermissionRule::new("bash", pattern(number), PermissionAction::Deny));
    RuleLayers::new([default_rules(), rules.collect::<PermissionRules>()])
}

/// Dense, as models write it.
fn script(bytes: usize) -> String {
    let line = |number: usize| {
        format!(
            "for f in a{number} b; do echo \"$(git log -n {number} | rg 'x{number}' | sort)\" && ls -la 'src {number}' 2>/dev/null; done\n"
        )
    };
    let lines: String = (0..)
        .map(line)
        .scan(0, |total, line| {
            *total += line.len();
            (*total <= bytes).then_some(line)
        })
        .collect();
    lines
}
