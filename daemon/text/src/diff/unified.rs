//! Unified diff format, for people, models and `patch`.

use std::fmt::Write;

use super::{Diff, DiffHunk, LineTag};
use crate::TruncateLimits;

impl Diff<'_> {
    /// The hunks in unified format, without the two file header lines. A final line counts the lines beyond
    /// the limits, so that the reader sees that the diff is cut; it does not count itself.
    pub fn to_unified(&self, limits: TruncateLimits) -> String {
        let mut text = String::new();
        let (mut shown, mut left) = (0, 0);
        for line in self.hunks.iter().flat_map(render_hunk) {
            let fits = shown < limits.lines && text.len() + line.len() <= limits.bytes;
            if left == 0 && fits {
                text.push_str(&line);
                shown += 1;
            } else {
                left += 1;
            }
        }
        if left > 0 {
            let lines = if left == 1 { "line" } else { "lines" };
            let _ = writeln!(text, "… {left} more {lines}");
        }
        text
    }
}

/// The lines of one hunk, each with its line break or, if the text has none, the marker that says so.
fn render_hunk<'a>(hunk: &'a DiffHunk<'a>) -> impl Iterator<Item = String> + 'a {
    let range = |start: usize, count: usize| {
        if count == 1 { start.to_string() } else { format!("{start},{count}") }
    };
    let old = range(hunk.old_start, hunk.old_lines);
    let new = range(hunk.new_start, hunk.new_lines);
    let lines = hunk.lines.iter().map(|(tag, line)| {
        let sign = match tag {
            LineTag::Equal => ' ',
            LineTag::Delete => '-',
            LineTag::Insert => '+',
        };
        let mark = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
        format!("{sign}{line}{mark}")
    });
    std::iter::once(format!("@@ -{old} +{new} @@\n")).chain(lines)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{TruncateLimits, diff};

    #[track_caller]
    fn check(old: &str, new: &str, limits: TruncateLimits, expected: Expect) {
        expected.assert_eq(&diff(old, new, 3).to_unified(limits));
    }

    #[test]
    fn hunks_with_three_lines_around_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
        let new = "1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n11\n12";
        check(
            old,
            new,
            TruncateLimits::default(),
            expect![[r#"
                @@ -1,7 +1,7 @@
                 1
                 2
                 3
                -4
                +four
                 5
                 6
                 7
                @@ -9,4 +9,4 @@
                 9
                 10
                 11
                -12
                +12
                \ No newline at end of file
            "#]],
        );
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let new = "a\nb\nc\nd\n";
        let some = TruncateLimits { lines: 3, ..TruncateLimits::default() };
        check(
            "",
            new,
            some,
            expect![[r#"
                @@ -0,0 +1,4 @@
                +a
                +b
                … 2 more lines
            "#]],
        );
        let few = TruncateLimits { bytes: 25, ..TruncateLimits::default() };
        check(
            "",
            new,
            few,
            expect![[r#"
                @@ -0,0 +1,4 @@
                +a
                +b
                +c
                … 1 more line
            "#]],
        );
        check("", "", few, expect![[r#""#]]);
    }
}
