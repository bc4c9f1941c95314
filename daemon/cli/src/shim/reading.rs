//! What comes next: from the editor or from the daemon, each only if there is room for it on the other side.

use bytes::Bytes;
use copydesk_protocol::error::ErrorCode;
use copydesk_rpc::frame::FrameError;
use copydesk_rpc::frame::head::{Head, Message};
use tokio::io::AsyncRead;
use tokio::time::sleep_until;

use super::{Desk, PATIENCE, Shim, say};

pub(super) enum Event {
    Editor(Bytes),
    Desk(Bytes),
    DeskGone,
    EditorGone,
    /// Something that was no message; whoever sent it, or should have got it, has been told.
    Told,
}

impl<R: AsyncRead + Unpin> Shim<R> {
    pub(super) async fn read(&mut self) -> Event {
        let Self { editor, desk, to_editor, held, .. } = self;
        let Some(Desk { frames, out, greeted, .. }) = desk else {
            if let Some(message) = held.take() {
                return Event::Editor(message);
            }
            let frame = tokio::select! {
                frame = editor.next() => frame,
                () = to_editor.closed() => return Event::EditorGone,
            };
            return self.editor_event(frame);
        };
        let greeted = *greeted;
        if let Some(message) = held.take_if(|_| greeted.is_none()) {
            return Event::Editor(message);
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
                Ok(Some(Ok(message))) => Event::Desk(message),
                Ok(Some(Err(error))) => {
                    to_editor.send(say::log(&format!("The Copydesk daemon sent something odd: {error}")));
                    Event::Told
                }
                Ok(None) | Err(_) => Event::DeskGone,
            },
            () = given_up => Event::DeskGone,
            () = to_editor.closed() => Event::EditorGone,
            frame = from_editor, if greeted.is_none() => self.editor_event(frame),
        }
    }

    fn editor_event(&mut self, frame: std::io::Result<Option<Result<Bytes, FrameError>>>) -> Event {
        match frame {
            Ok(Some(Ok(message))) => Event::Editor(message),
            Ok(Some(Err(error))) => {
                self.tell_editor(&error);
                Event::Told
            }
            Ok(None) | Err(_) => Event::EditorGone,
        }
    }

    fn tell_editor(&mut self, error: &FrameError) {
        let text = error.to_string();
        if let FrameError::TooLong { head, .. } = error {
            match Head::guess(head).message() {
                Message::Request { id, .. } => {
                    return self.to_editor.send(say::error(id, ErrorCode::InvalidRequest, &text));
                }
                // Nobody waits for an answer; a person should know that it was lost.
                Message::Notification { method } => {
                    if let ("textDocument/didChange", Some(uri)) = (method, uri_in(head)) {
                        self.close(&uri);
                    }
                    self.to_editor.send(say::show(&format!("Copydesk could not take {method}: {text}")));
                }
                Message::Answer { .. } => {}
            }
        }
        self.to_editor.send(say::unreadable(&text));
    }

    /// A document that missed a change is worse than none: the desk must not work on a text that nobody has.
    fn close(&mut self, uri: &str) {
        let closed: Bytes = say::closed(uri).into();
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
