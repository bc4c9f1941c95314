//! The truth bench: scripted edits in projects with real language servers, each answer compared with the compiler's.
//!
//! `tests/truth/run` prints the table of all cases. A short selection is among the tests; a plain `cargo test` ignores it,
//! because the servers have to be installed; `tests/run` does that. Each case is judged by the compiler's output for the same
//! texts before and after.
//!
//! Environment: `COPYDESK_TEST_SERVERS` names the servers (`servers.rs`), `COPYDESK_TEST_PROJECTS` the real projects; `COPYDESK_TRUTH` selects servers and cases by a part of
//! `SERVER/KIND/NAME`; `COPYDESK_TRUTH_CLIENTS` selects `headless`, `load`, `neovim`, `vscode` or `opencode`; `COPYDESK_TRUTH_RESULTS` is a file for
//! the results; `COPYDESK_TRUTH_TRACE` prints the compiler's and the daemon's output.

mod busy_processes;
mod case;
pub(crate) mod compiler;
mod generated_project;
mod judge;
mod play;
mod problem;
pub(crate) mod real_project;
mod reported_problems;
pub(crate) mod servers;
mod table;

use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Instant;

use busy_processes::BusyProcesses;
use case::{TruthCase, TruthCaseKind, TruthProject, projects};
use judge::{CompiledSnapshot, TruthClass, delta, judge};
use play::TruthClient;
use servers::{ALL, InstalledServers};
use table::TruthRow;

/// The heading of the cases that are played on a busy machine.
const UNDER_LOAD: &str = "Under load: headless, beside four busy processes";

/// The selected cases, each with its server.
fn wanted(servers: &InstalledServers, is_short: bool) -> Vec<(&'static str, TruthProject, TruthCase)> {
    let filter = std::env::var("COPYDESK_TRUTH").unwrap_or_default();
    let projects = projects();
    let mut wanted = Vec::new();
    for server in ALL.into_iter().filter(|server| servers.has(server)) {
        for project in projects.iter().filter(|project| project.servers.iter().any(|name| name == server)) {
            let cases = project.cases.iter().filter(|case| !is_short || case.short);
            let cases = cases.filter(|case| {
                let name = format!("{server}/{:?}/{}", case.kind, case.name);
                filter.split(',').any(|part| name.to_lowercase().contains(&part.to_lowercase()))
            });
            wanted.extend(cases.map(|case| (server, project.clone(), case.clone())));
        }
    }
    wanted
}

/// Plays a case and judges every step with a change.
fn rows(
    client: TruthClient<'_>,
    servers: &InstalledServers,
    server: &'static str,
    project: &TruthProject,
    case: &TruthCase,
) -> Vec<TruthRow> {
    let row = |class, why, waited_ms| TruthRow {
        server: server.to_owned(),
        case: format!("{:?}: {}", case.kind, case.name),
        is_cold: case.kind == TruthCaseKind::Cold,
        class,
        why,
        waited_ms,
    };
    let played = catch_unwind(AssertUnwindSafe(|| {
        let steps = play::play(client, servers, server, project, case);
        let judged = steps.into_iter().map(|step| {
            let moment = |state: case::ProjectTexts| CompiledSnapshot {
                truth: compiler::compiler_problems(servers, server, &state),
                state,
            };
            let moments: Vec<_> = step.states.into_iter().map(moment).collect();
            let told = match &step.listed {
                Some(listed) => play::opencode::report_new_problems(step.told, listed, &moments),
                None => step.told,
            };
            let verdict = judge(&moments, &told);
            if std::env::var_os("COPYDESK_TRUTH_TRACE").is_some() {
                println!(
                    "{:#?}\n{:#?}\n{}",
                    delta(&moments[0], &moments[moments.len() - 1]),
                    told,
                    step.read
                );
            }
            row(verdict.class, verdict.why, told.waited_ms)
        });
        judged.collect::<Vec<_>>()
    }));
    played.unwrap_or_else(|problem| {
        let words =
            problem.downcast_ref::<String>().map(String::as_str).or(problem.downcast_ref::<&str>().copied());
        vec![row(TruthClass::Failed, words.unwrap_or("it panicked").to_owned(), 0)]
    })
}

fn run(client: TruthClient<'_>, servers: &InstalledServers, is_short: bool) -> Vec<TruthRow> {
    let mut all = Vec::new();
    for (server, project, case) in wanted(servers, is_short) {
        let is_left_out = match client {
            TruthClient::Headless | TruthClient::Patient => false,
            // An editor has been open for a while.
            TruthClient::Neovim(_) => case.kind == TruthCaseKind::Cold,
            // Its TypeScript is the one that is built in.
            TruthClient::Vscode => case.kind == TruthCaseKind::Cold || server == "typescript-7",
            // OpenCode only knows the disk.
            TruthClient::OpenCode(_) => case.kind == TruthCaseKind::Unsaved,
        };
        if is_left_out {
            continue;
        }
        let begun = Instant::now();
        for row in rows(client, servers, server, &project, &case) {
            let seconds = begun.elapsed().as_secs_f64();
            println!("{seconds:5.1} s  {server}: {}: {} {}", row.case, table::class_name(row.class), row.why);
            all.push(row);
        }
    }
    all
}

/// The results as Markdown.
fn results(servers: &InstalledServers, rows: &[TruthRow]) -> String {
    let names = ALL.into_iter().filter(|server| servers.has(server));
    let names: Vec<_> = names.map(|server| (server.to_owned(), servers.version(server))).collect();
    format!("{}\n{}", table::table(rows, &names), table::inexact_answers(rows))
}

/// The first line of a program's output.
fn first_line(program: impl AsRef<OsStr>, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(arguments).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned()
}

/// The table of everything, headless and in Neovim if there is one. Stale or wrong answers fail; unknown or incomplete
/// ones are counted.
#[test]
#[ignore = "installs language servers and takes many minutes; tests/truth/run"]
fn table() {
    let servers = InstalledServers::installed();
    let clients = std::env::var("COPYDESK_TRUTH_CLIENTS")
        .unwrap_or_else(|_| "headless,load,neovim,vscode,opencode".to_owned());
    let program = |client: &str, variable: &str| {
        let named = std::env::var_os(variable).filter(|named| !named.is_empty() && clients.contains(client));
        named.and_then(|named| std::env::split_paths(&named).last())
    };
    let (neovim, opencode) =
        (program("neovim", "COPYDESK_TEST_NVIM"), program("opencode", "COPYDESK_TEST_OPENCODE"));
    let has_vscode = std::env::var_os("COPYDESK_TEST_VSCODE").is_some_and(|named| !named.is_empty());
    let vscode = has_vscode && clients.contains("vscode");
    let (mut all, mut text) = (Vec::new(), include_str!("truth/head.md").to_owned());
    text.push_str(&format!("\nPlayed on {}.\n", first_line("date", &["-u", "+%Y-%m-%d"])));
    for (name, client) in [
        ("Headless", clients.contains("headless").then_some(TruthClient::Headless)),
        (UNDER_LOAD, clients.contains("load").then_some(TruthClient::Headless)),
        ("In Neovim, by its own servers", neovim.as_deref().map(TruthClient::Neovim)),
        ("In VS Code, by its own servers", vscode.then_some(TruthClient::Vscode)),
        ("OpenCode, with its language servers switched on", opencode.as_deref().map(TruthClient::OpenCode)),
    ] {
        let Some(client) = client else {
            println!("{name}: left out, it is not installed or not wanted");
            continue;
        };
        let is_opencode = matches!(client, TruthClient::OpenCode(_));
        let version = match client {
            TruthClient::Headless | TruthClient::Patient => String::new(),
            TruthClient::Vscode => " (code-server, its TypeScript and vscode-languageclient)".to_owned(),
            TruthClient::Neovim(program) | TruthClient::OpenCode(program) => {
                format!(" ({})", first_line(program, &["--version"]))
            }
        };
        let busy = (name == UNDER_LOAD).then(|| BusyProcesses::start(4));
        let rows = run(client, &servers, false);
        drop(busy);
        text.push_str(&format!("\n## {name}{version}\n\n{}", results(&servers, &rows)));
        // Another program's answers are not our responsibility.
        all.extend(rows.into_iter().filter(|_| !is_opencode));
    }
    println!("\n{text}");
    if let Some(path) = std::env::var_os("COPYDESK_TRUTH_RESULTS") {
        std::fs::write(path, text).unwrap();
    }
    let bad =
        |row: &TruthRow| matches!(row.class, TruthClass::Stale | TruthClass::Wrong | TruthClass::Failed);
    assert!(!all.is_empty() && !all.iter().any(bad), "see the table");
}

/// A few cases of each server, none of them cold, with enough time: never stale, never wrong, never unknown.
#[test]
#[ignore = "needs language servers, which tests/run installs"]
fn selection() {
    let servers = InstalledServers::installed();
    let rows = run(TruthClient::Patient, &servers, true);
    let others: Vec<_> =
        rows.iter().filter(|row| row.class != TruthClass::Exact).map(|row| &row.case).collect();
    assert!(!rows.is_empty() && others.is_empty(), "{}", results(&servers, &rows));
}

/// Checks the cases by the compilers alone: an edit that is to break a file does.
#[test]
#[ignore = "needs compilers, which tests/run installs"]
fn cases() {
    let servers = InstalledServers::installed();
    let mut wrong = Vec::new();
    for (server, project, case) in wanted(&servers, false) {
        let mut before = project.files(&case);
        before.extend(case.buffers());
        let mut after = Some(before.clone());
        for call in case.steps.iter().flatten() {
            after = after.and_then(|state| call.apply_call(&state));
        }
        // Only patches and commands know their result; those cases are checked when they are played.
        let Some(after) = after else { continue };
        let edited: Vec<_> =
            after.keys().filter(|path| before.get(*path) != after.get(*path)).cloned().collect();
        let moment = |state: case::ProjectTexts| CompiledSnapshot {
            truth: compiler::compiler_problems(&servers, server, &state),
            state,
        };
        let delta = delta(&moment(before), &moment(after));
        let errors = delta.new.iter().filter(|problem| problem.is_error);
        let (here, there): (Vec<_>, Vec<_>) = errors.partition(|problem| edited.contains(&problem.path));
        let is_so = match case.kind {
            TruthCaseKind::Introduce => !here.is_empty(),
            TruthCaseKind::Fix => !delta.fixed.is_empty() && here.is_empty() && there.is_empty(),
            TruthCaseKind::BreakOpen | TruthCaseKind::BreakClosed => !there.is_empty(),
            TruthCaseKind::NoOp | TruthCaseKind::Warning => {
                here.is_empty() && there.is_empty() && delta.fixed.is_empty()
            }
            TruthCaseKind::Configuration => !here.is_empty() || !there.is_empty(),
            TruthCaseKind::Create => !here.is_empty() || !delta.fixed.is_empty(),
            _ => true,
        };
        if !is_so {
            wrong.push(format!("{server}/{:?}/{}: {delta:?}", case.kind, case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
