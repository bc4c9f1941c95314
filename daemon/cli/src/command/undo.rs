//! `copydesk undo`: undoes an agent's file changes. If a daemon runs, it does so through the editors' buffers;
//! else this process changes the files on disk.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use copydesk_host::session_host::SessionHost;
use copydesk_host::setup::UserSetup;
use copydesk_host::uri::path_of;
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::session::SessionParams;
use copydesk_protocol::table::{Redo, Undo as UndoMethod};
use copydesk_protocol::undo::{UndoOutcome, UndoParams, UndoResult, UndoScope};
use copydesk_session::{Id, Part, PartContent, Session, Store};
use copydesk_workspace::journal::{Journal, JournalLimits, entries_to_undo};

use super::connect_daemon::connect_daemon;
use crate::args::UndoArgs;
use crate::daemon_client::{DaemonClient, DaemonClientError};
use crate::terminal::{self, BAD, BOLD, DIM, GOOD, print, styled};

pub(crate) fn run(setup: &UserSetup, options: &UndoArgs) -> anyhow::Result<ExitCode> {
    // Several threads: a claim may wait for another task.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let (store, _) = Store::open(&setup.paths.data_dir)?;
        let (journal, _) = Journal::open(&setup.paths.data_dir, JournalLimits::default())?;
        let session = find(setup, &store, options).await?;
        let what = requested_action(&store, &journal, &session.id, options).await?;
        let result = match what {
            Some(what) => run_undo(setup, store, journal, &session.id, what, options.no_daemon).await?,
            None => UndoResult { files: Vec::new() },
        };
        report_result(setup, &result, options)
    })
}

enum UndoAction {
    Undo(UndoScope),
    Redo,
}

async fn find(setup: &UserSetup, store: &Store, options: &UndoArgs) -> anyhow::Result<Session> {
    match &options.session {
        Some(id) => Ok(store.session(id).await?),
        None => {
            let latest = store.latest_session(&setup.cwd).await?;
            latest.with_context(|| format!("there is no session in {}", setup.cwd.display()))
        }
    }
}

async fn requested_action(
    store: &Store,
    journal: &Journal,
    session: &Id,
    options: &UndoArgs,
) -> anyhow::Result<Option<UndoAction>> {
    Ok(match (options.redo, &options.call, options.turn, &options.after) {
        (true, ..) => Some(UndoAction::Redo),
        (_, Some(part), ..) => Some(UndoAction::Undo(UndoScope::Call(part.clone()))),
        (_, _, Some(turn), _) => Some(UndoAction::Undo(UndoScope::Turn(turn))),
        (.., Some(part)) => Some(UndoAction::Undo(UndoScope::After(part.clone()))),
        _ => last_turn(store, journal, session).await?.map(|turn| UndoAction::Undo(UndoScope::Turn(turn))),
    })
}

/// The last turn with changes that are not undone.
async fn last_turn(store: &Store, journal: &Journal, session: &Id) -> anyhow::Result<Option<u32>> {
    let parts = store.parts(session).await?;
    let calls = |part: &&Part| matches!(part.content, PartContent::Call(_));
    let all: BTreeMap<String, u32> =
        parts.iter().filter(calls).map(|part| (part.id.to_string(), part.turn)).collect();
    let entries = journal.entries(session.as_str()).await?;
    let names: Vec<String> = all.keys().cloned().collect();
    let in_effect = entries_to_undo(&entries, &names);
    Ok(in_effect.iter().filter_map(|entry| all.get(&entry.call)).max().copied())
}

async fn run_undo(
    setup: &UserSetup,
    store: Store,
    journal: Journal,
    session: &Id,
    what: UndoAction,
    no_daemon: bool,
) -> anyhow::Result<UndoResult> {
    if !no_daemon && let Some((client, _)) = connect_daemon().await {
        match by_daemon(&client, session, &what).await {
            // The daemon uses another store, without this session.
            Err(DaemonClientError::Refused { code: Some(ErrorCode::UnknownSession), .. }) => {}
            result => return Ok(result?),
        }
    }
    let host = Arc::new(SessionHost::new(setup.paths.clone(), store, Some(journal)));
    let hosted = host.open_session(session.as_str()).await?;
    Ok(match what {
        UndoAction::Undo(what) => hosted.undo(None, what).await?,
        UndoAction::Redo => hosted.redo(None).await?,
    })
}

async fn by_daemon(
    client: &DaemonClient,
    session: &Id,
    what: &UndoAction,
) -> Result<UndoResult, DaemonClientError> {
    let session = session.to_string();
    match what {
        UndoAction::Undo(what) => {
            client.request::<UndoMethod>(&UndoParams { session, what: what.clone() }).await
        }
        UndoAction::Redo => client.request::<Redo>(&SessionParams { session }).await,
    }
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
