//! Reads the user's intent from a few plain English sentences.

use super::sentence::{SentenceWord, split};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Intent {
    Fix(FixGoal),
    Replace {
        old: String,
        new: String,
        path: Option<String>,
    },
    Rename {
        old: String,
        new: String,
        path: Option<String>,
    },
    Find {
        what: String,
        path: Option<String>,
    },
    Ask {
        question: CodeQuestion,
        name: String,
        path: Option<String>,
    },
    Tidy {
        what: TidyGoal,
        path: String,
    },
    /// The quick fixes of these problems, which an editor names.
    FixListed {
        path: String,
        problems: Vec<String>,
    },
    Show {
        path: String,
        lines: Option<(usize, usize)>,
    },
    List {
        path: Option<String>,
    },
    Unknown,
}

/// A question about a name in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeQuestion {
    WhereDefined,
    Definition,
    References,
    Callers,
    /// The name is that of a file.
    Outline,
}

/// What a language server is to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TidyGoal {
    OrganizeImports,
    Format,
    QuickFixes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FixGoal {
    /// Change nothing; only report what the compiler says.
    pub(super) is_report_only: bool,
    pub(super) warnings: bool,
    pub(super) tests: bool,
}

const POLITE: [&str; 12] =
    ["please", "can", "could", "would", "will", "you", "just", "now", "then", "hi", "hello", "and"];

pub(super) fn parse_intent(sentence: &str) -> Intent {
    let (sentence, listed) = split_problems(sentence);
    let mut words = split(&sentence);
    let polite = words.iter().take_while(|word| word.is_any_of(&POLITE)).count();
    words.drain(..polite);
    while words.last().is_some_and(|word| word.is_any_of(&["please", "thanks"])) {
        words.pop();
    }
    match (match_intent(&words).unwrap_or(Intent::Unknown), listed) {
        // The compiler of a Rust project knows more than what is listed.
        (Intent::Fix(_), Some((path, problems))) if !path.ends_with(".rs") => {
            Intent::FixListed { path, problems }
        }
        (intent, _) => intent,
    }
}

/// Takes out the lines by which an editor lists problems: `- src/a.ts:3:5 error: Cannot find name 'x'. (ts)`. Returns the path of the first
/// and the messages of that file.
fn split_problems(text: &str) -> (String, Option<(String, Vec<String>)>) {
    let mut others = String::new();
    let mut listed: Option<(String, Vec<String>)> = None;
    for line in text.lines() {
        let Some((path, message)) = listed_problem(line) else {
            others.push_str(line);
            others.push('\n');
            continue;
        };
        let (first, messages) = listed.get_or_insert_with(|| (path.to_owned(), Vec::new()));
        if first == path {
            messages.push(message.to_owned());
        }
    }
    (others, listed)
}

fn listed_problem(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("- ")?;
    let severities = [" error: ", " warning: ", " information: ", " hint: "];
    let found = severities.iter().filter_map(|severity| line.split_once(severity));
    let (place, message) = found.min_by_key(|(place, _)| place.len())?;
    let (place, column) = place.rsplit_once(':')?;
    let (path, line) = place.rsplit_once(':')?;
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    (!path.is_empty() && is_number(line) && is_number(column)).then_some((path, message))
}

fn match_intent(words: &[SentenceWord]) -> Option<Intent> {
    let (verb, rest) = words.split_first()?;
    let has = |list: &[&str]| words.iter().any(|word| word.is_any_of(list));
    let goal = FixGoal {
        is_report_only: false,
        warnings: has(&["warning", "warnings", "lint", "lints"]),
        tests: has(&["test", "tests"]),
    };
    if let Some(tidy) = tidy(verb, rest) {
        return Some(tidy);
    }
    if verb.is_any_of(&["fix", "repair", "correct"]) {
        return Some(Intent::Fix(goal));
    }
    if verb.is_any_of(&["make", "get", "let"])
        && has(&["compile", "compiles", "build", "builds", "compiling"])
    {
        return Some(Intent::Fix(goal));
    }
    if verb.is_any_of(&["check", "does", "why", "compile", "build"])
        && (rest.is_empty() || has(&["compile", "compiles", "build", "builds", "errors", "check"]))
    {
        return Some(Intent::Fix(FixGoal { is_report_only: true, ..goal }));
    }
    if verb.is_any_of(&["rename"]) {
        return rename(rest);
    }
    if verb.is_any_of(&["replace", "substitute", "change"]) {
        let links: &[&str] =
            if verb.is_any_of(&["change"]) { &["to", "into", "with"] } else { &["with", "by"] };
        let (old, new, path) = pair(rest, links)?;
        return Some(Intent::Replace { old: join_words(old)?, new: join_words(new)?, path });
    }
    if let Some(question) = code_question(verb, rest) {
        return Some(question);
    }
    if verb.is_any_of(&["find", "search", "grep", "locate", "where", "where's"]) {
        return find(rest);
    }
    if verb.is_any_of(&["show", "read", "print", "open", "cat", "display"]) {
        return show(rest);
    }
    if verb.is_any_of(&["list", "ls"]) {
        let rest = drop_words(
            rest,
            &["me", "the", "all", "files", "folder", "directory", "of", "in", "this", "here"],
        );
        return match rest.as_slice() {
            [] => Some(Intent::List { path: None }),
            [folder] => Some(Intent::List { path: Some(folder.text.clone()) }),
            _ => None,
        };
    }
    None
}

/// `organize the imports of FILE`, `format FILE`, `apply the quick fixes in FILE`.
fn tidy(verb: &SentenceWord, rest: &[SentenceWord]) -> Option<Intent> {
    let has = |list: &[&str]| rest.iter().any(|word| word.is_any_of(list));
    let what = match () {
        () if verb.is_any_of(&["organize", "organise", "sort"]) && has(&["imports"]) => {
            TidyGoal::OrganizeImports
        }
        () if verb.is_any_of(&["format", "reformat"]) => TidyGoal::Format,
        () if verb.is_any_of(&["apply", "use", "make"]) && has(&["fixes", "quickfixes"]) => {
            TidyGoal::QuickFixes
        }
        () => return None,
    };
    let noise = ["the", "file", "imports", "quick", "fixes", "quickfixes", "of", "in", "for", "all", "code"];
    match drop_words(rest, &noise).as_slice() {
        [path] => Some(Intent::Tidy { what, path: path.text.clone() }),
        _ => None,
    }
}

fn rename(rest: &[SentenceWord]) -> Option<Intent> {
    if rest.iter().any(|word| word.is_any_of(&["file", "folder", "directory", "files"])) {
        return None;
    }
    let (old, new, path) = pair(rest, &["to", "into", "as"])?;
    // `rename OLD in PATH to NEW` is as usual as `rename OLD to NEW in PATH`.
    let (old, path) = match split_path(old) {
        (old, Some(before)) if path.is_none() => (old, Some(before)),
        _ => (old, path),
    };
    // "the function foo": the kind does not matter, the name comes last.
    let (old, new) = (old.last()?.text.clone(), new.last()?.text.clone());
    // With `::` it is the path of a symbol. Its text must not be replaced: that would take away the path at each use.
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_word);
    let are_names = is_name(&new) && old.split("::").all(is_name);
    if are_names { Some(Intent::Rename { old, new, path }) } else { Some(Intent::Replace { old, new, path }) }
}

/// `OLD with NEW [in PATH]`
fn pair<'a>(
    words: &'a [SentenceWord],
    links: &[&str],
) -> Option<(&'a [SentenceWord], &'a [SentenceWord], Option<String>)> {
    let noise = ["all", "every", "each", "occurrence", "occurrences", "of", "the", "word", "text"];
    let words = words.get(words.iter().take_while(|word| word.is_any_of(&noise)).count()..)?;
    let link = words.iter().skip(1).position(|word| word.is_any_of(links))? + 1;
    let (old, new) = (words.get(..link)?, words.get(link + 1..)?);
    let (new, path) = split_path(new);
    if old.is_empty() || new.is_empty() {
        return None;
    }
    Some((old, new, path))
}

/// Takes `in PATH` off the end.
fn split_path(words: &[SentenceWord]) -> (&[SentenceWord], Option<String>) {
    let last_in = words.iter().rposition(|word| word.is_any_of(&["in", "inside", "within"]));
    let Some(at) = last_in else { return (words, None) };
    let (before, after) = words.split_at(at);
    let names = drop_words(after.get(1..).unwrap_or_default(), &["the", "file", "folder"]);
    let everywhere = |word: &SentenceWord| {
        word.is_any_of(&[
            "project",
            "workspace",
            "code",
            "all",
            "every",
            "everything",
            "files",
            "here",
            "this",
        ])
    };
    match names.as_slice() {
        _ if names.iter().all(everywhere) => (before, None),
        [path] => (before, Some(path.text.clone())),
        _ => (words, None),
    }
}

/// `where is NAME defined`, `find the references of NAME`, `who calls NAME`, `show the definition of NAME`, `outline FILE`. None if it is about
/// something else than one name.
fn code_question(verb: &SentenceWord, rest: &[SentenceWord]) -> Option<Intent> {
    let has = |list: &[&str]| rest.iter().any(|word| word.is_any_of(list));
    let is = |list: &[&str]| verb.is_any_of(list);
    let (is_where, is_show) =
        (is(&["where", "where's"]), is(&["show", "find", "list", "print", "display", "give"]));
    let question = match () {
        () if is(&["who", "what", "which"]) && has(&["calls", "call"]) => CodeQuestion::Callers,
        () if is(&["callers"]) || is_show && has(&["callers"]) => CodeQuestion::Callers,
        () if is(&["references", "usages"]) => CodeQuestion::References,
        () if is_show && has(&["references", "reference", "usages", "uses"]) => CodeQuestion::References,
        () if is_where && has(&["used", "called", "referenced"]) => CodeQuestion::References,
        () if is_where && has(&["defined", "declared", "definition"]) => CodeQuestion::WhereDefined,
        () if is_show && has(&["definition"]) => CodeQuestion::Definition,
        () if is(&["outline"]) || is_show && has(&["outline"]) => CodeQuestion::Outline,
        () => return None,
    };
    let noise = [
        "all",
        "are",
        "call",
        "called",
        "callers",
        "calls",
        "class",
        "declared",
        "defined",
        "definition",
        "every",
        "file",
        "for",
        "function",
        "functions",
        "is",
        "me",
        "method",
        "of",
        "outline",
        "reference",
        "referenced",
        "references",
        "struct",
        "the",
        "to",
        "type",
        "usages",
        "used",
        "uses",
    ];
    let (rest, path) = split_path(rest);
    let names = drop_words(rest, &noise);
    let [name] = names.as_slice() else { return None };
    let is_name = |character: char| is_word(character) || ".:#/-".contains(character);
    let name = name.text.trim_end_matches("()");
    (!name.is_empty() && name.chars().all(is_name)).then(|| Intent::Ask {
        question,
        name: name.to_owned(),
        path,
    })
}

fn find(rest: &[SentenceWord]) -> Option<Intent> {
    let noise =
        ["for", "is", "are", "the", "all", "every", "where", "me", "uses", "usages", "of", "text", "word"];
    let rest = rest.get(rest.iter().take_while(|word| word.is_any_of(&noise)).count()..)?;
    let (mut rest, path) = split_path(rest);
    while let Some((last, before)) = rest.split_last()
        && !before.is_empty()
        && last.is_any_of(&["used", "defined", "is", "are", "declared", "called", "mentioned"])
    {
        rest = before;
    }
    Some(Intent::Find { what: join_words(rest)?, path })
}

fn show(rest: &[SentenceWord]) -> Option<Intent> {
    let rest = drop_words(rest, &["me", "the", "file", "contents", "content", "of", "in", "from"]);
    let (path, range) = rest.iter().partition::<Vec<_>, _>(|word| {
        word.is_quoted
            || !(numbers(&word.text).is_some() || word.is_any_of(&["line", "lines", "to", "-", "and"]))
    });
    let [path] = path.as_slice() else { return None };
    let mut name = path.text.as_str();
    let mut numbers: Vec<usize> =
        range.iter().filter_map(|word| self::numbers(&word.text)).flatten().collect();
    if let Some((file, behind)) = name.rsplit_once(':')
        && let Some(behind) = self::numbers(behind)
    {
        name = file;
        numbers.extend(behind);
    }
    let lines = numbers.first().zip(numbers.last()).map(|(first, last)| (*first, *last.max(first)));
    Some(Intent::Show { path: name.to_owned(), lines })
}

/// `12` or `12-20`
fn numbers(text: &str) -> Option<Vec<usize>> {
    text.split(['-', '–']).map(|number| number.parse().ok()).collect()
}

fn drop_words(words: &[SentenceWord], noise: &[&str]) -> Vec<SentenceWord> {
    words.iter().filter(|word| !word.is_any_of(noise)).cloned().collect()
}

fn join_words(words: &[SentenceWord]) -> Option<String> {
    let words: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
    Some(words.join(" ")).filter(|text| !text.trim().is_empty())
}

pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
