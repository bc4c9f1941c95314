//! A document's text as whoever has it holds it, so that nobody makes a rope of a file only to compare it.

use std::borrow::Cow;

use super::body::Body;
use crate::Document;

#[derive(Debug, Clone, Copy)]
pub enum Current<'a> {
    /// In an editor.
    Document(&'a Document),
    /// On the disk.
    Text(&'a str),
}

impl<'a> Current<'a> {
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Self::Document(document) => document.text().into(),
            Self::Text(text) => text.into(),
        }
    }

    pub(super) fn body(self) -> Body {
        match self {
            Self::Document(document) => Body::of(document),
            Self::Text(text) => Body::new(text),
        }
    }
}

impl<'a> From<&'a Document> for Current<'a> {
    fn from(document: &'a Document) -> Self {
        Self::Document(document)
    }
}

impl<'a> From<&'a str> for Current<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}
