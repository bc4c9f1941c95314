//! A session that works in this process.

use std::sync::Weak;

use copydesk_config::Loaded;
use copydesk_permission::Reply;
use copydesk_protocol::ask::PermissionReply;
use copydesk_protocol::event::Event;
use copydesk_protocol::question::QuestionReply;
use copydesk_session::{Live, Request, Session, Store};
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::journal::{Bound, Journal};
use copydesk_workspace::reviews;
use tokio::sync::{mpsc, oneshot};

use super::attach;
use super::follow::{Followed, Told, Whose};
use super::reviews::Reviews;
use super::waiting::Waiting;
use crate::{configuration, terminal};
use copydesk_host::editors::Editors;
use copydesk_host::environment;
use copydesk_host::hub::convert;
use copydesk_host::languages::Servers;
use copydesk_host::opening::{self, Choice, Desk};
use copydesk_host::setup::Setup;

/// As many events as the reader may be behind; then the session waits for it.
const ROOM: usize = 1024;

/// Opens the session and prompts it.
pub(super) async fn start(
    setup: &Setup,
    loaded: &Loaded,
    choice: &Choice,
    request: Request,
) -> anyhow::Result<(Session, Followed)> {
    let (store, opened) = Store::open(&setup.paths.data_dir)?;
    if let Some(aside) = opened.moved_aside {
        terminal::warn(format_args!(
            "the sessions could not be read and were moved to {}; a new store was begun",
            aside.display()
        ));
    }
    let (events_in, mut events) = mpsc::channel(ROOM);
    let journal = journal(setup);
    let kept = reviews::Reviews::new(journal.clone());
    let (buffers, processes, hub) = (Buffers::default(), environment::processes(loaded), Weak::new());
    let (editors, servers) = (Editors::default(), Servers::new(buffers.clone(), setup.paths.home.clone()));
    let desk = Desk { buffers, journal, reviews: kept, processes, editors, servers: servers.clone(), hub };
    let setting = opening::open(setup, loaded, store, &desk, choice, events_in).await?;
    configuration::print_warnings(loaded);
    attach::warn(setup, loaded, (setting.session.model.as_deref(), &setting.session.agent), &request.files);
    let (session, files) = (setting.session.clone(), setting.files.clone());
    let live = Live::start(setting).await?;
    live.prompt(request).await;
    let (tell, told) = mpsc::channel(1);
    let cancelled = live.clone();
    let reviews = Reviews::Here { session: session.id.clone(), live: live.clone(), files };
    tokio::spawn(async move {
        while let Some(event) = events.recv().await {
            let event = convert::event(event);
            let more = match &event {
                Event::Asked(ask) => {
                    let (answer, answered) = oneshot::channel();
                    tokio::spawn(reply(live.clone(), ask.ask.clone(), answered));
                    Some(Told::Waiting { waiting: Waiting::Ask(ask.clone(), answer), whose: Whose::Ours })
                }
                Event::Questioned(asked) => {
                    let (answer, answered) = oneshot::channel();
                    tokio::spawn(tell_answers(live.clone(), asked.question.clone(), answered));
                    let waiting = Waiting::Questions(asked.clone(), answer);
                    Some(Told::Waiting { waiting, whose: Whose::Ours })
                }
                Event::Settled { ask: id } | Event::Answered { question: id } => {
                    Some(Told::Settled { id: id.clone(), by: None })
                }
                _ => None,
            };
            for told in std::iter::once(Told::Event(event)).chain(more) {
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
    Ok((session, Followed { told, reviews, cancel: Box::new(cancel) }))
}

async fn reply(live: Live, ask: String, answer: oneshot::Receiver<PermissionReply>) {
    let Ok(reply) = answer.await else { return };
    // Nobody else can be asked here.
    let reply = convert::reply(reply).unwrap_or(Reply::Reject { reason: None });
    live.reply(&ask.as_str().into(), reply).await;
}

async fn tell_answers(live: Live, question: String, answer: oneshot::Receiver<QuestionReply>) {
    let Ok(reply) = answer.await else { return };
    // Nobody else can be asked here.
    live.answer(&question.as_str().into(), convert::answers(reply).unwrap_or(Err(None))).await;
}

/// What is done to files here is in the same journal as everybody's.
fn journal(setup: &Setup) -> Option<Journal> {
    match Journal::open(&setup.paths.data_dir, Bound::default()) {
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
