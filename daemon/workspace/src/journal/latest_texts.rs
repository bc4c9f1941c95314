//! The latest recorded text of each path, in memory: the next edit most often begins with it, or with it and
//! a few keystrokes.

use std::collections::VecDeque;

use super::entry::HashedText;

/// The cap on all texts together.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;
const MAX_PLACES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct LatestTexts {
    /// The path used last comes last.
    latest: VecDeque<LatestText>,
    bytes: usize,
}

#[derive(Debug, Clone)]
pub(super) struct LatestText {
    place: String,
    pub(super) text: HashedText,
    /// The row that contains it, unless another process has deleted it since.
    pub(super) row: i64,
}

impl LatestTexts {
    pub(super) fn get(&self, place: &str) -> Option<&LatestText> {
        self.latest.iter().rev().find(|latest| latest.place == place)
    }

    pub(super) fn put(&mut self, place: &str, text: HashedText, row: i64) {
        if let Some(at) = self.latest.iter().position(|latest| latest.place == place) {
            self.drop_at(at);
        }
        self.bytes += text.as_str().len();
        self.latest.push_back(LatestText { place: place.to_owned(), text, row });
        while self.bytes > MAX_TEXT_BYTES || self.latest.len() > MAX_PLACES {
            self.drop_at(0);
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn drop_at(&mut self, at: usize) {
        if let Some(latest) = self.latest.remove(at) {
            self.bytes -= latest.text.as_str().len();
        }
    }
}
