//! A session that works in this process.

use std::sync::Weak;

use copydesk_config::LoadedConfig;
use copydesk_permission::AskReply;
use copydesk_protocol::event::EventInfo;
use copydesk_protocol::permission::PermissionReply;
use copydesk_protocol::question::QuestionReply;
use copydesk_session::{PromptRequest, Session, SessionHandle, Store};
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::journal::{Journal, JournalLimits};
use copydesk_workspace::reviews;
use tokio::sync::{mpsc, oneshot};

use super::attachments;
use super::review_backend::ReviewBackend;
use super::turn_follower::{FollowedSession, FollowerMessage, TurnOwner};
use super::user_request::UserRequest;
use crate::{configuration, terminal};
use copydesk_host::editors::AttachedEditors;
use copydesk_host::environment;
use copydesk_host::languages::LanguageServices;
use copydesk_host::session_builder::{self, SessionChoice, SessionServices};
use copydesk_host::session_host::convert;
use copydesk_host::setup::UserSetup;

/// As many events as the reader may be behind; then the session waits for it.
const ROOM: usize = 1024;

/// Opens the session and prompts it.
pub(super) async fn start(
    setup: &UserSetup,
    loaded: &LoadedConfig,
    choice: &SessionChoice,
    request: PromptRequest,
) -> anyhow::Result<(Session, FollowedSession)> {
    let (store, opened) = Store::open(&setup.paths.data_dir)?;
    if let Some(aside) = opened.moved_aside {
        terminal::warn(format_args!(
            "the sessions could not be read and were moved to {}; a new store was begun",
            aside.display()
        ));
    }
    let (events_in, mut events) = mpsc::channel(ROOM);
    let journal = journal(setup);
    let kept = reviews::ReviewTracker::new(journal.clone());
    let (buffers, processes, hub) = (Buffers::default(), environment::processes(loaded), Weak::new());
    let (editors, servers) =
        (AttachedEditors::default(), LanguageServices::new(buffers.clone(), setup.paths.home.clone()));
    let desk = SessionServices {
        buffers,
        journal,
        reviews: kept,
        processes,
        editors,
        servers: servers.clone(),
        host: hub,
    };
    let setting = session_builder::open_session(setup, loaded, store, &desk, choice, events_in).await?;
    configuration::print_warnings(loaded);
    attachments::warn(
        setup,
        loaded,
        (setting.session.model.as_deref(), &setting.session.agent),
        &request.files,
    );
    let (session, files) = (setting.session.clone(), setting.files.clone());
    let live = SessionHandle::start(setting).await?;
    live.prompt(request).await;
    let (tell, told) = mpsc::channel(1);
    let cancelled = live.clone();
    let reviews = ReviewBackend::Local { session: session.id.clone(), live: live.clone(), files };
    tokio::spawn(async move {
        while let Some(event) = events.recv().await {
            let event = convert::event(event);
            let more = match &event {
                EventInfo::Asked(ask) => {
                    let (answer, answered) = oneshot::channel();
                    tokio::spawn(reply(live.clone(), ask.ask.clone(), answered));
                    Some(FollowerMessage::Request {
                        request: UserRequest::Ask(ask.clone(), answer),
                        owner: TurnOwner::Ours,
                    })
                }
                EventInfo::Questioned(asked) => {
                    let (answer, answered) = oneshot::channel();
                    tokio::spawn(tell_answers(live.clone(), asked.question.clone(), answered));
                    let waiting = UserRequest::Questions(asked.clone(), answer);
                    Some(FollowerMessage::Request { request: waiting, owner: TurnOwner::Ours })
                }
                EventInfo::Settled { ask: id } | EventInfo::Answered { question: id } => {
                    Some(FollowerMessage::Settled { id: id.clone(), by: None })
                }
                _ => None,
            };
            for told in std::iter::once(FollowerMessage::Event(event)).chain(more) {
                if tell.send(told).await.is_err() {
                    return;
                }
            }
        }
    });
    let cancel = move || {
        let live = cancelled.clone();
        tokio::spawn(async move { live.cancel().await });
        // It ends with this process: nobody else has to know.
        oneshot::channel().1
    };
    Ok((session, FollowedSession { messages: told, reviews, cancel: Box::new(cancel) }))
}

async fn reply(live: SessionHandle, ask: String, answer: oneshot::Receiver<PermissionReply>) {
    let Ok(reply) = answer.await else { return };
    // Nobody else can be asked here.
    let reply = convert::reply(reply).unwrap_or(AskReply::Reject { reason: None });
    live.reply(&ask.as_str().into(), reply).await;
}

async fn tell_answers(live: SessionHandle, question: String, answer: oneshot::Receiver<QuestionReply>) {
    let Ok(reply) = answer.await else { return };
    // Nobody else can be asked here.
    live.answer(&question.as_str().into(), convert::answers(reply).unwrap_or(Err(None))).await;
}

/// What is done to files here is in the same journal as everybody's.
fn journal(setup: &UserSetup) -> Option<Journal> {
    match Journal::open(&setup.paths.data_dir, JournalLimits::default()) {
        Ok((journal, opened)) => {
            if let Some(aside) = opened.moved_aside {
                terminal::warn(format_args!(
                    "the journal of edits could not be read and was moved to {}; what it held cannot be undone",
                    aside.display()
                ));
            }
            Some(journal)
        }
        Err(error) => {
            terminal::warn(format_args!("{error}; what is done now cannot be undone"));
            None
        }
    }
}
