//! Reads a message's id and method without parsing the rest.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RpcMessageHead<'a> {
    /// The raw JSON of the id; `null` counts as none.
    pub id: Option<&'a str>,
    /// Unescaped: Neovim 0.10 writes `\/` for `/`.
    pub method: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcMessageKind<'a> {
    Request {
        id: &'a str,
        method: &'a str,
    },
    Notification {
        method: &'a str,
    },
    /// Without an id, it answers a message that the peer could not read.
    Response {
        id: Option<&'a str>,
    },
}

impl<'a> RpcMessageHead<'a> {
    /// Reads a whole message, which must be one JSON object.
    pub fn read(message: &'a [u8]) -> Result<Self, serde_json::Error> {
        let found = MessageHeadVisitor::default();
        let mut json = serde_json::Deserializer::from_slice(message);
        json.deserialize_map(&found)?;
        json.end()?;
        Ok(found.head())
    }

    /// Reads what it can from the beginning of a message.
    pub fn guess(beginning: &'a [u8]) -> Self {
        let found = MessageHeadVisitor::default();
        let _ = serde_json::Deserializer::from_slice(beginning).deserialize_map(&found);
        found.head()
    }

    pub fn kind(&self) -> RpcMessageKind<'_> {
        match (self.id, self.method.as_deref()) {
            (Some(id), Some(method)) => RpcMessageKind::Request { id, method },
            (None, Some(method)) => RpcMessageKind::Notification { method },
            (id, None) => RpcMessageKind::Response { id },
        }
    }
}

/// The byte range of `piece`, a slice of `message`.
pub fn locate_slice(message: &[u8], piece: &str) -> Option<Range<usize>> {
    let start = piece.as_ptr().addr().checked_sub(message.as_ptr().addr())?;
    let end = start.checked_add(piece.len())?;
    (end <= message.len()).then_some(start..end)
}

/// Keeps what it read even if the rest does not parse.
#[derive(Default)]
struct MessageHeadVisitor<'a> {
    id: Cell<Option<&'a str>>,
    method: Cell<Option<&'a str>>,
}

impl<'a> MessageHeadVisitor<'a> {
    fn head(&self) -> RpcMessageHead<'a> {
        let id = self.id.get().filter(|id| *id != "null");
        let method = self.method.get().and_then(|text| match text.contains('\\') {
            true => serde_json::from_str(text).ok().map(Cow::Owned),
            false => text.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed),
        });
        RpcMessageHead { id, method }
    }
}

impl<'a> Visitor<'a> for &MessageHeadVisitor<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message, which is a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'a, str>>()? {
            match key.as_ref() {
                "id" => self.id.set(Some(map.next_value::<&'a RawValue>()?.get())),
                "method" => self.method.set(Some(map.next_value::<&'a RawValue>()?.get())),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_is() {
        for (text, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"a/b","params":{"id":8,"method":"c"}}"#,
                RpcMessageKind::Request { id: "7", method: "a/b" },
            ),
            (r#"{"params":[{}], "method" : "$/x"}"#, RpcMessageKind::Notification { method: "$/x" }),
            (r#"{"method":"a\/b\u002fc"}"#, RpcMessageKind::Notification { method: "a/b/c" }),
            (r#"{"result":null,"id":"s\"1"}"#, RpcMessageKind::Response { id: Some(r#""s\"1""#) }),
            (r#"{"id":null,"error":{}}"#, RpcMessageKind::Response { id: None }),
        ] {
            assert_eq!(RpcMessageHead::read(text.as_bytes()).unwrap().kind(), expected, "{text}");
        }
    }

    #[test]
    fn an_invalid_message_is_an_error() {
        for text in ["", "[]", "{", r#"{"id":1}x"#, r#"{"id":}"#, "\u{feff}{}"] {
            assert!(RpcMessageHead::read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(
            RpcMessageHead::read(b"{\"a\":\"\xff\"}").is_ok_and(|head| head == RpcMessageHead::default())
        );
    }

    #[test]
    fn the_beginning_of_a_message_reveals_its_id() {
        let text = br#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"text":"aaaaaaaaaaa"#;
        assert_eq!(
            RpcMessageHead::guess(text),
            RpcMessageHead { id: Some("\"x\""), method: Some("m".into()) }
        );
        assert_eq!(RpcMessageHead::guess(br#"{"params":{"text":"aa"#), RpcMessageHead::default());
    }

    #[test]
    fn a_piece_is_found_again() {
        let text = br#"{"id": 12 ,"result":1}"#;
        let id = RpcMessageHead::read(text).unwrap().id.unwrap();
        assert_eq!(locate_slice(text, id), Some(7..9));
        assert_eq!(locate_slice(text, "elsewhere"), None);
    }
}
