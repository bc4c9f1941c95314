//! Ids of the daemon's requests. A new daemon counts from the start, so an id alone does not tell which
//! daemon's request an editor answers: an old "allow" must never answer a new ask.
//!
//! The first daemon's ids pass unchanged. From the second on, the editor sees ids with the daemon's number; a
//! response with another number, or none, is for a daemon that is gone.

use bytes::Bytes;
use copydesk_rpc::frame::head::locate_slice;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How many daemons came before this one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DaemonGeneration(u32);

impl DaemonGeneration {
    pub(super) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// The daemon's request as the editor gets it.
    pub(super) fn to_editor(self, message: &Bytes, id: &str) -> Bytes {
        if self.0 == 0 {
            return message.clone();
        }
        let marked = serde_json::Value::from(format!("{}{id}", self.mark())).to_string();
        spliced(message, id, &marked)
    }

    /// The editor's response as the daemon gets it; `None` if it is for an older daemon.
    pub(super) fn to_daemon(self, message: &Bytes, id: &str) -> Option<Bytes> {
        if self.0 == 0 {
            return Some(message.clone());
        }
        let marked: String = serde_json::from_str(id).ok()?;
        Some(spliced(message, id, marked.strip_prefix(&self.mark())?))
    }

    /// The daemon cancels a request: its id is in the params.
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

/// Replaces a piece of the message.
fn spliced(message: &Bytes, piece: &str, replacement: &str) -> Bytes {
    let Some((before, after)) = locate_slice(message, piece)
        .and_then(|range| Some((message.get(..range.start)?, message.get(range.end..)?)))
    else {
        return message.clone();
    };
    [before, replacement.as_bytes(), after].concat().into()
}

#[cfg(test)]
mod tests {
    use copydesk_rpc::frame::head::RpcMessageHead;

    use super::*;

    fn id(message: &Bytes) -> String {
        RpcMessageHead::read(message).unwrap().id.unwrap().to_owned()
    }

    #[test]
    fn the_first_daemon_is_passed_as_it_is() {
        let message = Bytes::from(r#"{"id":3,"method":"m"}"#);
        let first = DaemonGeneration::default();
        assert_eq!(first.to_editor(&message, "3"), message);
        assert_eq!(first.to_daemon(&message, "3"), Some(message));
    }

    #[test]
    fn answers_reach_only_the_daemon_that_asked() {
        let (second, third) = (DaemonGeneration(1), DaemonGeneration(2));
        for raw in ["3", r#""a\"b""#, r#""copydesk-1:x""#] {
            let text = format!(r#"{{"id" : {raw} ,"method":"m"}}"#);
            let asked = Bytes::from(text.clone());
            let shown = second.to_editor(&asked, RpcMessageHead::read(&asked).unwrap().id.unwrap());
            assert_ne!(id(&shown), raw);
            let back = second.to_daemon(&shown, RpcMessageHead::read(&shown).unwrap().id.unwrap());
            assert_eq!(back, Some(text.into()));
            assert_eq!(third.to_daemon(&shown, RpcMessageHead::read(&shown).unwrap().id.unwrap()), None);
        }
        let old = Bytes::from(r#"{"id":3,"result":"allow"}"#);
        assert_eq!(second.to_daemon(&old, RpcMessageHead::read(&old).unwrap().id.unwrap()), None);
    }

    #[test]
    fn a_request_that_is_taken_back_is_the_one_that_was_shown() {
        let cancel = Bytes::from(r#"{"method":"$/cancelRequest","params":{"id":3}}"#);
        assert_eq!(DaemonGeneration::default().cancel_to_editor(&cancel), cancel);
        let expected = r#"{"method":"$/cancelRequest","params":{"id":"copydesk-1:3"}}"#;
        assert_eq!(DaemonGeneration(1).cancel_to_editor(&cancel), expected);
    }
}
