//! A document's current text in the form its owner holds it, so that a comparison need not build a rope of a
//! file.

use std::borrow::Cow;

use super::review_text::ReviewText;
use crate::Document;

#[derive(Debug, Clone, Copy)]
pub enum CurrentText<'a> {
    /// Open in an editor.
    Document(&'a Document),
    /// On disk.
    Text(&'a str),
}

impl<'a> CurrentText<'a> {
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Self::Document(document) => document.text().into(),
            Self::Text(text) => text.into(),
        }
    }

    pub(super) fn to_review_text(self) -> ReviewText {
        match self {
            Self::Document(document) => ReviewText::from_document(document),
            Self::Text(text) => ReviewText::new(text),
        }
    }
}

impl<'a> From<&'a Document> for CurrentText<'a> {
    fn from(document: &'a Document) -> Self {
        Self::Document(document)
    }
}

impl<'a> From<&'a str> for CurrentText<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}
