//! Prompts a session, and hands over what happens until the turn of the prompt ends.

use std::sync::Arc;

use copydesk_host::session_host::convert;
use copydesk_protocol::event::EventInfo;
use copydesk_protocol::session::SessionInfo;
use copydesk_protocol::table::TurnStart;
use copydesk_protocol::turn::{TurnParams, TurnStartResult};
use copydesk_session::PromptRequest;
use tokio::sync::{mpsc, oneshot};

use super::event_reader::DaemonEventReader;
use super::review_requests::ReviewRequests;
use super::session_choice::load_session;
use super::user_request::UserRequest;
use crate::daemon_client::{DaemonClient, DaemonClientError, DaemonInbox};

#[derive(Debug)]
pub(crate) enum FollowerMessage {
    /// An event of the followed turn.
    Event(EventInfo),
    /// The user has to decide or answer.
    Request { request: UserRequest, owner: TurnOwner },
    /// A request was settled elsewhere.
    Settled { id: String, by: Option<String> },
    /// The undecided hunks may have changed.
    ReviewChanged,
    /// Our turn begins when the turn that runs now has ended.
    Queued,
    /// No more messages follow, with the reason.
    Closed(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnOwner {
    Ours,
    /// Another client's turn, which has to end before ours begins. An unattended run answers no ask of it.
    Others,
}

pub(crate) struct FollowedSession {
    pub(crate) messages: mpsc::Receiver<FollowerMessage>,
    pub(crate) reviews: ReviewRequests,
    /// Cancels the followed turn. The receiver ends, without a value, when the daemon has answered the cancellation.
    pub(crate) cancel: Box<dyn Fn() -> oneshot::Receiver<()> + Send>,
}

/// Sends a prompt to an open session. It takes the inbox, so one connection follows one prompt: a client of several prompts connects
/// once for each, or reads the inbox itself.
pub(crate) async fn prompt(
    client: Arc<DaemonClient>,
    inbox: DaemonInbox,
    session: &SessionInfo,
    request: PromptRequest,
) -> Result<FollowedSession, DaemonClientError> {
    let id = session.id.clone();
    let loaded = load_session(&client, &id).await?;
    let files = request.files.iter().map(convert::media_info).collect();
    let params = TurnParams {
        session: id.clone(),
        text: request.text,
        files,
        context: Vec::new(),
        context_of: None,
        unattended: request.is_unattended,
    };
    let TurnStartResult { queued, prompt } = client.request::<TurnStart>(&params).await?;
    let (messages_in, messages) = mpsc::channel(1);
    let reader = DaemonEventReader::new(Arc::clone(&client), id.clone(), loaded.seq, prompt, messages_in);
    let (cancel_sender, cancel) = mpsc::channel(1);
    tokio::spawn(reader.read(inbox, cancel, loaded, queued));
    // If the reader is gone, there is nothing to cancel; and one cancel is enough.
    let cancel = move || {
        let (confirm, confirmed) = oneshot::channel();
        let _ = cancel_sender.try_send(confirm);
        confirmed
    };
    let reviews = ReviewRequests { session: id, client };
    Ok(FollowedSession { messages, reviews, cancel: Box::new(cancel) })
}
