//! The reviews of the session that is followed: in this process or in the daemon, to whoever decides the same.

use std::sync::Arc;

use copydesk_protocol::review::{
    Decided, DecidedOutcome, Review, ReviewDecideParams, ReviewDecision, ReviewListParams,
};
use copydesk_protocol::table::{ReviewDecide, ReviewList};
use copydesk_session::{Id, Live};
use copydesk_workspace::files::Files;

use crate::client::Client;
use copydesk_host::reviews;

#[derive(Clone)]
pub(super) enum Reviews {
    Here { session: Id, live: Live, files: Files },
    There { session: String, client: Arc<Client> },
}

impl Reviews {
    /// What is left to decide of what an ask is about. Nothing where that is no edit, or where the desk cannot be asked.
    pub(super) async fn of(&self, ask: &str) -> Vec<Review> {
        let all = match self {
            Self::Here { session, files, .. } => reviews::list(files, session.as_str(), None, 0).await,
            Self::There { session, client } => {
                let params = ReviewListParams { session: session.clone(), ..ReviewListParams::default() };
                let listed = client.request::<ReviewList>(&params).await;
                listed.map(|listed| listed.reviews).unwrap_or_default()
            }
        };
        all.into_iter().filter(|review| review.ask.as_deref() == Some(ask)).collect()
    }

    /// Carried out when this is done; else why not.
    pub(super) async fn decide(&self, decision: ReviewDecision) -> Result<(), String> {
        let decided = match self {
            Self::Here { session, live, files } => {
                let decided = reviews::decide(files, session.as_str(), vec![decision]).await;
                for ask in files.reviews().settled_asks(session.as_str()) {
                    live.reviewed(&Id::from(ask.as_str())).await;
                }
                decided
            }
            Self::There { session, client } => {
                let params = ReviewDecideParams { session: session.clone(), decisions: vec![decision] };
                client.request::<ReviewDecide>(&params).await.map_err(|error| error.to_string())?.decided
            }
        };
        match decided.into_iter().next() {
            Some(Decided { outcome: DecidedOutcome::Done, .. }) => Ok(()),
            other => Err(other.and_then(|decided| decided.message).unwrap_or_default()),
        }
    }
}
