//! Places hunks in one text and merges them into one change.
//!
//! Each hunk is first searched as given, then at the tiers of [`replace`](crate::replace). If several places
//! fit, the headers decide, and for exact matches also the order of the hunks; if they do not, nothing
//! changes.

use super::headers::HeaderLines;
use super::hunk_order::{HunkOrder, PlaceChoices, resolve_order};
use super::{HunkError, HunkErrorKind, PatchHunk, headers, hunk_mismatch};
use crate::line_pieces::{EmptyLastLine, LinePiece, pieces_to_change};
use crate::replace::{
    BudgetExceeded, FoldedIndex, LineFold, LineSearch, RequestedLines, SearchBudget, find_hunk, merge_lines,
};
use crate::source_lines::SourceLines;
use crate::{Change, MatchTier};

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
    pub fn tier(&self) -> MatchTier {
        self.places.iter().map(|place| place.tier).max().unwrap_or(MatchTier::Exact)
    }
}

/// The start of a hunk: a line of the text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkPlace {
    pub line: usize,
    pub tier: MatchTier,
}

/// The change that the hunks make, or the errors of those without a certain place.
pub fn update(text: &str, hunks: &[PatchHunk<'_>]) -> Result<PatchedText, Vec<HunkError>> {
    let file = SourceLines::new(text);
    let mut wants: Vec<_> = hunks.iter().map(WantedHunk::new).collect();
    let search = LineSearch::new(&file, hunks.iter().flat_map(PatchHunk::old).collect());
    if find_all(&search, hunks, &mut wants).is_err() {
        let line = wants.iter().find(|want| want.found.is_none()).map_or(0, |want| want.line);
        return Err(vec![HunkError { line, why: HunkErrorKind::BudgetExceeded }]);
    }
    check(&file, &wants)?;
    let places = resolve_places(&file, &wants, &search.budget)?;
    let (mut made, mut errors) = (Vec::new(), Vec::new());
    for (want, place) in wants.iter_mut().zip(&places) {
        match want.take_pieces(&search, place.line - 1) {
            Some(pieces) => made.extend(pieces),
            None => errors.push(want.error(HunkErrorKind::Unclear { line: place.line, tier: place.tier })),
        }
    }
    if errors.is_empty() {
        Ok(PatchedText { change: pieces_to_change(&file, made, EmptyLastLine::Ended), places })
    } else {
        Err(errors)
    }
}

/// A hunk that is being placed.
pub(super) struct WantedHunk<'p> {
    line: usize,
    headers: Vec<&'p str>,
    request: RequestedLines<'p>,
    at_end: bool,
    found: Option<FoundPlaces>,
    /// Why its places were rejected.
    rejection: Option<HunkErrorKind>,
}

struct FoundPlaces {
    tier: MatchTier,
    /// At most [`MAX_PLACES`] plus one.
    places: Vec<usize>,
    /// What an inexact match changes at its place; `None` if that is unclear.
    pieces: Option<Vec<LinePiece<'static>>>,
}

impl<'p> WantedHunk<'p> {
    fn new(hunk: &PatchHunk<'p>) -> Self {
        Self {
            line: hunk.line,
            headers: hunk.headers.clone(),
            request: RequestedLines::from_hunk(&hunk.lines),
            at_end: hunk.at_end,
            found: None,
            rejection: None,
        }
    }

    fn error(&self, why: HunkErrorKind) -> HunkError {
        HunkError { line: self.line, why }
    }

    fn is_unplaced(&self) -> bool {
        self.found.is_none()
            && !self.request.old.is_empty()
            && !matches!(self.rejection, Some(HunkErrorKind::HeaderNotFound { .. }))
    }

    fn places(&self) -> &[usize] {
        self.found.as_ref().map_or(&[], |found| &found.places)
    }

    /// What the hunk changes at its place.
    fn take_pieces<'a>(&mut self, search: &LineSearch<'a>, first: usize) -> Option<Vec<LinePiece<'a>>>
    where
        'p: 'a,
    {
        match self.found.as_mut().filter(|found| found.tier != MatchTier::Exact) {
            Some(found) => found.pieces.take(),
            None => merge_lines(search, first, &self.request),
        }
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
        self.set_places(MatchTier::Exact, places, None);
    }

    fn set_places(
        &mut self,
        tier: MatchTier,
        mut places: Vec<usize>,
        pieces: Option<Vec<LinePiece<'static>>>,
    ) {
        places.truncate(MAX_PLACES + 1);
        self.found = (!places.is_empty()).then_some(FoundPlaces { tier, places, pieces });
    }

    /// Searches the hunk as given.
    fn find_exact(
        &mut self,
        search: &LineSearch<'_>,
        headers: &HeaderLines<'_>,
    ) -> Result<(), BudgetExceeded> {
        let places = search.find(&self.request.old, LineFold::Exact);
        let scope = HunkScope { search, headers, at_end: self.at_end, is_shortened: false };
        let places = scope.accept(&self.headers, places, &self.request.old, &mut self.rejection)?;
        self.set_places(MatchTier::Exact, places, None);
        Ok(())
    }

    /// Searches the hunk without its last line, if that is empty and the file ends there; then with more leniency.
    fn find_inexact(
        &mut self,
        search: &LineSearch<'_>,
        headers: &HeaderLines<'_>,
    ) -> Result<(), BudgetExceeded> {
        if let Some(shorter) = self.request.without_last_empty_line() {
            let scope = HunkScope { search, headers, at_end: true, is_shortened: true };
            let places = search.find(&shorter.old, LineFold::Exact);
            let places = scope.accept(&self.headers, places, &shorter.old, &mut None)?;
            if !places.is_empty() {
                (self.request, self.at_end) = (shorter, true);
                self.set_places(MatchTier::Exact, places, None);
                return Ok(());
            }
        }
        let scope = HunkScope { search, headers, at_end: self.at_end, is_shortened: false };
        let found = find_hunk(search, &self.request, |places, reading| {
            scope.accept(&self.headers, places, &reading.old, &mut self.rejection)
        })?;
        if search.is_exhausted() {
            return Err(BudgetExceeded);
        }
        if let Some(found) = found {
            self.set_places(found.tier, found.places, found.pieces);
        }
        Ok(())
    }
}

/// Where a hunk may be: at the end of the file, and under its headers.
struct HunkScope<'s, 'a> {
    search: &'s LineSearch<'a>,
    headers: &'s HeaderLines<'s>,
    at_end: bool,
    /// Whether its last line was dropped for the search.
    is_shortened: bool,
}

impl HunkScope<'_, '_> {
    /// Keeps the places that end marker and headers allow.
    fn accept(
        &self,
        hunk_headers: &[&str],
        mut places: Vec<usize>,
        old: &[&str],
        rejection: &mut Option<HunkErrorKind>,
    ) -> Result<Vec<usize>, BudgetExceeded> {
        let Some(first) = places.first().map(|first| first + 1) else { return Ok(places) };
        let (file, budget) = (self.search.file, &self.search.budget);
        if self.at_end {
            places.retain(|place| place + old.len() == file.len());
            if places.is_empty() && !self.is_shortened {
                rejection.get_or_insert(HunkErrorKind::NotAtEnd { line: first });
            }
        }
        if hunk_headers.is_empty() || places.is_empty() {
            return Ok(places);
        }
        let anchors = headers::find_anchors(file, hunk_headers, self.headers, budget)?;
        let certain = old.iter().filter(|line| !line.trim().is_empty()).count() > 1;
        let meant = headers::places_under_headers(file, &anchors, &places, certain, budget)?;
        if meant.is_empty() {
            let header = hunk_mismatch::innermost_header(hunk_headers);
            rejection.get_or_insert(HunkErrorKind::NotUnderHeader { header, line: first });
        }
        Ok(meant)
    }
}

fn find_all<'p>(
    search: &LineSearch<'_>,
    hunks: &[PatchHunk<'p>],
    wants: &mut [WantedHunk<'p>],
) -> Result<(), BudgetExceeded> {
    let headers = headers::find(search.file, hunks, &search.budget)?;
    for want in wants.iter_mut() {
        let anchors = headers::find_anchors(search.file, &want.headers, &headers, &search.budget)?;
        if !want.headers.is_empty() && anchors.is_empty() {
            want.rejection = Some(HunkErrorKind::HeaderNotFound {
                header: hunk_mismatch::innermost_header(&want.headers),
            });
        } else if want.request.old.is_empty() {
            want.insert(search.file, &anchors);
        }
    }
    for want in wants.iter_mut().filter(|want| want.is_unplaced()) {
        want.find_exact(search, &headers)?;
    }
    if search.is_exhausted() {
        return Err(BudgetExceeded);
    }
    wants
        .iter_mut()
        .filter(|want| want.is_unplaced())
        .try_for_each(|want| want.find_inexact(search, &headers))
}

/// Checks that each hunk has a place, and an inexact one exactly one.
fn check(file: &SourceLines<'_>, wants: &[WantedHunk<'_>]) -> Result<(), Vec<HunkError>> {
    let mut errors = Vec::new();
    let mut misses = 0;
    for want in wants {
        match (&want.found, &want.rejection) {
            (None, Some(refused)) => errors.push(want.error(refused.clone())),
            (None, None) => {
                errors.push(want.error(hunk_mismatch::not_found(file, &want.request.old, misses)));
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
fn max_places(tier: MatchTier) -> usize {
    if tier == MatchTier::Exact { MAX_PLACES } else { 1 }
}

fn ambiguous_error(places: &[usize]) -> HunkErrorKind {
    hunk_mismatch::ambiguous(places, MAX_PLACES)
}

/// The place of each hunk.
fn resolve_places(
    file: &SourceLines<'_>,
    wants: &[WantedHunk<'_>],
    budget: &SearchBudget,
) -> Result<Vec<HunkPlace>, Vec<HunkError>> {
    // A hunk that changes nothing may be anywhere.
    let changing = wants.iter().filter_map(|want| Some((want, want.request.changed_lines()?)));
    let changing = changing.map(|(want, core)| (want, PlaceChoices { places: want.places(), core }));
    let (changing, choices): (Vec<_>, Vec<_>) = changing.unzip();
    let settled = match resolve_order(&choices) {
        HunkOrder::InOrder(places) => places,
        HunkOrder::OutOfOrder(places) => {
            check_unique(file, &changing, budget)?;
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
        let place = if want.request.changed_lines().is_some() { settled.next() } else { first };
        let tier = want.found.as_ref().map_or(MatchTier::Exact, |found| found.tier);
        HunkPlace { line: place.unwrap_or_default() + 1, tier }
    };
    Ok(wants.iter().map(place).collect())
}

/// Out of order, a hunk must be unique even at the loosest tier.
fn check_unique(
    file: &SourceLines<'_>,
    wants: &[&WantedHunk<'_>],
    budget: &SearchBudget,
) -> Result<(), Vec<HunkError>> {
    let free = wants.iter().filter(|want| want.headers.is_empty() && !want.at_end);
    let lines = free.clone().flat_map(|want| want.request.old.iter().copied());
    let index = FoldedIndex::new(file, LineFold::Typography, lines);
    let mut errors = Vec::new();
    for want in free {
        match index.find(&want.request.old, budget) {
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
