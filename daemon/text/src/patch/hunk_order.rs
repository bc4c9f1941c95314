//! Chooses the place of each hunk: hunks come in file order. If exactly one assignment keeps that order, it
//! is used. If none does, each hunk must have exactly one place, wherever it is.

use std::ops::Range;

/// The places where a hunk fits, in order, and the lines it changes relative to each.
pub(super) struct PlaceChoices<'w> {
    pub(super) places: &'w [usize],
    pub(super) core: Range<usize>,
}

impl PlaceChoices<'_> {
    pub(super) fn changed_lines(&self, place: usize) -> Range<usize> {
        place + self.core.start..place + self.core.end
    }

    fn first_from(&self, line: usize) -> Option<usize> {
        let at = self.places.partition_point(|place| self.changed_lines(*place).start < line);
        self.places.get(at).copied()
    }

    fn last_until(&self, line: usize) -> Option<usize> {
        let at = self.places.partition_point(|place| self.changed_lines(*place).end <= line);
        self.places.get(at.checked_sub(1)?).copied()
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HunkOrder {
    /// The place of each hunk, in file order.
    InOrder(Vec<usize>),
    /// The place of each hunk, each its only one.
    OutOfOrder(Vec<usize>),
    /// The hunks with several remaining places, and those places.
    Ambiguous(Vec<(usize, Vec<usize>)>),
}

pub(super) fn resolve_order(choices: &[PlaceChoices<'_>]) -> HunkOrder {
    let (Some(earliest), Some(latest)) = (earliest(choices), latest(choices)) else {
        let open = |(_, choice): &(usize, &PlaceChoices<'_>)| choice.places.len() != 1;
        let open: Vec<_> = choices.iter().enumerate().filter(open).collect();
        if open.is_empty() {
            return HunkOrder::OutOfOrder(
                choices.iter().flat_map(|choice| choice.places.first().copied()).collect(),
            );
        }
        return HunkOrder::Ambiguous(
            open.into_iter().map(|(index, choice)| (index, choice.places.to_vec())).collect(),
        );
    };
    let mut open = Vec::new();
    for (index, ((choice, first), last)) in choices.iter().zip(&earliest).zip(&latest).enumerate() {
        if first != last {
            let left = choice.places.iter().copied().filter(|place| (*first..=*last).contains(place));
            open.push((index, left.collect()));
        }
    }
    if open.is_empty() { HunkOrder::InOrder(earliest) } else { HunkOrder::Ambiguous(open) }
}

fn earliest(choices: &[PlaceChoices<'_>]) -> Option<Vec<usize>> {
    let mut line = 0;
    let place = |choice: &PlaceChoices<'_>| {
        let place = choice.first_from(line)?;
        line = choice.changed_lines(place).end;
        Some(place)
    };
    choices.iter().map(place).collect()
}

fn latest(choices: &[PlaceChoices<'_>]) -> Option<Vec<usize>> {
    let mut line = usize::MAX;
    let place = |choice: &PlaceChoices<'_>| {
        let place = choice.last_until(line)?;
        line = choice.changed_lines(place).start;
        Some(place)
    };
    let mut places = choices.iter().rev().map(place).collect::<Option<Vec<_>>>()?;
    places.reverse();
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(places: &[&[usize]]) -> HunkOrder {
        let choices: Vec<_> = places.iter().map(|places| PlaceChoices { places, core: 0..1 }).collect();
        resolve_order(&choices)
    }

    #[test]
    fn order_decides_where_it_leaves_one_way() {
        assert_eq!(of(&[&[50], &[10, 60]]), HunkOrder::InOrder(vec![50, 60]));
        assert_eq!(of(&[&[10, 60], &[50]]), HunkOrder::InOrder(vec![10, 50]));
        assert_eq!(of(&[&[1, 2], &[1, 2]]), HunkOrder::InOrder(vec![1, 2]));
        assert_eq!(of(&[&[50], &[10, 60, 70]]), HunkOrder::Ambiguous(vec![(1, vec![60, 70])]));
    }

    #[test]
    fn without_order_each_hunk_needs_one_place() {
        assert_eq!(of(&[&[50], &[10]]), HunkOrder::OutOfOrder(vec![50, 10]));
        assert_eq!(of(&[&[50], &[10], &[5, 20]]), HunkOrder::Ambiguous(vec![(2, vec![5, 20])]));
    }
}
