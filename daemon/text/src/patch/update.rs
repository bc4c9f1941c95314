//! Places hunks in one text and merges them into one change.
//!
//! Passes of falling strictness look for the hunks that the previous pass did not find. If several places
//! fit, the headers decide, and for exact matches also the order of the hunks; if they do not, nothing
//! changes.

use std::ops::Range;

use super::headers::HeaderLines;
use super::hunk_order::{HunkOrder, PlaceChoices, resolve_order};
use super::indent::IndentMap;
use super::search::{BudgetExceeded, PatternIndex, SearchBudget};
use super::source_lines::SourceLines;
use super::{HunkError, HunkErrorKind, PatchHunk, PatchTier, headers, hunk_mismatch, pieces};
use crate::{Change, LineTag};

/// With more places than this, order does not decide.
const MAX_PLACES: usize = 1000;

/// A change of one text, and where each hunk matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedText {
    pub change: Change,
    /// One per hunk.
    pub places: Vec<HunkPlace>,
}

impl PatchedText {
    /// The loosest tier needed.
    pub fn tier(&self) -> PatchTier {
        self.places.iter().map(|place| place.tier).max().unwrap_or(PatchTier::Exact)
    }
}

/// The start of a hunk: a line of the text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkPlace {
    pub line: usize,
    pub tier: PatchTier,
}

/// The change that the hunks make, or the errors of those without a certain place.
pub fn update(text: &str, hunks: &[PatchHunk<'_>]) -> Result<PatchedText, Vec<HunkError>> {
    let file = SourceLines::new(text);
    let mut steps = SearchBudget::default();
    let mut wants: Vec<_> = hunks.iter().map(WantedHunk::new).collect();
    if find_all(&file, hunks, &mut wants, &mut steps).is_err() {
        let line = wants.iter().find(|want| want.found.is_none()).map_or(0, |want| want.line);
        return Err(vec![HunkError { line, why: HunkErrorKind::BudgetExceeded }]);
    }
    check(&file, &wants)?;
    let places = resolve_places(&file, &wants, &mut steps)?;
    let (mut made, mut errors) = (Vec::new(), Vec::new());
    for (want, place) in wants.iter().zip(&places) {
        let first = place.line - 1;
        let shown = want.old.iter().copied().zip(first..).map(|(old, line)| (old, file.line(line)));
        let indents = IndentMap::from_lines(shown.filter(|_| place.tier >= PatchTier::Indentation));
        match pieces::hunk_pieces(&want.lines, first, |line| indents.apply(line)) {
            Some(pieces) => made.extend(pieces),
            None => errors.push(want.error(HunkErrorKind::Indentation { line: place.line })),
        }
    }
    if errors.is_empty() {
        Ok(PatchedText { change: pieces::pieces_to_change(&file, made), places })
    } else {
        Err(errors)
    }
}

/// A hunk that is being placed.
pub(super) struct WantedHunk<'p> {
    line: usize,
    headers: Vec<&'p str>,
    lines: Vec<(LineTag, &'p str)>,
    pub(super) old: Vec<&'p str>,
    at_end: bool,
    /// Whether its last line was dropped for the search.
    shortened: bool,
    found: Option<FoundPlaces>,
    /// Why its places were rejected.
    rejection: Option<HunkErrorKind>,
}

struct FoundPlaces {
    tier: PatchTier,
    /// At most [`MAX_PLACES`] plus one.
    places: Vec<usize>,
}

impl<'p> WantedHunk<'p> {
    fn new(hunk: &PatchHunk<'p>) -> Self {
        Self {
            line: hunk.line,
            headers: hunk.headers.clone(),
            lines: hunk.lines.clone(),
            old: hunk.old().collect(),
            at_end: hunk.at_end,
            shortened: false,
            found: None,
            rejection: None,
        }
    }

    fn error(&self, why: HunkErrorKind) -> HunkError {
        HunkError { line: self.line, why }
    }

    fn is_unplaced(&self) -> bool {
        self.found.is_none()
            && !self.old.is_empty()
            && !matches!(self.rejection, Some(HunkErrorKind::HeaderNotFound { .. }))
    }

    fn places(&self) -> &[usize] {
        self.found.as_ref().map_or(&[], |found| &found.places)
    }

    /// Lines that are only added go to the end, or below the header.
    fn insert(&mut self, file: &SourceLines<'_>, anchors: &[usize]) {
        let places = if self.at_end || file.len() == 0 {
            vec![file.len()]
        } else if self.headers.is_empty() {
            return self.rejection = Some(HunkErrorKind::NoContext);
        } else {
            anchors.iter().map(|anchor| anchor + 1).collect()
        };
        self.set_places(PatchTier::Exact, places);
    }

    fn set_places(&mut self, tier: PatchTier, mut places: Vec<usize>) {
        places.truncate(MAX_PLACES + 1);
        self.found = (!places.is_empty()).then_some(FoundPlaces { tier, places });
    }

    /// A model may take the final newline for an empty line: without that line, the hunk must end the file.
    /// False if the hunk has no such line.
    fn without_last_empty_line(&mut self) -> bool {
        let Some(last) = self.lines.iter().rposition(|(tag, _)| *tag != LineTag::Insert) else {
            return false;
        };
        match self.lines.get(last) {
            Some((LineTag::Equal, "")) if last + 1 == self.lines.len() => drop(self.lines.pop()),
            Some((LineTag::Delete, "")) => {
                self.lines.remove(last);
                if self.lines.last() == Some(&(LineTag::Insert, "")) {
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

    /// Keeps the places that end marker and headers allow.
    fn plausible_places(
        &mut self,
        file: &SourceLines<'_>,
        mut places: Vec<usize>,
        headers: &HeaderLines<'_>,
        steps: &mut SearchBudget,
    ) -> Result<Vec<usize>, BudgetExceeded> {
        let Some(first) = places.first().map(|first| first + 1) else { return Ok(places) };
        if self.at_end {
            places.retain(|place| place + self.old.len() == file.len());
            if places.is_empty() && !self.shortened {
                self.rejection.get_or_insert(HunkErrorKind::NotAtEnd { line: first });
            }
        }
        if self.headers.is_empty() || places.is_empty() {
            return Ok(places);
        }
        let anchors = headers::find_anchors(file, &self.headers, headers, steps)?;
        let certain = self.old.iter().filter(|line| !line.trim().is_empty()).count() > 1;
        let meant = headers::places_under_headers(file, &anchors, &places, certain, steps)?;
        if meant.is_empty() {
            let header = hunk_mismatch::innermost_header(&self.headers);
            self.rejection.get_or_insert(HunkErrorKind::NotUnderHeader { header, line: first });
        }
        Ok(meant)
    }
}

fn find_all<'p>(
    file: &SourceLines<'_>,
    hunks: &[PatchHunk<'p>],
    wants: &mut [WantedHunk<'p>],
    steps: &mut SearchBudget,
) -> Result<(), BudgetExceeded> {
    let headers = headers::find(file, hunks, steps)?;
    for want in wants.iter_mut() {
        let anchors = headers::find_anchors(file, &want.headers, &headers, steps)?;
        if !want.headers.is_empty() && anchors.is_empty() {
            want.rejection = Some(HunkErrorKind::HeaderNotFound {
                header: hunk_mismatch::innermost_header(&want.headers),
            });
        } else if want.old.is_empty() {
            want.insert(file, &anchors);
        }
    }
    find(file, wants.iter_mut().collect(), &headers, steps)?;
    let missed = wants.iter_mut().filter(|want| want.is_unplaced());
    let shorter = missed.filter_map(|want| want.without_last_empty_line().then_some(want)).collect();
    find(file, shorter, &headers, steps)
}

fn find(
    file: &SourceLines<'_>,
    mut wants: Vec<&mut WantedHunk<'_>>,
    headers: &HeaderLines<'_>,
    steps: &mut SearchBudget,
) -> Result<(), BudgetExceeded> {
    for tier in PatchTier::ALL {
        wants.retain(|want| want.is_unplaced());
        if wants.is_empty() {
            break;
        }
        let wanted: Vec<_> = wants.iter().flat_map(|want| want.old.iter().copied()).collect();
        let index = PatternIndex::new(file, tier, wanted.into_iter());
        for want in &mut wants {
            let places = index.find(&want.old, steps)?;
            let places = want.plausible_places(file, places, headers, steps)?;
            want.set_places(tier, places);
        }
    }
    Ok(())
}

/// Checks that each hunk has a place, and an inexact one exactly one.
fn check(file: &SourceLines<'_>, wants: &[WantedHunk<'_>]) -> Result<(), Vec<HunkError>> {
    let mut errors = Vec::new();
    let mut misses = 0;
    for want in wants {
        match (&want.found, &want.rejection) {
            (None, Some(refused)) => errors.push(want.error(refused.clone())),
            (None, None) => {
                errors.push(want.error(hunk_mismatch::not_found(file, &want.old, misses)));
                misses += 1;
            }
            (Some(found), _) if found.places.len() > max_places(found.tier) => {
                errors.push(want.error(ambiguous_error(&found.places)));
            }
            (Some(_), _) => {}
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The most places among which order may choose.
fn max_places(tier: PatchTier) -> usize {
    if tier == PatchTier::Exact { MAX_PLACES } else { 1 }
}

fn ambiguous_error(places: &[usize]) -> HunkErrorKind {
    hunk_mismatch::ambiguous(places, MAX_PLACES)
}

/// The place of each hunk.
fn resolve_places(
    file: &SourceLines<'_>,
    wants: &[WantedHunk<'_>],
    steps: &mut SearchBudget,
) -> Result<Vec<HunkPlace>, Vec<HunkError>> {
    // A hunk that changes nothing may be anywhere.
    let changing = wants.iter().filter_map(|want| Some((want, changed_range(&want.lines)?)));
    let changing = changing.map(|(want, core)| (want, PlaceChoices { places: want.places(), core }));
    let (changing, choices): (Vec<_>, Vec<_>) = changing.unzip();
    let settled = match resolve_order(&choices) {
        HunkOrder::InOrder(places) => places,
        HunkOrder::OutOfOrder(places) => {
            check_unique(file, &changing, steps)?;
            check_no_overlap(&changing, &choices, &places)?;
            places
        }
        HunkOrder::Ambiguous(open) => {
            let open = open.iter().filter_map(|(index, left)| Some((changing.get(*index)?, left)));
            return Err(open.map(|(want, left)| want.error(ambiguous_error(left))).collect());
        }
    };
    let mut settled = settled.into_iter();
    let place = |want: &WantedHunk<'_>| {
        let first = want.places().first().copied();
        let place = if changed_range(&want.lines).is_some() { settled.next() } else { first };
        let tier = want.found.as_ref().map_or(PatchTier::Exact, |found| found.tier);
        HunkPlace { line: place.unwrap_or_default() + 1, tier }
    };
    Ok(wants.iter().map(place).collect())
}

/// Out of order, a hunk must be unique even at the loosest tier.
fn check_unique(
    file: &SourceLines<'_>,
    wants: &[&WantedHunk<'_>],
    steps: &mut SearchBudget,
) -> Result<(), Vec<HunkError>> {
    let free = wants.iter().filter(|want| want.headers.is_empty() && !want.at_end);
    let index = PatternIndex::new(
        file,
        PatchTier::Punctuation,
        free.clone().flat_map(|want| want.old.iter().copied()),
    );
    let mut errors = Vec::new();
    for want in free {
        match index.find(&want.old, steps) {
            Ok(places) if places.len() > 1 => errors.push(want.error(ambiguous_error(&places))),
            Ok(_) => {}
            Err(BudgetExceeded) => errors.push(want.error(HunkErrorKind::BudgetExceeded)),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check_no_overlap(
    wants: &[&WantedHunk<'_>],
    choices: &[PlaceChoices<'_>],
    places: &[usize],
) -> Result<(), Vec<HunkError>> {
    let changed = choices.iter().zip(places).map(|(choice, place)| choice.changed_lines(*place));
    let mut changed: Vec<_> = changed.zip(wants).collect();
    changed.sort_by_key(|(lines, _)| (lines.start, lines.end));
    let overlap = changed.windows(2).find_map(|pair| match pair {
        [(one, first), (other, second)] if one.end > other.start => Some((first, second, other.start + 1)),
        _ => None,
    });
    match overlap {
        Some((first, second, line)) => {
            Err(vec![second.error(HunkErrorKind::Overlap { other: first.line, line })])
        }
        None => Ok(()),
    }
}

/// The file lines that a hunk changes, relative to its first; `None` if it changes none.
fn changed_range(lines: &[(LineTag, &str)]) -> Option<Range<usize>> {
    let mut at = 0;
    let mut core: Option<Range<usize>> = None;
    for (tag, _) in lines {
        let start = at;
        at += usize::from(*tag != LineTag::Insert);
        if *tag != LineTag::Equal {
            core.get_or_insert(start..at).end = at;
        }
    }
    core
}
