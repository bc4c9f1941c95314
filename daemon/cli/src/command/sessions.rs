//! `copydesk sessions`: lists, shows, searches, exports, imports and deletes sessions.

use std::io::Read;
use std::path::Path;

use anyhow::Context as _;
use copydesk_host::setup::UserSetup;
use copydesk_protocol::daemon::Empty;
use copydesk_protocol::session::SessionParams;
use copydesk_protocol::table::{SessionDelete, Status};
use copydesk_session::{
    Id, ReadOnlyStore, Session, SessionArchive, Store, StoreRecovery, context_line, markdown,
};
use copydesk_workspace::journal::{Journal, JournalLimits};

use super::connect_daemon::{connect_daemon, with_timeout};
use crate::args::{SessionsArgs, SessionsCommand};
use crate::terminal::{self, BOLD, DIM, date_of, print, styled};

/// No exported session is larger.
const MAX_IMPORT_BYTES: u64 = 1024 * 1024 * 1024;

/// Sessions listed by default.
const DEFAULT_LISTED: usize = 30;

pub(crate) fn run(setup: &UserSetup, options: &SessionsArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match &options.action {
            SessionsCommand::List { json, most } => list(&open_read_only(setup)?, *json, *most).await,
            SessionsCommand::Show { session, json: false } => {
                show(&open_read_only(setup)?, session, true).await
            }
            SessionsCommand::Export { session, markdown: true } => {
                show(&open_read_only(setup)?, session, false).await
            }
            SessionsCommand::Export { session, markdown: false }
            | SessionsCommand::Show { session, json: true } => export(&open_read_only(setup)?, session).await,
            SessionsCommand::Search { words, json } => {
                search(&open_read_only(setup)?, &words.join(" "), *json).await
            }
            SessionsCommand::Delete { session } => delete(setup, &open(setup)?, session).await,
            SessionsCommand::Import { file } => import(&open(setup)?, setup, file).await,
        }
    })
}

fn open(setup: &UserSetup) -> anyhow::Result<Store> {
    let (store, opened) = Store::open(&setup.paths.data_dir)?;
    warn_if_damaged(&opened);
    Ok(store)
}

fn open_read_only(setup: &UserSetup) -> anyhow::Result<ReadOnlyStore> {
    let (store, opened) = ReadOnlyStore::open(&setup.paths.data_dir)?;
    warn_if_damaged(&opened);
    Ok(store)
}

fn warn_if_damaged(opened: &StoreRecovery) {
    if let Some(what) = opened.describe() {
        terminal::warn(format_args!("{what}"));
    }
}

async fn list(store: &ReadOnlyStore, json: bool, most: Option<u32>) -> anyhow::Result<()> {
    let most = most.map_or(if json { usize::MAX } else { DEFAULT_LISTED }, |most| most as usize);
    // One more tells whether there are older ones.
    let mut sessions = store.sessions(most.saturating_add(1)).await?;
    let more = sessions.len() > most;
    sessions.truncate(most);
    if json {
        return terminal::print_json(&sessions);
    }
    if sessions.is_empty() {
        print("No sessions yet. `copydesk run \"what to do\"` begins one.")?;
    }
    for session in sessions {
        let title = if session.title.is_empty() { "(no title)" } else { &session.title };
        let place = session.folder.display();
        print(format!(
            "{}  {}  {title}  {}",
            styled(BOLD, &session.id),
            date_of(session.updated),
            styled(DIM, place)
        ))?;
    }
    if more {
        print(styled(DIM, format!("There are older ones: `--most {}` shows more.", most.saturating_mul(2))))?;
    }
    Ok(())
}

async fn show(store: &ReadOnlyStore, id: &str, has_context: bool) -> anyhow::Result<()> {
    let session = store.session(id).await?;
    let parts = store.parts(&session.id).await?;
    print(markdown(&session, &parts).trim_end())?;
    if let Some(line) = context_line(&parts).filter(|_| has_context) {
        print(format!("\n{}", styled(DIM, line)))?;
    }
    Ok(())
}

/// Deletes a session and its journal entries. If a daemon hosts it, the daemon does it; another process that
/// works on it is an error.
async fn delete(setup: &UserSetup, store: &Store, id: &str) -> anyhow::Result<()> {
    let Session { id, title, .. } = store.session(id).await?;
    if !deleted_by_daemon(&id).await? {
        let _claim = store.claim_session(&id).await?;
        store.delete_session(&id).await?;
        forget(setup, &id).await;
    }
    Ok(print(format!("Deleted {id} {title}").trim_end())?)
}

/// Whether the daemon hosts the session, and has deleted it.
async fn deleted_by_daemon(id: &Id) -> anyhow::Result<bool> {
    let Some((client, _)) = connect_daemon().await else { return Ok(false) };
    let status = with_timeout(client.request::<Status>(&Empty {})).await?;
    let is_hosted = status.sessions.iter().any(|hosted| hosted.session == id.as_str());
    if is_hosted {
        with_timeout(client.request::<SessionDelete>(&SessionParams { session: id.to_string() })).await?;
    }
    Ok(is_hosted)
}

/// Entries that could not be removed go when the journal is full.
async fn forget(setup: &UserSetup, id: &Id) {
    let forgotten = match Journal::open(&setup.paths.data_dir, JournalLimits::default()) {
        Ok((journal, _)) => journal.forget_session(id.as_str()).await,
        Err(error) => Err(error),
    };
    if let Err(error) = forgotten {
        terminal::warn(format_args!("{error}; the journal still holds the session's edits"));
    }
}

async fn export(store: &ReadOnlyStore, id: &str) -> anyhow::Result<()> {
    let session = store.session(id).await?;
    let parts = store.parts(&session.id).await?;
    terminal::print_json(&SessionArchive::new(session, parts))
}

async fn import(store: &Store, setup: &UserSetup, file: &Path) -> anyhow::Result<()> {
    let is_input = file == Path::new("-");
    let path = setup.cwd.join(file);
    let place = || if is_input { "standard input".to_owned() } else { path.display().to_string() };
    let mut text = String::new();
    let read = |source: &mut dyn Read, text: &mut String| source.take(MAX_IMPORT_BYTES).read_to_string(text);
    if is_input {
        read(&mut std::io::stdin().lock(), &mut text).with_context(place)?;
    } else {
        read(&mut std::fs::File::open(&path).with_context(place)?, &mut text).with_context(place)?;
    }
    let archive = SessionArchive::read(&text).with_context(place)?;
    let (id, count) = (archive.session.id.clone(), archive.parts.len());
    // The parent session may not exist here.
    store.put_session(Session { parent: None, preset: None, ..archive.session }).await?;
    store.put_parts(archive.parts).await?;
    Ok(print(format!("Imported as {id}, with {count} parts."))?)
}

async fn search(store: &ReadOnlyStore, words: &str, json: bool) -> anyhow::Result<()> {
    let hits = store.search(words, 50).await?;
    if json {
        return terminal::print_json(&hits);
    }
    if hits.is_empty() {
        print("Nothing was found.")?;
    }
    for hit in hits {
        let excerpt = hit.excerpt.split_whitespace().collect::<Vec<_>>().join(" ");
        print(format!("{}  {excerpt}  {}", styled(BOLD, &hit.session), styled(DIM, hit.title)))?;
    }
    Ok(())
}
