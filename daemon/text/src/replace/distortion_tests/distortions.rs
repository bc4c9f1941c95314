//! The mistakes of models, as changes of an edit's texts.

use super::{IntendedEdit, NewLine, TestRandom};

/// The distorted old and new text; `None` if there is nothing to distort.
pub(super) type Distortion = fn(&IntendedEdit, &mut TestRandom) -> Option<(String, String)>;

/// A distortion, with the minimum share of right edits, in percent: for `edit`, and for the hunks of a patch.
pub(super) struct DistortionCase {
    pub(super) name: &'static str,
    pub(super) floors: [usize; 2],
    pub(super) distort: Distortion,
}

const fn case(name: &'static str, edit: usize, patch: usize, distort: Distortion) -> DistortionCase {
    DistortionCase { name, floors: [edit, patch], distort }
}

pub(super) const DISTORTIONS: [DistortionCase; 30] = [
    case("nothing", 99, 99, |meant, _| Some(texts(meant, |_, line| line.to_owned()))),
    case("trailing blanks", 95, 95, trailing_blanks),
    case("indented deeper", 95, 95, |meant, _| Some(texts(meant, |_, line| indented("      ", line)))),
    case("indented less", 95, 95, indented_less),
    case("tabs for spaces", 95, 95, tabs_for_spaces),
    case("no indentation at all", 85, 80, |meant, _| {
        Some(texts(meant, |_, line| line.trim_start().to_owned()))
    }),
    case("two lines indented otherwise", 90, 90, two_lines_indented),
    case("blanks within lines", 95, 95, blanks_within),
    case("curly quotes and long dashes", 95, 95, curly),
    case("curly quotes in new lines too", 90, 90, curly_everywhere),
    case("every second quote curly", 95, 95, mixed_quotes),
    case("other quotes", 95, 95, other_quotes),
    case("other quotes in new lines too", 90, 90, other_quotes_everywhere),
    case("accents written otherwise", 95, 95, other_accents),
    case("accents written otherwise in new lines too", 95, 95, other_accents_everywhere),
    case("line numbers", 95, 95, line_numbers),
    case("line numbers in the old text only", 95, 90, line_numbers_in_old),
    case("a fence", 95, 95, fence),
    case("a fence with a line break behind it", 95, 95, fence_with_break),
    // The line of a hunk cannot hold an escaped line break.
    case("escapes", 95, 0, escapes),
    case("only quotes and backslashes escaped", 95, 95, quotes_escaped),
    case("old indented otherwise, new as the file", 95, 90, indented_old),
    case("blank lines around", 95, 90, blank_lines_around),
    case("a wrong word in a line kept", 10, 10, wrong_word),
    case("a wrong letter in a line kept", 50, 50, wrong_letter),
    case("a wrong letter in a line replaced", 30, 30, wrong_letter_replaced),
    case("a line left out", 0, 0, line_left_out),
    case("a line too many", 0, 0, line_too_many),
    case("two lines swapped", 0, 0, swapped),
    case("a wrong number in a line kept", 0, 0, wrong_number),
];

pub(super) fn texts(meant: &IntendedEdit, shown: impl Fn(usize, &str) -> String) -> (String, String) {
    let old: Vec<_> = meant.old.iter().enumerate().map(|(index, line)| shown(index, line)).collect();
    let new = meant.new.iter().map(|line| match line {
        NewLine::Kept(index) => old[*index].clone(),
        NewLine::Written(line) => shown(usize::MAX, line),
    });
    let new: Vec<_> = new.collect();
    (old.join("\n"), new.join("\n"))
}

/// Replaces one line of the old text by another, also where it is kept.
fn with(meant: &IntendedEdit, at: usize, line: String) -> (String, String) {
    texts(meant, |index, as_it_is| if index == at { line.clone() } else { as_it_is.to_owned() })
}

fn kept_line(meant: &IntendedEdit, random: &mut TestRandom) -> Option<usize> {
    let kept: Vec<_> = (0..meant.old.len()).filter(|at| meant.keeps(*at)).collect();
    kept.get(random.below(kept.len())).copied()
}

fn indented(by: &str, line: &str) -> String {
    if line.trim().is_empty() { line.to_owned() } else { format!("{by}{line}") }
}

fn trailing_blanks(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = random.below(meant.old.len());
    let blanks = ["  ", "\t", " "][random.below(3)];
    let given = texts(meant, |index, line| format!("{line}{}", if index == at { blanks } else { "" }));
    // At the very end they would be part of the text.
    Some((given.0 + if at + 1 == meant.old.len() { "" } else { blanks }, given.1))
}

fn indented_less(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let written = meant.new.iter().filter_map(|line| match line {
        NewLine::Written(line) => Some(line),
        NewLine::Kept(_) => None,
    });
    let lines = meant.old.iter().chain(written).filter(|line| !line.trim().is_empty());
    let least = lines.map(|line| line.len() - line.trim_start_matches(' ').len()).min()?;
    (least > 0).then(|| texts(meant, |_, line| line.get(least..).unwrap_or_default().to_owned()))
}

fn tabs_for_spaces(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let tabbed = |line: &str| {
        let body = line.trim_start_matches(' ');
        let spaces = line.len() - body.len();
        format!("{}{}{body}", "\t".repeat(spaces / meant.level), " ".repeat(spaces % meant.level))
    };
    meant.old.iter().any(|line| tabbed(line) != *line).then(|| texts(meant, |_, line| tabbed(line)))
}

fn blanks_within(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random)?;
    let line = meant.old.get(at)?;
    let body = line.trim_start();
    let wider = body.replacen(' ', "   ", 1);
    let line_given = format!("{}{wider}", line.get(..line.len() - body.len())?);
    (wider != body).then(|| with(meant, at, line_given))
}

fn curly(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let curly = |line: &str| line.replace('"', "“").replace('-', "–").replace('\'', "’");
    let shown = |index: usize, line: &str| if index == usize::MAX { line.to_owned() } else { curly(line) };
    let kept = |at: &usize| meant.keeps(*at) && curly(&meant.old[*at]) != meant.old[*at];
    (0..meant.old.len()).any(|at| kept(&at)).then(|| texts(meant, shown))
}

/// The model also writes its new lines with them; the file has plain ones.
fn curly_everywhere(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let curly = |line: &str| line.replace('"', "“").replace('-', "–").replace('\'', "’");
    let has_all =
        |line: &String| ['"', '-', '\''].iter().all(|c| line.contains(*c) <= meant.old.concat().contains(*c));
    let written = meant.new.iter().filter_map(|line| match line {
        NewLine::Written(line) => Some(line),
        NewLine::Kept(_) => None,
    });
    // What the old lines do not show, the new ones may intend.
    let is_distorted = meant.old.iter().any(|line| curly(line) != *line);
    (is_distorted && written.into_iter().all(has_all)).then(|| texts(meant, |_, line| curly(line)))
}

fn numbered(first: usize, text: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(index, line)| format!("{}: {line}", first + index + 1));
    lines.collect::<Vec<_>>().join("\n")
}

fn line_numbers(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((numbered(meant.first, &old), numbered(meant.first, &new)))
}

fn line_numbers_in_old(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((numbered(meant.first, &old), new))
}

fn fence(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    let fenced = |text: String| format!("```\n{text}\n```");
    Some((fenced(old), if random.below(2) == 0 { fenced(new) } else { new }))
}

fn fence_with_break(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((format!("```\n{old}\n```"), format!("```\n{new}\n```\n")))
}

fn quotes_escaped(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.replace('\\', "\\\\").replace('"', "\\\""));
    old.contains('\\').then_some((old, new))
}

/// The model shows the old lines with another indentation, and writes the new ones as the file has them.
fn indented_old(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let by = ["  ", "      ", "\t"][random.below(3)];
    let (old, new) = texts(meant, |_, line| line.to_owned());
    let old: Vec<_> = old.split('\n').map(|line| indented(by, line)).collect();
    Some((old.join("\n"), new))
}

fn escapes(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    let escaped = |text: &str| {
        text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"").replace('\t', "\\t")
    };
    (escaped(&old) != old).then(|| (escaped(&old), if random.below(2) == 0 { escaped(&new) } else { new }))
}

fn blank_lines_around(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let (old, new) = texts(meant, |_, line| line.to_owned());
    Some((format!("\n{old}\n\n"), format!("\n{new}\n\n")))
}

fn wrong_word(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random)?;
    let line = meant.old.get(at)?;
    let words: Vec<_> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect();
    let word = words.get(random.below(words.len()))?;
    Some(with(meant, at, line.replacen(word, "something", 1)))
}

fn misspelt(line: &str, random: &mut TestRandom) -> Option<String> {
    let letters: Vec<_> = line.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).collect();
    let (at, c) = *letters.get(random.below(letters.len()))?;
    let other = [String::new(), format!("{c}{c}"), "q".to_owned()][random.below(3)].clone();
    let misspelt = format!("{}{other}{}", line.get(..at)?, line.get(at + 1..)?);
    (misspelt != line).then_some(misspelt)
}

fn wrong_letter(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random)?;
    Some(with(meant, at, misspelt(meant.old.get(at)?, random)?))
}

fn wrong_letter_replaced(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = (0..meant.old.len()).find(|at| !meant.keeps(*at))?;
    Some(with(meant, at, misspelt(meant.old.get(at)?, random)?))
}

/// Omits a line in the middle that the file has.
fn line_left_out(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random).filter(|at| *at > 0 && at + 1 < meant.old.len())?;
    let (mut old, mut new) = (meant.old.clone(), Vec::new());
    old.remove(at);
    for line in &meant.new {
        match line {
            NewLine::Kept(index) if *index == at => {}
            NewLine::Kept(index) => new.push(meant.old[*index].clone()),
            NewLine::Written(line) => new.push(line.clone()),
        }
    }
    Some((old.join("\n"), new.join("\n")))
}

/// Adds a line in the middle that the file does not have.
fn line_too_many(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random).filter(|at| at + 1 < meant.old.len())?;
    let line = meant.old.get(at)?;
    Some(with(meant, at, format!("{line}\n{}", line.replacen(char::is_alphabetic, "other", 1))))
}

fn swapped(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = random.below(meant.old.len().checked_sub(1)?);
    let (a, b) = (meant.old.get(at)?.clone(), meant.old.get(at + 1)?.clone());
    (a.trim() != b.trim()).then(|| {
        let mut swapped = meant.clone();
        swapped.old.swap(at, at + 1);
        for line in &mut swapped.new {
            match line {
                NewLine::Kept(index) if *index == at => *index = at + 1,
                NewLine::Kept(index) if *index == at + 1 => *index = at,
                _ => {}
            }
        }
        // The kept lines follow the order of the old text as given.
        let mut kept: Vec<usize> = swapped
            .new
            .iter()
            .filter_map(|line| if let NewLine::Kept(index) = line { Some(*index) } else { None })
            .collect();
        kept.sort_unstable();
        let mut kept = kept.into_iter();
        for line in &mut swapped.new {
            if let NewLine::Kept(index) = line {
                *index = kept.next().unwrap();
            }
        }
        texts(&swapped, |_, line| line.to_owned())
    })
}

/// Two lines of the block are a little off; the others are right.
fn two_lines_indented(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let kept: Vec<_> =
        (0..meant.old.len()).filter(|at| meant.keeps(*at) && !meant.old[*at].trim().is_empty()).collect();
    let first = random.below(kept.len());
    let two: Vec<_> = kept.iter().cycle().skip(first).take(2).copied().collect();
    let by = ["  ", "    ", "\t", " "][random.below(4)];
    let is_less = random.below(2) == 0;
    let shown = |index: usize, line: &str| match line.strip_prefix(by) {
        _ if !two.contains(&index) => line.to_owned(),
        Some(less) if is_less => less.to_owned(),
        _ => format!("{by}{line}"),
    };
    // All lines together are another distortion.
    (kept.len() > 2).then(|| texts(meant, shown))
}

/// Of the quotes in a line, the first is curly, the second is not, and so on.
fn mixed_quotes(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let mixed = |line: &str| {
        let mut is_curly = false;
        let quote = |c: char| match c {
            '"' | '\'' => {
                is_curly = !is_curly;
                match c {
                    '"' if is_curly => '“',
                    '\'' if is_curly => '’',
                    c => c,
                }
            }
            c => c,
        };
        line.chars().map(quote).collect::<String>()
    };
    let shown = |index: usize, line: &str| if index == usize::MAX { line.to_owned() } else { mixed(line) };
    meant.old.iter().any(|line| mixed(line) != *line).then(|| texts(meant, shown))
}

fn single_quoted(line: &str) -> String {
    line.replace('"', "'")
}

fn other_quotes(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let shown =
        |index: usize, line: &str| if index == usize::MAX { line.to_owned() } else { single_quoted(line) };
    meant.old.iter().any(|line| line.contains('"')).then(|| texts(meant, shown))
}

fn other_quotes_everywhere(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    // What the old lines do not show, the new ones may intend: a line with both quotes.
    let has_both = meant.old.iter().any(|line| line.contains('\''));
    let has_double = meant.old.iter().any(|line| line.contains('"'));
    (has_double && !has_both).then(|| texts(meant, |_, line| single_quoted(line)))
}

/// Composed letters for letters with accents apart, and the other way round.
fn with_other_accents(line: &str) -> String {
    let composed = super::super::fold::compose(line);
    if composed == line { decompose(line) } else { composed.into_owned() }
}

pub(super) fn decompose(line: &str) -> String {
    icu_normalizer::DecomposingNormalizerBorrowed::new_nfd().normalize(line).into_owned()
}

fn other_accents(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let shown = |index: usize, line: &str| {
        if index == usize::MAX { line.to_owned() } else { with_other_accents(line) }
    };
    meant.old.iter().any(|line| with_other_accents(line) != *line).then(|| texts(meant, shown))
}

fn other_accents_everywhere(meant: &IntendedEdit, _: &mut TestRandom) -> Option<(String, String)> {
    let is_distorted = meant.old.iter().any(|line| with_other_accents(line) != *line);
    is_distorted.then(|| texts(meant, |_, line| with_other_accents(line)))
}

/// Another number is another line.
fn wrong_number(meant: &IntendedEdit, random: &mut TestRandom) -> Option<(String, String)> {
    let at = kept_line(meant, random)?;
    let line = meant.old.get(at)?;
    let digit = line.find(|c: char| c.is_ascii_digit())?;
    let other = (line.as_bytes()[digit] - b'0' + 1) % 10;
    Some(with(meant, at, format!("{}{other}{}", line.get(..digit)?, line.get(digit + 1..)?)))
}
