//! What a client in this program needs to work with a session: choose it, prompt it, and follow the turn of the prompt to its end.
//!
//! The session is in a daemon or in a host of this process ([`start_in_process`]); both are reached through a
//! [`DaemonClient`](crate::daemon_client::DaemonClient). `copydesk run` shows what comes out in a terminal; another client
//! translates it into its own protocol.

mod event_reader;
mod followed_session;
mod in_process;
mod own_turn;
mod review_requests;
mod session_choice;
mod user_request;

pub(crate) use followed_session::{FollowedSession, FollowerMessage, TurnOwner, prompt};
pub(crate) use in_process::start_in_process;
pub(crate) use review_requests::ReviewRequests;
pub(crate) use session_choice::{SessionChoice, find_session, open_chosen_session};
pub(crate) use user_request::UserRequest;
