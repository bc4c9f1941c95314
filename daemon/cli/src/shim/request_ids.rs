//! Ids of the desk's requests. A new daemon counts from the beginning again, so an id alone does not tell whose question
//! an editor answers: an old "allow" must never reach a new ask.
//!
//! Requests of the first daemon pass as they are. From the second on their ids carry its number on the editor's side, and
//! an answer with another number, or none, is to a daemon that is gone.

use bytes::Bytes;
use copydesk_rpc::frame::head::locate_slice;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How many daemons there were before this one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DaemonGeneration(u32);

impl DaemonGeneration {
    pub(super) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// A request of the desk as the editor gets it.
    pub(super) fn to_editor(self, message: &Bytes, id: &str) -> Bytes {
        if self.0 == 0 {
            return message.clone();
        }
        let marked = serde_json::Value::from(format!("{}{id}", self.mark())).to_string();
        spliced(message, id, &marked)
    }

    /// An answer of the editor as the desk gets it; `None` where it is to an older daemon.
    pub(super) fn to_desk(self, message: &Bytes, id: &str) -> Option<Bytes> {
        if self.0 == 0 {
            return Some(message.clone());
        }
        let marked: String = serde_json::from_str(id).ok()?;
        Some(spliced(message, id, marked.strip_prefix(&self.mark())?))
    }

    /// The desk takes a request back: the id stands in the params.
    pub(super) fn cancel_to_editor(self, message: &Bytes) -> Bytes {
        #[derive(Deserialize)]
        struct ShimCancel<'a> {
            #[serde(borrow)]
            params: ShimCancelParams<'a>,
        }
        #[derive(Deserialize)]
        struct ShimCancelParams<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
        }
        match serde_json::from_slice::<ShimCancel<'_>>(message) {
            Ok(cancel) => self.to_editor(message, cancel.params.id.get()),
            Err(_) => message.clone(),
        }
    }

    fn mark(self) -> String {
        format!("copydesk-{}:", self.0)
    }
}

/// The message with a piece of it replaced.
fn spliced(message: &Bytes, piece: &str, by: &str) -> Bytes {
    let Some((before, after)) = locate_slice(message, piece)
        .and_then(|range| Some((message.get(..range.start)?, message.get(range.end..)?)))
    else {
        return message.clone();
    };
    [before, by.as_bytes(), after].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use copydesk_rpc::frame::head::RpcMessageHead;

    fn id(message: &Bytes) -> String {
        RpcMessageHead::read(message).unwrap().id.unwrap().to_owned()
    }

    #[test]
    fn the_first_daemon_is_passed_as_it_is() {
        let message = Bytes::from(r#"{"id":3,"method":"m"}"#);
        let first = DaemonGeneration::default();
        assert_eq!(first.to_editor(&message, "3"), message);
        assert_eq!(first.to_desk(&message, "3"), Some(message));
    }

    #[test]
    fn answers_reach_only_the_daemon_that_asked() {
        let (second, third) = (DaemonGeneration(1), DaemonGeneration(2));
        for raw in ["3", r#""a\"b""#, r#""copydesk-1:x""#] {
            let text = format!(r#"{{"id" : {raw} ,"method":"m"}}"#);
            let asked = Bytes::from(text.clone());
            let shown = second.to_editor(&asked, RpcMessageHead::read(&asked).unwrap().id.unwrap());
            assert_ne!(id(&shown), raw);
            let back = second.to_desk(&shown, RpcMessageHead::read(&shown).unwrap().id.unwrap());
            assert_eq!(back, Some(text.into()));
            assert_eq!(third.to_desk(&shown, RpcMessageHead::read(&shown).unwrap().id.unwrap()), None);
        }
        let old = Bytes::from(r#"{"id":3,"result":"allow"}"#);
        assert_eq!(second.to_desk(&old, RpcMessageHead::read(&old).unwrap().id.unwrap()), None);
    }

    #[test]
    fn a_request_that_is_taken_back_is_the_one_that_was_shown() {
        let cancel = Bytes::from(r#"{"method":"$/cancelRequest","params":{"id":3}}"#);
        assert_eq!(DaemonGeneration::default().cancel_to_editor(&cancel), cancel);
        let expected = r#"{"method":"$/cancelRequest","params":{"id":"copydesk-1:3"}}"#;
        assert_eq!(DaemonGeneration(1).cancel_to_editor(&cancel), expected);
    }
}
