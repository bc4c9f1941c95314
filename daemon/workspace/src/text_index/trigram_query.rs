//! Which trigrams a text must have so that a regular expression can match in it.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};

use super::signature::{TextSignature, TrigramBit};

/// The cap on alternatives that are spelt out: `v[0-9]` is ten.
const MAX_ALTERNATIVES: usize = 16;

/// A literal beyond this length rules out nothing more.
const MAX_LITERAL_BYTES: usize = 256;

/// A condition on the trigrams of a text. It may hold for texts that do not match, never the other way round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TrigramQuery {
    Has(TrigramBit),
    AllOf(Vec<TrigramQuery>),
    AnyOf(Vec<TrigramQuery>),
}

/// What is known of the strings that a part of an expression matches.
enum MatchedStrings {
    /// It matches exactly these, in any ASCII case.
    Exactly(BTreeSet<Vec<u8>>),
    Others(TrigramQuery),
}

impl TrigramQuery {
    /// Holds for every text.
    const ALWAYS: Self = Self::AllOf(Vec::new());

    /// `expression` is what is searched for, with its case folding already in it.
    pub(crate) fn new(expression: &Hir) -> Self {
        strings(expression).into_query()
    }

    /// Whether it rules out nothing.
    pub(crate) fn is_always(&self) -> bool {
        *self == Self::ALWAYS
    }

    pub(super) fn allows(&self, signature: &TextSignature) -> bool {
        match self {
            Self::Has(trigram) => signature.may_contain(*trigram),
            Self::AllOf(parts) => parts.iter().all(|part| part.allows(signature)),
            Self::AnyOf(parts) => parts.iter().any(|part| part.allows(signature)),
        }
    }

    fn all_of(parts: Vec<Self>) -> Self {
        let mut parts: Vec<_> = parts.into_iter().filter(|part| !part.is_always()).collect();
        if parts.len() == 1 { parts.remove(0) } else { Self::AllOf(parts) }
    }

    fn any_of(parts: Vec<Self>) -> Self {
        if parts.iter().any(Self::is_always) { Self::ALWAYS } else { Self::AnyOf(parts) }
    }

    fn of_literal(literal: &[u8]) -> Self {
        let trigrams: BTreeSet<_> = literal.array_windows().map(|three| TrigramBit::new(*three)).collect();
        Self::all_of(trigrams.into_iter().map(Self::Has).collect())
    }
}

impl MatchedStrings {
    fn unknown() -> Self {
        Self::Others(TrigramQuery::ALWAYS)
    }

    fn empty() -> Self {
        Self::Exactly(BTreeSet::from([Vec::new()]))
    }

    fn into_query(self) -> TrigramQuery {
        match self {
            Self::Others(query) => query,
            Self::Exactly(strings) if strings.len() == 1 => {
                TrigramQuery::all_of(strings.iter().map(|string| TrigramQuery::of_literal(string)).collect())
            }
            Self::Exactly(strings) => {
                TrigramQuery::any_of(strings.iter().map(|string| TrigramQuery::of_literal(string)).collect())
            }
        }
    }
}

fn strings(expression: &Hir) -> MatchedStrings {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => MatchedStrings::empty(),
        HirKind::Literal(literal) if literal.0.len() > MAX_LITERAL_BYTES => {
            let start = literal.0.get(..MAX_LITERAL_BYTES).unwrap_or_default();
            MatchedStrings::Others(TrigramQuery::of_literal(start))
        }
        HirKind::Literal(literal) => {
            MatchedStrings::Exactly(BTreeSet::from([literal.0.to_ascii_lowercase()]))
        }
        HirKind::Class(class) => characters(class),
        HirKind::Capture(group) => strings(&group.sub),
        HirKind::Repetition(repeated) if repeated.min == 0 => MatchedStrings::unknown(),
        HirKind::Repetition(repeated) => match strings(&repeated.sub) {
            exactly if repeated.min == 1 && repeated.max == Some(1) => exactly,
            others => MatchedStrings::Others(others.into_query()),
        },
        HirKind::Concat(parts) => concatenate(parts),
        HirKind::Alternation(parts) => alternate(parts),
    }
}

fn characters(class: &Class) -> MatchedStrings {
    let most = MAX_ALTERNATIVES as u64;
    let mut strings = BTreeSet::new();
    match class {
        Class::Unicode(class) => {
            // Twice as many, because two cases become one.
            let count =
                class.ranges().iter().map(|range| u64::from(range.end()) - u64::from(range.start()) + 1);
            if count.sum::<u64>() > 2 * most {
                return MatchedStrings::unknown();
            }
            for character in class.ranges().iter().flat_map(|range| range.start()..=range.end()) {
                strings.insert(character.to_ascii_lowercase().to_string().into_bytes());
            }
        }
        Class::Bytes(class) => {
            let count = class.ranges().iter().map(|range| u64::from(range.end() - range.start()) + 1);
            if count.sum::<u64>() > 2 * most {
                return MatchedStrings::unknown();
            }
            for byte in class.ranges().iter().flat_map(|range| range.start()..=range.end()) {
                strings.insert(vec![byte.to_ascii_lowercase()]);
            }
        }
    }
    if strings.is_empty() || strings.len() > MAX_ALTERNATIVES {
        return MatchedStrings::unknown();
    }
    MatchedStrings::Exactly(strings)
}

fn concatenate(parts: &[Hir]) -> MatchedStrings {
    let mut required = Vec::new();
    let mut current = BTreeSet::from([Vec::new()]);
    let mut is_exact = true;
    for part in parts {
        match strings(part) {
            MatchedStrings::Exactly(next) => match join(&current, &next) {
                Some(joined) => current = joined,
                None => {
                    is_exact = false;
                    let before = std::mem::replace(&mut current, next);
                    required.push(MatchedStrings::Exactly(before).into_query());
                }
            },
            MatchedStrings::Others(query) => {
                is_exact = false;
                let before = std::mem::replace(&mut current, BTreeSet::from([Vec::new()]));
                required.push(MatchedStrings::Exactly(before).into_query());
                required.push(query);
            }
        }
    }
    if is_exact {
        return MatchedStrings::Exactly(current);
    }
    required.push(MatchedStrings::Exactly(current).into_query());
    MatchedStrings::Others(TrigramQuery::all_of(required))
}

/// Each of the one followed by each of the other, unless these are too many or too long.
fn join(one: &BTreeSet<Vec<u8>>, other: &BTreeSet<Vec<u8>>) -> Option<BTreeSet<Vec<u8>>> {
    let longest = |strings: &BTreeSet<Vec<u8>>| strings.iter().map(Vec::len).max().unwrap_or_default();
    if one.len() * other.len() > MAX_ALTERNATIVES || longest(one) + longest(other) > MAX_LITERAL_BYTES {
        return None;
    }
    Some(one.iter().flat_map(|start| other.iter().map(|end| [&**start, &**end].concat())).collect())
}

fn alternate(parts: &[Hir]) -> MatchedStrings {
    let parts: Vec<_> = parts.iter().map(strings).collect();
    let exact = parts.iter().map(|part| match part {
        MatchedStrings::Exactly(strings) => Some(strings),
        MatchedStrings::Others(_) => None,
    });
    let exact: Option<BTreeSet<_>> =
        exact.collect::<Option<Vec<_>>>().map(|sets| sets.into_iter().flatten().cloned().collect());
    if let Some(exact) = exact.filter(|exact| exact.len() <= MAX_ALTERNATIVES) {
        return MatchedStrings::Exactly(exact);
    }
    MatchedStrings::Others(TrigramQuery::any_of(parts.into_iter().map(MatchedStrings::into_query).collect()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_syntax::ParserBuilder;

    use super::super::signature::SignatureBuilder;
    use super::*;

    fn query(pattern: &str, case_insensitive: bool) -> TrigramQuery {
        let mut parser = ParserBuilder::new();
        TrigramQuery::new(
            &parser.utf8(false).case_insensitive(case_insensitive).build().parse(pattern).unwrap(),
        )
    }

    fn allows(pattern: &str, text: &str) -> bool {
        query(pattern, false).allows(&SignatureBuilder::new().build(text.as_bytes()))
    }

    #[test]
    fn an_expression_rules_out_what_lacks_its_literals() {
        let cases = [
            ("hello", "say Hello", true),
            ("hello", "help low", false),
            (r"\bfn\s+make_index\b", "fn make_index() {}", true),
            (r"\bfn\s+make_index\b", "fn make_inde() {}", false),
            ("(red|green) light", "a green light", true),
            ("(red|green) light", "a blue light", false),
            ("colou?r", "the color", true),
            ("v[0-9]{2}x", "v12x", true),
            ("version[12]", "version3", false),
            ("open.*file", "file to open", true),
            ("open.*file", "open the door", false),
            ("(?i)stra\u{df}e", "STRA\u{1E9E}E", true),
            ("(abc)+def", "abcabcdef", true),
            ("(abc)+def", "abcabcdf", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(allows(pattern, text), expected, "{pattern} in {text}");
        }
    }

    #[test]
    fn an_expression_without_literals_rules_out_nothing() {
        for pattern in ["", "a", "..", "[a-z]+", "abc|", "(abc)?", r"\w+\(", "a*b*c*"] {
            assert!(query(pattern, false).is_always(), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn what_matches_is_never_ruled_out(
            pattern in "([a-cK]{1,4}|[.]|[(]ab[|]cab[)]|[(]abc[)][+*?]|\\[a-k\\]|\\[ab\\]|\\\\b|s|\u{e9}){1,6}",
            text in "[a-cskK\u{17F}\u{212A}\u{e9}\u{c9} ]{0,40}",
            insensitive in any::<bool>(),
        ) {
            let matcher = grep_regex::RegexMatcherBuilder::new().case_insensitive(insensitive).build(&pattern);
            prop_assume!(matcher.is_ok());
            let is_match = grep_matcher::Matcher::is_match(&matcher.unwrap(), text.as_bytes()).unwrap();
            let is_allowed = query(&pattern, insensitive).allows(&SignatureBuilder::new().build(text.as_bytes()));
            prop_assert!(!is_match || is_allowed, "{pattern} in {text}");
        }
    }
}
