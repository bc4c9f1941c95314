//! What comes next: from the editor or from the daemon, each only if there is room for it on the other side.

use bytes::Bytes;
use copydesk_protocol::error::ErrorCode;
use copydesk_rpc::frame::FrameError;
use copydesk_rpc::frame::head::{RpcMessageHead, RpcMessageKind};
use tokio::io::AsyncRead;
use tokio::time::sleep_until;

use super::{AttachedDaemon, PATIENCE, Shim, messages};

pub(super) enum ShimEvent {
    Editor(Bytes),
    Daemon(Bytes),
    DaemonGone,
    EditorGone,
    /// Something that was no message; whoever sent it, or should have got it, has been told.
    Handled,
}

impl<R: AsyncRead + Unpin> Shim<R> {
    pub(super) async fn read(&mut self) -> ShimEvent {
        let Self { editor, daemon: desk, to_editor, held, .. } = self;
        let Some(AttachedDaemon { frames, out, initialize_sent: greeted, .. }) = desk else {
            if let Some(message) = held.take() {
                return ShimEvent::Editor(message);
            }
            let frame = tokio::select! {
                frame = editor.next() => frame,
                () = to_editor.closed() => return ShimEvent::EditorGone,
            };
            return self.editor_event(frame);
        };
        let greeted = *greeted;
        if let Some(message) = held.take_if(|_| greeted.is_none()) {
            return ShimEvent::Editor(message);
        }
        let from_editor = async {
            out.room().await;
            editor.next().await
        };
        let from_desk = async {
            to_editor.room().await;
            frames.next().await
        };
        let given_up = async {
            match greeted {
                Some(when) => sleep_until(when + PATIENCE).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            frame = from_desk => match frame {
                Ok(Some(Ok(message))) => ShimEvent::Daemon(message),
                Ok(Some(Err(error))) => {
                    to_editor.send(messages::log(&format!("The Copydesk daemon sent something odd: {error}")));
                    ShimEvent::Handled
                }
                Ok(None) | Err(_) => ShimEvent::DaemonGone,
            },
            () = given_up => ShimEvent::DaemonGone,
            () = to_editor.closed() => ShimEvent::EditorGone,
            frame = from_editor, if greeted.is_none() => self.editor_event(frame),
        }
    }

    fn editor_event(&mut self, frame: std::io::Result<Option<Result<Bytes, FrameError>>>) -> ShimEvent {
        match frame {
            Ok(Some(Ok(message))) => ShimEvent::Editor(message),
            Ok(Some(Err(error))) => {
                self.tell_editor(&error);
                ShimEvent::Handled
            }
            Ok(None) | Err(_) => ShimEvent::EditorGone,
        }
    }

    fn tell_editor(&mut self, error: &FrameError) {
        let text = error.to_string();
        if let FrameError::TooLong { head, .. } = error {
            match RpcMessageHead::guess(head).kind() {
                RpcMessageKind::Request { id, .. } => {
                    return self.to_editor.send(messages::error(id, ErrorCode::InvalidRequest, &text));
                }
                // Nobody waits for an answer; a person should know that it was lost.
                RpcMessageKind::Notification { method } => {
                    if let ("textDocument/didChange", Some(uri)) = (method, uri_in(head)) {
                        self.close(&uri);
                    }
                    self.to_editor.send(messages::show(&format!("Copydesk could not take {method}: {text}")));
                }
                RpcMessageKind::Response { .. } => {}
            }
        }
        self.to_editor.send(messages::unreadable(&text));
    }

    /// A document that missed a change is worse than none: the desk must not work on a text that nobody has.
    fn close(&mut self, uri: &str) {
        let closed: Bytes = messages::did_close(uri).into();
        self.memory.note("textDocument/didClose", &closed);
        self.to_desk(closed);
    }
}

/// The document of a notification of which only the beginning is there: it is named before its text.
fn uri_in(head: &[u8]) -> Option<String> {
    let key = memchr::memmem::find(head, b"\"uri\"")?;
    let value = head.get(key + 5..)?.trim_ascii_start().strip_prefix(b":")?;
    serde_json::Deserializer::from_slice(value).into_iter().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_named_before_its_text() {
        let head =
            br#"{"method":"m","params":{"textDocument":{"version":1, "uri" : "file:///a%20\"b"},"contentCh"#;
        assert_eq!(uri_in(head).as_deref(), Some(r#"file:///a%20"b"#));
        for none in [&b"{}"[..], br#"{"uri"#, br#"{"uri":"file:///cu"#, br#"{"uri":1}"#] {
            assert_eq!(uri_in(none), None);
        }
    }
}
