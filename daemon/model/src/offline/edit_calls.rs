//! Turns places in a file into `edit` calls, each with enough surrounding lines to be unique.

use super::OfflineCall;

/// How many times a range grows by a line to become unique.
const MAX_WIDENINGS: usize = 60;

/// Lines from 1, columns in characters from 1; the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SpanReplacement {
    pub(super) start: (usize, usize),
    pub(super) end: (usize, usize),
    pub(super) text: String,
}

/// Lines that become one edit; `first` and `last` count from 0.
struct LineCluster {
    first: usize,
    last: usize,
    parts: Vec<SpanReplacement>,
}

/// Returns the edits and the number of changes in them. A change is applied whole or not at all; one that
/// does not fit the text or overlaps another is skipped.
pub(super) fn edits(
    path: &str,
    lines: &[Option<String>],
    changes: &[Vec<SpanReplacement>],
) -> (Vec<OfflineCall>, usize) {
    let mut taken: Vec<SpanReplacement> = Vec::new();
    let mut count = 0;
    for change in changes {
        let fits = change.iter().all(|part| fits(lines, part));
        let meets = change.iter().any(|part| taken.iter().any(|other| overlaps(part, other)));
        if fits && !meets && !change.is_empty() {
            taken.extend(change.iter().cloned());
            count += 1;
        }
    }
    taken.sort();
    let whole: Vec<&str> = lines.iter().map(|line| line.as_deref().unwrap_or("\0")).collect();
    let text = whole.join("\n");
    let mut clusters: Vec<LineCluster> = Vec::new();
    for part in taken {
        let last = part.end.0.min(lines.len());
        let mut cluster = LineCluster {
            first: part.start.0.saturating_sub(1),
            last: last.saturating_sub(1),
            parts: vec![part],
        };
        widen(&mut cluster, &whole, &text);
        // Widening made it touch the cluster before: merge them.
        while let Some(before) = clusters.pop_if(|before| before.last >= cluster.first) {
            cluster.first = cluster.first.min(before.first);
            cluster.last = cluster.last.max(before.last);
            cluster.parts.splice(..0, before.parts);
            widen(&mut cluster, &whole, &text);
        }
        clusters.push(cluster);
    }
    let calls = clusters.iter().filter_map(|cluster| {
        let old = whole.get(cluster.first..=cluster.last)?.join("\n");
        let new = apply_cluster(cluster, &whole)?;
        (old != new && !old.contains('\0')).then(|| OfflineCall::edit(path, &old, &new, false))
    });
    (calls.collect(), count)
}

fn fits(lines: &[Option<String>], part: &SpanReplacement) -> bool {
    let inside = |(line, column): (usize, usize)| {
        let text = line.checked_sub(1).and_then(|at| lines.get(at)).and_then(Option::as_deref);
        let behind = line == lines.len() + 1 && column == 1 && line > 1;
        behind || text.is_some_and(|text| column >= 1 && column - 1 <= text.chars().count())
    };
    part.start <= part.end && part.start.0 <= lines.len() && inside(part.start) && inside(part.end)
}

/// Two insertions at one place overlap too: their order is undefined.
fn overlaps(one: &SpanReplacement, other: &SpanReplacement) -> bool {
    (one.start < other.end && other.start < one.end) || one.start == other.start
}

fn widen(cluster: &mut LineCluster, lines: &[&str], text: &str) {
    for round in 0..MAX_WIDENINGS {
        let Some(own) = lines.get(cluster.first..=cluster.last) else { return };
        let own = own.join("\n");
        if !own.trim().is_empty() && text.matches(&own).nth(1).is_none() {
            return;
        }
        let (up, down) = (cluster.first > 0, cluster.last + 1 < lines.len());
        if up && (round % 2 == 0 || !down) {
            cluster.first -= 1;
        } else if down {
            cluster.last += 1;
        } else {
            return;
        }
    }
}

fn apply_cluster(cluster: &LineCluster, lines: &[&str]) -> Option<String> {
    let own = lines.get(cluster.first..=cluster.last)?;
    let offset = |(line, column): (usize, usize)| {
        let at = line.checked_sub(1)?.checked_sub(cluster.first)?;
        let before: usize = own.get(..at.min(own.len()))?.iter().map(|line| line.len() + 1).sum();
        match own.get(at) {
            Some(text) => {
                let within = text.char_indices().nth(column.checked_sub(1)?).map_or(text.len(), |(at, _)| at);
                Some(before + within)
            }
            None => Some(before.saturating_sub(1)),
        }
    };
    let mut text = own.join("\n");
    for part in cluster.parts.iter().rev() {
        let (start, end) = (offset(part.start)?, offset(part.end)?);
        text.get(start..end)?;
        text.replace_range(start..end, &part.text);
    }
    Some(text)
}
