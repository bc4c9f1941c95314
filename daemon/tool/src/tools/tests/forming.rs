//! Formatters: programs that run for what a call is about to write, and for nothing else.

use std::sync::Arc;
use std::time::Duration;

use copydesk_servers::DiskView;
use copydesk_servers::format::{Formatter, Formatters};
use copydesk_servers::program_search::ProgramSearch;
use copydesk_workspace::process::Processes;
use copydesk_workspace::process::sandbox::ProgramSandbox;
use serde_json::json;

use super::fixture::{ToolFixture, fixture, fixture_with_asker};
use crate::context::ToolContext;
use crate::denial::PermissionDenial;

/// A formatter for everything, by this script, which runs in the workspace.
fn with(fixture: &ToolFixture, script: &str) -> ToolContext {
    let environment = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
    let root = fixture.path("").canonicalize().unwrap();
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    let formatter = Formatter { command, extensions: vec![".txt".to_owned()], ..Formatter::default() };
    let formatters = Formatters {
        formatters: vec![formatter],
        server: None,
        search: ProgramSearch::new(Arc::new(DiskView), environment.clone(), "/".into(), true),
        root,
        processes: Processes::new(environment),
        sandbox: ProgramSandbox::default(),
        timeout: Duration::from_secs(60),
    };
    ToolContext { formatters: Some(formatters), ..fixture.context() }
}

#[tokio::test]
async fn what_is_written_has_its_form_and_is_asked_about_in_it() {
    let fixture = fixture(&[]);
    let context = with(&fixture, "touch ran; tr a-z A-Z");
    let arguments = json!({ "filePath": "a.txt", "content": "abc\n" }).to_string();
    let outcome = fixture.registry().run_raw_call("write", &arguments, context).await;
    assert!(outcome.output.contains("The formatter changed the form of a.txt."), "{}", outcome.output);
    assert_eq!((fixture.bytes("a.txt"), fixture.path("ran").exists()), ("ABC\n".to_owned(), true));
}

#[tokio::test]
async fn for_what_a_rule_denies_no_formatter_runs() {
    let fixture = fixture_with_asker(&[], |ask| match &*ask.key {
        "edit" => Err(PermissionDenial::ByRule { why: "denied".to_owned() }),
        _ => Ok(()),
    });
    let context = with(&fixture, "touch ran; tr a-z A-Z");
    let arguments = json!({ "filePath": "a.txt", "content": "abc\n" }).to_string();
    let outcome = fixture.registry().run_raw_call("write", &arguments, context).await;
    assert!(outcome.error_kind.is_some());
    assert_eq!(
        fixture.tree().len(),
        0,
        "neither the file nor what the formatter leaves: {:?}",
        fixture.tree()
    );
}
