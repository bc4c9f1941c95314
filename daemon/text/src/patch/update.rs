//! Hunks at their places in one text, as one change.
//!
//! Each pass of falling strictness looks for the hunks that the one before it has not found. Where several places fit, the
//! headers and, for what fits exactly, the order of the hunks decide; if they do not, nothing is changed.

use std::ops::Range;

use super::file::File;
use super::headers::Headers;
use super::indent::Indents;
use super::order::{Choice, Order, settle};
use super::search::{Index, Steps, TooMuch};
use super::{Hunk, HunkError, Tier, Unfit, headers, miss, pieces};
use crate::{Change, Tag};

/// More places than this are not told apart by order.
const MAX_PLACES: usize = 1000;

/// A change of one text, and how the hunks were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    pub change: Change,
    /// For each hunk.
    pub places: Vec<Place>,
}

impl Updated {
    /// The loosest that was needed.
    pub fn tier(&self) -> Tier {
        self.places.iter().map(|place| place.tier).max().unwrap_or(Tier::Exact)
    }
}

/// Where a hunk begins: a line of the text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub tier: Tier,
}

/// The change that the hunks make, or what is wrong with those that have no certain place.
pub fn update(text: &str, hunks: &[Hunk<'_>]) -> Result<Updated, Vec<HunkError>> {
    let file = File::of(text);
    let mut steps = Steps::default();
    let mut wants: Vec<_> = hunks.iter().map(Want::of).collect();
    if find_all(&file, hunks, &mut wants, &mut steps).is_err() {
        let line = wants.iter().find(|want| want.found.is_none()).map_or(0, |want| want.line);
        return Err(vec![HunkError { line, why: Unfit::TooMuch }]);
    }
    check(&file, &wants)?;
    let places = settled(&file, &wants, &mut steps)?;
    let (mut made, mut errors) = (Vec::new(), Vec::new());
    for (want, place) in wants.iter().zip(&places) {
        let first = place.line - 1;
        let shown = want.old.iter().copied().zip(first..).map(|(old, line)| (old, file.line(line)));
        let indents = Indents::of(shown.filter(|_| place.tier >= Tier::Indentation));
        match pieces::of(&want.lines, first, |line| indents.apply(line)) {
            Some(pieces) => made.extend(pieces),
            None => errors.push(want.error(Unfit::Indentation { line: place.line })),
        }
    }
    if errors.is_empty() { Ok(Updated { change: pieces::change(&file, made), places }) } else { Err(errors) }
}

/// A hunk that is looked for.
pub(super) struct Want<'p> {
    line: usize,
    headers: Vec<&'p str>,
    lines: Vec<(Tag, &'p str)>,
    pub(super) old: Vec<&'p str>,
    at_end: bool,
    /// Whether it is looked for without its last line.
    shortened: bool,
    found: Option<Found>,
    /// What was wrong with places that were not taken.
    refused: Option<Unfit>,
}

struct Found {
    tier: Tier,
    /// At most one more than [`MAX_PLACES`].
    places: Vec<usize>,
}

impl<'p> Want<'p> {
    fn of(hunk: &Hunk<'p>) -> Self {
        Self {
            line: hunk.line,
            headers: hunk.headers.clone(),
            lines: hunk.lines.clone(),
            old: hunk.old().collect(),
            at_end: hunk.at_end,
            shortened: false,
            found: None,
            refused: None,
        }
    }

    fn error(&self, why: Unfit) -> HunkError {
        HunkError { line: self.line, why }
    }

    fn is_open(&self) -> bool {
        self.found.is_none() && !self.old.is_empty() && !matches!(self.refused, Some(Unfit::NoHeader { .. }))
    }

    fn places(&self) -> &[usize] {
        self.found.as_ref().map_or(&[], |found| &found.places)
    }

    /// Lines that are only added stand at the end, or below what the header names.
    fn insert(&mut self, file: &File<'_>, anchors: &[usize]) {
        let places = if self.at_end || file.len() == 0 {
            vec![file.len()]
        } else if self.headers.is_empty() {
            return self.refused = Some(Unfit::NoContext);
        } else {
            anchors.iter().map(|anchor| anchor + 1).collect()
        };
        self.take(Tier::Exact, places);
    }

    fn take(&mut self, tier: Tier, mut places: Vec<usize>) {
        places.truncate(MAX_PLACES + 1);
        self.found = (!places.is_empty()).then_some(Found { tier, places });
    }

    /// A model may take the end of the last line for an empty line: without that one, the hunk is at the end.
    /// False if there is no such line.
    fn without_last_empty_line(&mut self) -> bool {
        let Some(last) = self.lines.iter().rposition(|(tag, _)| *tag != Tag::Insert) else { return false };
        match self.lines.get(last) {
            Some((Tag::Equal, "")) if last + 1 == self.lines.len() => drop(self.lines.pop()),
            Some((Tag::Delete, "")) => {
                self.lines.remove(last);
                if self.lines.last() == Some(&(Tag::Insert, "")) {
                    self.lines.pop();
                }
            }
            _ => return false,
        }
        self.old.pop();
        self.at_end = true;
        self.shortened = true;
        true
    }

    /// Of the places that fit those that can be meant.
    fn meant(
        &mut self,
        file: &File<'_>,
        mut places: Vec<usize>,
        headers: &Headers<'_>,
        steps: &mut Steps,
    ) -> Result<Vec<usize>, TooMuch> {
        let Some(first) = places.first().map(|first| first + 1) else { return Ok(places) };
        if self.at_end {
            places.retain(|place| place + self.old.len() == file.len());
            if places.is_empty() && !self.shortened {
                self.refused.get_or_insert(Unfit::NotAtEnd { line: first });
            }
        }
        if self.headers.is_empty() || places.is_empty() {
            return Ok(places);
        }
        let anchors = headers::anchors(file, &self.headers, headers, steps)?;
        let certain = self.old.iter().filter(|line| !line.trim().is_empty()).count() > 1;
        let meant = headers::under(file, &anchors, &places, certain, steps)?;
        if meant.is_empty() {
            let header = miss::header(&self.headers);
            self.refused.get_or_insert(Unfit::NotUnder { header, line: first });
        }
        Ok(meant)
    }
}

fn find_all<'p>(
    file: &File<'_>,
    hunks: &[Hunk<'p>],
    wants: &mut [Want<'p>],
    steps: &mut Steps,
) -> Result<(), TooMuch> {
    let headers = headers::find(file, hunks, steps)?;
    for want in wants.iter_mut() {
        let anchors = headers::anchors(file, &want.headers, &headers, steps)?;
        if !want.headers.is_empty() && anchors.is_empty() {
            want.refused = Some(Unfit::NoHeader { header: miss::header(&want.headers) });
        } else if want.old.is_empty() {
            want.insert(file, &anchors);
        }
    }
    find(file, wants.iter_mut().collect(), &headers, steps)?;
    let missed = wants.iter_mut().filter(|want| want.is_open());
    let shorter = missed.filter_map(|want| want.without_last_empty_line().then_some(want)).collect();
    find(file, shorter, &headers, steps)
}

fn find(
    file: &File<'_>,
    mut wants: Vec<&mut Want<'_>>,
    headers: &Headers<'_>,
    steps: &mut Steps,
) -> Result<(), TooMuch> {
    for tier in Tier::ALL {
        wants.retain(|want| want.is_open());
        if wants.is_empty() {
            break;
        }
        let wanted: Vec<_> = wants.iter().flat_map(|want| want.old.iter().copied()).collect();
        let index = Index::of(file, tier, wanted.into_iter());
        for want in &mut wants {
            let places = index.find(&want.old, steps)?;
            let places = want.meant(file, places, headers, steps)?;
            want.take(tier, places);
        }
    }
    Ok(())
}

/// Whether each hunk has a place, and those that do not fit exactly only one.
fn check(file: &File<'_>, wants: &[Want<'_>]) -> Result<(), Vec<HunkError>> {
    let mut errors = Vec::new();
    let mut misses = 0;
    for want in wants {
        match (&want.found, &want.refused) {
            (None, Some(refused)) => errors.push(want.error(refused.clone())),
            (None, None) => {
                errors.push(want.error(miss::not_found(file, &want.old, misses)));
                misses += 1;
            }
            (Some(found), _) if found.places.len() > most(found.tier) => {
                errors.push(want.error(several(&found.places)));
            }
            (Some(_), _) => {}
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// How many places a hunk may have for order to choose one.
fn most(tier: Tier) -> usize {
    if tier == Tier::Exact { MAX_PLACES } else { 1 }
}

fn several(places: &[usize]) -> Unfit {
    miss::several(places, MAX_PLACES)
}

/// The place of each hunk.
fn settled(file: &File<'_>, wants: &[Want<'_>], steps: &mut Steps) -> Result<Vec<Place>, Vec<HunkError>> {
    // A hunk that changes nothing may be anywhere.
    let changing = wants.iter().filter_map(|want| Some((want, core(&want.lines)?)));
    let changing = changing.map(|(want, core)| (want, Choice { places: want.places(), core }));
    let (changing, choices): (Vec<_>, Vec<_>) = changing.unzip();
    let settled = match settle(&choices) {
        Order::Kept(places) => places,
        Order::Broken(places) => {
            only(file, &changing, steps)?;
            apart(&changing, &choices, &places)?;
            places
        }
        Order::Open(open) => {
            let open = open.iter().filter_map(|(index, left)| Some((changing.get(*index)?, left)));
            return Err(open.map(|(want, left)| want.error(several(left))).collect());
        }
    };
    let mut settled = settled.into_iter();
    let place = |want: &Want<'_>| {
        let first = want.places().first().copied();
        let place = if core(&want.lines).is_some() { settled.next() } else { first };
        let tier = want.found.as_ref().map_or(Tier::Exact, |found| found.tier);
        Place { line: place.unwrap_or_default() + 1, tier }
    };
    Ok(wants.iter().map(place).collect())
}

/// Out of order, a hunk must be the only one of its kind even for the loosest comparison.
fn only(file: &File<'_>, wants: &[&Want<'_>], steps: &mut Steps) -> Result<(), Vec<HunkError>> {
    let free = wants.iter().filter(|want| want.headers.is_empty() && !want.at_end);
    let index = Index::of(file, Tier::Punctuation, free.clone().flat_map(|want| want.old.iter().copied()));
    let mut errors = Vec::new();
    for want in free {
        match index.find(&want.old, steps) {
            Ok(places) if places.len() > 1 => errors.push(want.error(several(&places))),
            Ok(_) => {}
            Err(TooMuch) => errors.push(want.error(Unfit::TooMuch)),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn apart(wants: &[&Want<'_>], choices: &[Choice<'_>], places: &[usize]) -> Result<(), Vec<HunkError>> {
    let changed = choices.iter().zip(places).map(|(choice, place)| choice.changed(*place));
    let mut changed: Vec<_> = changed.zip(wants).collect();
    changed.sort_by_key(|(lines, _)| (lines.start, lines.end));
    let overlap = changed.windows(2).find_map(|pair| match pair {
        [(one, first), (other, second)] if one.end > other.start => Some((first, second, other.start + 1)),
        _ => None,
    });
    match overlap {
        Some((first, second, line)) => Err(vec![second.error(Unfit::Overlap { other: first.line, line })]),
        None => Ok(()),
    }
}

/// The lines of the file that a hunk changes, counted from its first; nothing if it changes none.
fn core(lines: &[(Tag, &str)]) -> Option<Range<usize>> {
    let mut at = 0;
    let mut core: Option<Range<usize>> = None;
    for (tag, _) in lines {
        let start = at;
        at += usize::from(*tag != Tag::Insert);
        if *tag != Tag::Equal {
            core.get_or_insert(start..at).end = at;
        }
    }
    core
}
