//! `copydesk undo`: undoes an agent's file changes. If a daemon runs, it does so through the editors' buffers;
//! else this process changes the files on disk.

use std::collections::BTreeMap;
use std::process::ExitCode;

use copydesk_host::setup::UserSetup;
use copydesk_host::uri::path_of;
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::session::SessionParams;
use copydesk_protocol::table::{Redo, Undo};
use copydesk_protocol::undo::{UndoOutcome, UndoParams, UndoResult, UndoScope};

use super::connect_daemon::connect_daemon;
use crate::args::UndoArgs;
use crate::daemon_client::{DaemonClient, DaemonClientError};
use crate::session_client::{find_session, start_in_process};
use crate::terminal::{self, BAD, BOLD, DIM, GOOD, print, styled};

pub(crate) fn run(setup: &UserSetup, options: &UndoArgs) -> anyhow::Result<ExitCode> {
    // Several threads: a claim may wait for another task.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(undo(setup, options))?;
    report_result(setup, &result, options)
}

async fn undo(setup: &UserSetup, options: &UndoArgs) -> anyhow::Result<UndoResult> {
    if !options.no_daemon
        && let Some((client, _)) = connect_daemon().await
    {
        match request_undo(&client, setup, options).await {
            // The daemon uses another store, without this session.
            Err(DaemonClientError::Refused { code: Some(ErrorCode::UnknownSession), .. }) => {}
            result => return Ok(result?),
        }
    }
    let (client, _inbox) = start_in_process(setup).await?;
    Ok(request_undo(&client, setup, options).await?)
}

async fn request_undo(
    client: &DaemonClient,
    setup: &UserSetup,
    options: &UndoArgs,
) -> Result<UndoResult, DaemonClientError> {
    let session = find_session(client, &setup.cwd, options.session.as_deref()).await?.id;
    if options.redo {
        return client.request::<Redo>(&SessionParams { session }).await;
    }
    let what = match (&options.call, options.turn, &options.after) {
        (Some(part), ..) => Some(UndoScope::Call(part.clone())),
        (_, Some(turn), _) => Some(UndoScope::Turn(turn)),
        (.., Some(part)) => Some(UndoScope::After(part.clone())),
        _ => None,
    };
    client.request::<Undo>(&UndoParams { session, what }).await
}

fn report_result(setup: &UserSetup, result: &UndoResult, options: &UndoArgs) -> anyhow::Result<ExitCode> {
    let has = |outcome: UndoOutcome| result.files.iter().any(|file| file.outcome == outcome);
    let failed = has(UndoOutcome::Conflict) || has(UndoOutcome::Gone);
    let done = has(UndoOutcome::Undone) && !failed;
    if options.json {
        terminal::print_json(result)?;
    } else if result.files.is_empty() {
        print(if options.redo { "There is nothing to redo." } else { "There is nothing to undo." })?;
    } else {
        show(setup, result, options.redo)?;
    }
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One line per file, with its worst outcome.
fn show(setup: &UserSetup, result: &UndoResult, redo: bool) -> anyhow::Result<()> {
    let rank = |outcome: UndoOutcome| match outcome {
        UndoOutcome::Unchanged => 0,
        UndoOutcome::Undone => 1,
        UndoOutcome::Gone => 2,
        UndoOutcome::Conflict => 3,
    };
    let mut files = BTreeMap::new();
    for file in &result.files {
        let worst = files.entry(&file.uri).or_insert(file);
        if rank(file.outcome) > rank(worst.outcome) {
            *worst = file;
        }
    }
    for (uri, file) in files {
        let path = path_of(uri);
        let shown =
            path.as_ref().map(|path| path.strip_prefix(&setup.cwd).unwrap_or(path).display().to_string());
        let (mark, what) = match file.outcome {
            UndoOutcome::Undone => (styled(GOOD, "✓"), if redo { "redone" } else { "undone" }),
            UndoOutcome::Unchanged => (styled(DIM, "–"), "unchanged"),
            UndoOutcome::Gone => (styled(BAD, "✗"), "no longer there"),
            UndoOutcome::Conflict => (styled(BAD, "✗"), "left as it is"),
        };
        let reason = file.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
        print(format!("{mark} {} {what}{reason}", styled(BOLD, shown.as_deref().unwrap_or(uri))))?;
    }
    Ok(())
}
