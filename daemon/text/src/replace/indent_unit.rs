//! The width of one level of a file's indentation, in spaces.

use super::fold::is_blank;

/// Fewer steps may be a coincidence.
const MIN_STEPS: usize = 3;

/// The most frequent step from a line to a deeper one; `None` if there are few of them, if two are as frequent, or if many
/// lines are not indented by a multiple of it.
pub(super) fn indent_unit<'a>(lines: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut counts = [0_usize; 9];
    // The number of lines with an indentation that is a multiple of each width, and of all indented ones.
    let (mut multiples, mut all) = ([0_usize; 9], 0);
    let mut before = 0;
    for line in lines {
        let words = line.trim_start_matches(is_blank);
        let indent = line.len() - words.len();
        if words.trim().is_empty() || !line.bytes().take(indent).all(|byte| byte == b' ') {
            continue;
        }
        if let Some(count) = indent.checked_sub(before).and_then(|step| counts.get_mut(step)) {
            *count += 1;
        }
        before = indent;
        if indent > 0 {
            all += 1;
            let fits = multiples
                .iter_mut()
                .enumerate()
                .filter(|(width, _)| *width > 0 && indent.is_multiple_of(*width));
            fits.for_each(|(_, count)| *count += 1);
        }
    }
    let steps = || counts.iter().enumerate().skip(2);
    let (unit, most) = steps().max_by_key(|(_, count)| **count)?;
    let is_usual = multiples.get(unit).is_some_and(|count| count * 10 >= all * 9);
    let is_only = steps().filter(|(_, count)| *count == most).count() == 1;
    (*most >= MIN_STEPS && is_only && is_usual).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_step_is_the_unit() {
        let unit = |text: &str| indent_unit(text.lines());
        let block = |indent: &str| format!("a\n{indent}b\n\n").repeat(3);
        assert_eq!(unit(&(block("    ").repeat(5) + "a\n  b\n")), Some(4));
        assert_eq!(unit(&"  a\n      b\n".repeat(9)), None, "4, but they begin at 2");
        assert_eq!(unit(&block("  ")), Some(2));
        assert_eq!(unit(&block("\t")), None);
        assert_eq!(unit("a\n  b\n"), None, "one step");
        assert_eq!(unit(&(block("  ") + &block("    "))), None, "2 or 4");
    }
}
