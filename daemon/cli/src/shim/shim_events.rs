//! The next event, from the editor or the daemon. Each is read only while the other's queue has room.

use bytes::Bytes;
use copydesk_protocol::error::ErrorCode;
use copydesk_rpc::frame::FrameError;
use copydesk_rpc::frame::head::{RpcMessageHead, RpcMessageKind};
use tokio::io::AsyncRead;
use tokio::time::sleep_until;

use super::{AttachedDaemon, INITIALIZE_TIMEOUT, Shim, messages};

pub(super) enum ShimEvent {
    Editor(Bytes),
    Daemon(Bytes),
    DaemonGone,
    EditorGone,
    /// A frame that was no message, already reported to its sender or receiver.
    Handled,
}

impl<R: AsyncRead + Unpin> Shim<R> {
    pub(super) async fn read(&mut self) -> ShimEvent {
        let Self { editor, daemon, to_editor, deferred, .. } = self;
        let Some(AttachedDaemon { frames, out, initialize_sent, .. }) = daemon else {
            if let Some(message) = deferred.take() {
                return ShimEvent::Editor(message);
            }
            let frame = tokio::select! {
                frame = editor.next() => frame,
                () = to_editor.closed() => return ShimEvent::EditorGone,
            };
            return self.editor_event(frame);
        };
        let initialize_sent = *initialize_sent;
        if let Some(message) = deferred.take_if(|_| initialize_sent.is_none()) {
            return ShimEvent::Editor(message);
        }
        let from_editor = async {
            out.room().await;
            editor.next().await
        };
        let from_daemon = async {
            to_editor.room().await;
            frames.next().await
        };
        let timed_out = async {
            match initialize_sent {
                Some(when) => sleep_until(when + INITIALIZE_TIMEOUT).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            frame = from_daemon => match frame {
                Ok(Some(Ok(message))) => ShimEvent::Daemon(message),
                Ok(Some(Err(error))) => {
                    to_editor.send(messages::log(&format!("The Copydesk daemon sent an invalid frame: {error}")));
                    ShimEvent::Handled
                }
                Ok(None) | Err(_) => ShimEvent::DaemonGone,
            },
            () = timed_out => ShimEvent::DaemonGone,
            () = to_editor.closed() => ShimEvent::EditorGone,
            // One message is read ahead, so that the end of the editor is noticed while a new daemon does not answer.
            frame = from_editor, if initialize_sent.is_none() || deferred.is_none() => self.editor_event(frame),
        }
    }

    fn editor_event(&mut self, frame: std::io::Result<Option<Result<Bytes, FrameError>>>) -> ShimEvent {
        match frame {
            Ok(Some(Ok(message))) => ShimEvent::Editor(message),
            Ok(Some(Err(error))) => {
                self.report_bad_frame(&error);
                ShimEvent::Handled
            }
            Ok(None) | Err(_) => ShimEvent::EditorGone,
        }
    }

    fn report_bad_frame(&mut self, error: &FrameError) {
        let text = error.to_string();
        if let FrameError::TooLong { head, .. } = error {
            match RpcMessageHead::guess(head).kind() {
                RpcMessageKind::Request { id, .. } => {
                    return self.to_editor.send(messages::error(id, ErrorCode::InvalidRequest, &text));
                }
                // A notification gets no response; tell the user that it was lost.
                RpcMessageKind::Notification { method } => {
                    if let ("textDocument/didChange", Some(uri)) = (method, uri_in(head)) {
                        self.close(&uri);
                    }
                    self.to_editor
                        .send(messages::show(&format!("Copydesk could not process {method}: {text}")));
                }
                RpcMessageKind::Response { .. } => {}
            }
        }
        self.to_editor.send(messages::unreadable(&text));
    }

    /// Closes a document that missed a change: the daemon must not work on a text that no editor has.
    fn close(&mut self, uri: &str) {
        let closed: Bytes = messages::did_close(uri).into();
        self.replay.note("textDocument/didClose", &closed);
        self.to_daemon(closed);
    }
}

/// The document of a cut-off notification: its URI comes before its text.
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
