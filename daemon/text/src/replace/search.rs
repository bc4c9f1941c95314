//! One search for an old text that is not in the file as given: what the tiers share, made when it is first wanted.

use std::cell::OnceCell;
use std::ops::Range;

use super::alike::{self, Alike};
use super::file::{Line, lines};
use super::flat::Flat;
use super::fold::Fold;
use super::folded::Folded;
use super::reading::Reading;
use super::shift::Shift;

pub(super) struct Search<'a> {
    pub(super) flat: &'a Flat<'a>,
    pub(super) file: Vec<Line<'a>>,
    /// As given, with `\n` as the only line break.
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) asked: Reading<'a>,
    trailing: OnceCell<Folded>,
    trimmed: OnceCell<Folded>,
    typography: OnceCell<Folded>,
    blanks: OnceCell<Folded>,
    unescaped: OnceCell<Option<(String, String)>>,
    alike: OnceCell<Option<Alike>>,
}

/// What a tier has found: one place or several.
pub(super) enum Found<'a> {
    /// Lines of the file that stand for all lines of the old text, by the index of the first.
    Lines { reading: Reading<'a>, places: Vec<usize> },
    /// A part of the file's text.
    Text { places: Vec<Range<usize>>, new: String },
}

impl<'a> Search<'a> {
    pub(super) fn of(text: &'a str, flat: &'a Flat<'a>, old: &'a str, new: &'a str) -> Self {
        Self {
            flat,
            file: lines(text),
            old,
            new,
            asked: Reading::of(old, new),
            trailing: OnceCell::new(),
            trimmed: OnceCell::new(),
            typography: OnceCell::new(),
            blanks: OnceCell::new(),
            unescaped: OnceCell::new(),
            alike: OnceCell::new(),
        }
    }

    pub(super) fn folded(&self, fold: Fold) -> &Folded {
        let cell = match fold {
            Fold::Trailing => &self.trailing,
            Fold::Trimmed => &self.trimmed,
            Fold::Typography => &self.typography,
            Fold::Blanks => &self.blanks,
        };
        cell.get_or_init(|| Folded::of(self.file.iter().map(|line| line.text), fold))
    }

    /// The old and the new text as they are once they are without escapes.
    pub(super) fn unescaped(&self, both: fn(&str, &str) -> Option<(String, String)>) -> Option<(&str, &str)> {
        let texts = self.unescaped.get_or_init(|| both(self.old, self.new));
        texts.as_ref().map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// The lines that are nearly the old ones.
    pub(super) fn alike(&self) -> Option<&Alike> {
        self.alike.get_or_init(|| alike::find(self)).as_ref()
    }

    /// The places where all lines are equal when folded, and indented by one rule.
    pub(super) fn places(&self, reading: &Reading<'a>, fold: Fold) -> Vec<usize> {
        let mut places = self.folded(fold).places(&Folded::of(reading.old.iter().copied(), fold));
        places.retain(|first| self.is_indented_alike(reading, *first));
        places
    }

    pub(super) fn is_indented_alike(&self, reading: &Reading<'a>, first: usize) -> bool {
        let there = self.file.get(first..first + reading.old.len());
        there.is_some_and(|there| Shift::of(reading, there).is_some())
    }
}

/// Nothing where there is no place.
pub(super) fn found<'a>(reading: &Reading<'a>, places: Vec<usize>) -> Option<Found<'a>> {
    (!places.is_empty()).then(|| Found::Lines { reading: reading.clone(), places })
}
