//! The bench of questions about code: real servers in real projects of at least 200 files, each answer compared with places that were
//! checked by hand.
//!
//! `tests/navigation/run` plays all of it and writes `tests/navigation/RESULTS.md`. It is no part of the gate.
//!
//! Environment: `COPYDESK_TEST_SERVERS` and `COPYDESK_TEST_PROJECTS` name what is installed; `COPYDESK_NAVIGATION` selects by a part of
//! `PART/SERVER`, where the part is `pool`, `syntax`, `neovim`, `names`, `rename` or `opencode`; `COPYDESK_NAVIGATION_RESULTS` is a file for the results;
//! `COPYDESK_NAVIGATION_TRACE` prints the answers.

mod asked_project;
mod judge;
mod name_accuracy;
mod opencode_cost;
mod question;
mod rename_cost;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Command;

use asked_project::{AnswerSource, AskedProject};
use judge::{AnswerGrade, JudgedAnswer, judge};
use question::BenchProject;

use crate::truth::servers::InstalledServers;

/// A server, and the project that it is asked about.
type BenchPair<'a> = (&'a str, &'a BenchProject);

fn is_wanted(part: &str, server: &str) -> bool {
    let filter = std::env::var("COPYDESK_NAVIGATION").unwrap_or_default();
    let name = format!("{part}/{server}");
    filter.split(',').any(|wanted| name.contains(wanted))
}

/// Every question of a project, by one source.
fn ask_all(
    source: AnswerSource<'_>,
    servers: &InstalledServers,
    (server, project): BenchPair<'_>,
) -> Vec<JudgedAnswer> {
    let mut asked = AskedProject::open(source, (servers, server), project, true);
    let calls: Vec<_> = project.questions.iter().map(|question| ("lsp", question.arguments())).collect();
    let answers = asked.call(&calls);
    let column = if source == AnswerSource::Syntax { &project.name } else { server };
    let judged = project.questions.iter().zip(&answers).map(|(question, answer)| {
        let judged = judge(column, question, answer);
        let (grade, operation, title) = (judged.grade, &judged.operation, &judged.title);
        if grade != AnswerGrade::Exact {
            println!("{source:?} {server}: {grade:?} {operation} {title}: {}", judged.why);
        }
        if std::env::var_os("COPYDESK_NAVIGATION_TRACE").is_some() {
            println!("{}\n{}\n{:?}\n", question.arguments(), answer.text, answer.places);
        }
        judged
    });
    judged.collect()
}

/// What cannot be played does not end the rest; it is named on the page.
fn attempt<T>(failed: &mut Vec<String>, name: String, play: impl FnOnce() -> T) -> Option<T> {
    println!("{name}");
    let played = catch_unwind(AssertUnwindSafe(play));
    if played.is_err() {
        failed.push(name);
    }
    played.ok()
}

/// The newest Neovim that is installed.
fn neovim() -> Option<PathBuf> {
    let named = std::env::var_os("COPYDESK_TEST_NVIM").filter(|named| !named.is_empty())?;
    std::env::split_paths(&named).last()
}

/// All results as Markdown. Wrong answers fail.
#[test]
#[ignore = "installs language servers and projects and takes many minutes; tests/navigation/run"]
fn results() {
    let (servers, projects, neovim) = (InstalledServers::installed(), BenchProject::installed(), neovim());
    let pairs: Vec<BenchPair<'_>> = projects
        .iter()
        .flat_map(|project| project.servers.iter().map(move |server| (server.as_str(), project)))
        .filter(|(server, _)| servers.has(server))
        .collect();
    let columns: Vec<_> = pairs
        .iter()
        .map(|(server, _)| ((*server).to_owned(), format!("{server} {}", servers.version(server))))
        .collect();
    let languages: Vec<_> =
        projects.iter().map(|project| (project.name.clone(), project.name.clone())).collect();
    let date = Command::new("date").args(["-u", "+%Y-%m-%d"]).output().unwrap().stdout;
    let mut text = include_str!("head.md").to_owned();
    text.push_str(&table::projects(&projects));
    text.push_str(&format!("\nPlayed on {}.\n", String::from_utf8_lossy(&date).trim()));
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    let sources = [
        ("pool", "The daemon's own servers", Some(AnswerSource::Pool)),
        ("neovim", "Neovim's servers", neovim.as_deref().map(AnswerSource::Neovim)),
        ("syntax", "Syntax trees, without a server", Some(AnswerSource::Syntax)),
    ];
    for (part, heading, source) in sources {
        let Some(source) = source else { continue };
        let mut answers = Vec::new();
        let mut asked = Vec::new();
        for (server, project) in pairs.iter().filter(|(server, _)| is_wanted(part, server)) {
            // Without a server, the same project need not be asked twice.
            if source != AnswerSource::Syntax || !asked.contains(&&project.name) {
                let ask = || ask_all(source, &servers, (server, project));
                answers.extend(attempt(&mut failed, format!("{part}/{server}"), ask).unwrap_or_default());
                asked.push(&project.name);
            }
        }
        if !answers.is_empty() {
            let columns = if source == AnswerSource::Syntax { &languages } else { &columns };
            text.push_str(&format!("\n## {heading}\n\n{}\n", table::table(&answers, columns)));
            text.push_str(&table::inexact_answers(&answers));
        }
        all.extend(answers);
    }
    let (mut accuracy, mut costs, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for (server, project) in &pairs {
        if is_wanted("names", server) {
            let compare = || name_accuracy::compare(&servers, server, project);
            accuracy.extend(attempt(&mut failed, format!("names/{server}"), compare));
        }
        if is_wanted("rename", server) {
            let compare = || rename_cost::compare(&servers, server, project);
            costs.extend(attempt(&mut failed, format!("rename/{server}"), compare));
        }
        if is_wanted("opencode", server)
            && let Some(program) = crate::opencode::program()
        {
            let compare = || opencode_cost::compare(&program, &servers, server, project);
            beside.extend(attempt(&mut failed, format!("opencode/{server}"), compare));
        }
    }
    text.push_str(&table::accuracy(&accuracy));
    text.push_str(&table::rename_costs(&costs));
    text.push_str(&table::beside_opencode(&beside));
    failed.iter().for_each(|name| text.push_str(&format!("\n{name} could not be played.\n")));
    println!("\n{text}");
    if let Some(path) = std::env::var_os("COPYDESK_NAVIGATION_RESULTS") {
        std::fs::write(path, text).unwrap();
    }
    let is_wrong = |answer: &JudgedAnswer| answer.grade == AnswerGrade::Wrong;
    assert!(failed.is_empty() && !all.iter().any(is_wrong), "see the table");
}
