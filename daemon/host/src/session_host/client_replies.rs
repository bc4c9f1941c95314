//! Replies of clients to asks and questions: the first one counts.
//!
//! A reply of "always" with patterns that cannot be kept does not count: the client gets its ask again, with the reason, and the user
//! edits once more.

use copydesk_permission::{AlwaysScope, AskReply, check_always_patterns};
use copydesk_protocol::permission::{PermissionAskInfo, PermissionReply};
use copydesk_protocol::question::QuestionReply;
use copydesk_session::Id;
use copydesk_workspace::buffers::ClientId;

use super::{HostedSession, SessionHost, ask_messages, convert};
use crate::project_replies;
use crate::trust::trusted_root;

impl HostedSession {
    /// Passes a client's reply on. A late one is ignored.
    pub async fn reply(&self, ask: &str, by: (ClientId, &str), reply: PermissionReply) {
        let Some(reply) = convert::reply(reply) else { return };
        let Some(asked) = self.lock().view.asks.get(ask).cloned() else { return };
        if let Err(problem) = check_reply(&asked, &reply) {
            return self.ask_again(by.0, asked, problem);
        }
        if !self.claim_reply(ask, by) {
            return;
        }
        let Ok(host) = self.host() else { return };
        let is_for_project = matches!(reply, AskReply::Always { scope: AlwaysScope::Project, .. });
        if let Err(problem) = self.keep_for_project(&host, &asked, &reply) {
            self.lock().replied.remove(ask);
            return self.ask_again(by.0, asked, problem);
        }
        if let Some(runtime) = self.runtime.lock().await.runtime() {
            runtime.handle.reply(&Id::from(ask), reply).await;
        }
        if is_for_project {
            host.refresh_project_replies(&trusted_root(&host.setup(&self.session().folder))).await;
        }
    }

    /// Passes a client's answers on. Late ones are ignored.
    pub async fn answer(&self, question: &str, by: (ClientId, &str), reply: QuestionReply) {
        let Some(answers) = convert::answers(reply) else { return };
        if !self.claim_reply(question, by) {
            return;
        }
        if let Some(runtime) = self.runtime.lock().await.runtime() {
            runtime.handle.answer(&Id::from(question), answers).await;
        }
    }

    /// Stores what counts for the project. The error is for the user.
    fn keep_for_project(
        &self,
        host: &SessionHost,
        asked: &PermissionAskInfo,
        reply: &AskReply,
    ) -> Result<(), String> {
        let AskReply::Always { scope: AlwaysScope::Project, patterns } = reply else { return Ok(()) };
        let setup = host.setup(&self.session().folder);
        if !project_replies::may_keep(&setup) {
            return Err("you do not trust this folder, so nothing is always allowed in it; allow the call once, or for this \
                        session"
                .to_owned());
        }
        let patterns = patterns.as_ref().unwrap_or(&asked.always);
        project_replies::keep(&setup, &asked.key, patterns).map_err(|error| format!("not kept: {error}"))
    }

    fn ask_again(&self, client: ClientId, asked: PermissionAskInfo, problem: String) {
        let state = self.lock();
        if let Some(outbox) = state.attached.get(&client) {
            let asked = PermissionAskInfo { problem: Some(problem), ..asked };
            outbox.send(ask_messages::ask_message(self.id(), &asked));
        }
    }

    /// Records the first reply to an open ask or question. Returns false for any other.
    fn claim_reply(&self, ask: &str, (client, name): (ClientId, &str)) -> bool {
        let mut state = self.lock();
        let is_open = state.view.asks.contains_key(ask) || state.view.questions.contains_key(ask);
        if !is_open || state.replied.contains_key(ask) {
            return false;
        }
        state.replied.insert(ask.to_owned(), (client, name.to_owned()));
        true
    }
}

fn check_reply(asked: &PermissionAskInfo, reply: &AskReply) -> Result<(), String> {
    let AskReply::Always { scope, patterns } = reply else { return Ok(()) };
    // Clients from before scopes and patterns may say always to any ask: it is then allowed this once.
    if patterns.is_none() && *scope == AlwaysScope::Session {
        return Ok(());
    }
    let patterns = patterns.as_ref().unwrap_or(&asked.always);
    check_always_patterns(&asked.key, &asked.always, *scope, patterns).map_err(|error| error.to_string())
}
