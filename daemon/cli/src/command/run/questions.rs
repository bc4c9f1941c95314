//! Asks the agent's questions in the terminal, one after the other; answers are numbers or words.
//!
//! Invariant: only input typed after a question appears answers it.

use copydesk_protocol::question::{QuestionAskInfo, QuestionInfo, QuestionReply};
use tokio_util::sync::CancellationToken;

use super::permission_prompt;
use super::terminal_input::{self, TerminalInput, WithdrawnQuestion};
use crate::terminal::{BOLD, DIM, columns, cut, one_line, print, styled};

/// The cap on an answer's characters.
const MAX_ANSWER_CHARS: usize = 10_000;

pub(super) async fn ask(
    asked: QuestionAskInfo,
    withdrawn: CancellationToken,
) -> Result<QuestionReply, WithdrawnQuestion> {
    let mut answers = Vec::new();
    for (index, question) in asked.questions.iter().enumerate() {
        let _ = print(shown(&asked, question, index));
        terminal_input::discard_input();
        match ask_one(question, &withdrawn).await? {
            TypedAnswer::Answer(answer) => answers.push(answer),
            TypedAnswer::Nothing => return Ok(QuestionReply::Rejected { reason: None }),
            TypedAnswer::Gone => return Ok(QuestionReply::Cancelled),
        }
    }
    Ok(QuestionReply::Answered { answers })
}

enum TypedAnswer {
    Answer(Vec<String>),
    /// The user declines to answer.
    Nothing,
    /// The terminal is gone.
    Gone,
}

async fn ask_one(
    question: &QuestionInfo,
    withdrawn: &CancellationToken,
) -> Result<TypedAnswer, WithdrawnQuestion> {
    loop {
        let line = match terminal_input::ask(prompt(question), withdrawn).await {
            TerminalInput::Line(line) => line,
            TerminalInput::Nothing => return Ok(TypedAnswer::Nothing),
            TerminalInput::HungUp => return Ok(TypedAnswer::Gone),
            TerminalInput::Withdrawn(question) => return Err(question),
        };
        match read(&line, question) {
            Ok(Some(answer)) => return Ok(TypedAnswer::Answer(answer)),
            Ok(None) => return Ok(TypedAnswer::Nothing),
            Err(advice) => drop(print(format!("  {advice}"))),
        }
    }
}

/// `? general: Which one? (1 of 2)` and the options.
pub(super) fn shown(asked: &QuestionAskInfo, question: &QuestionInfo, index: usize) -> String {
    let of = asked.questions.len();
    let which = if of > 1 { styled(DIM, format!(" ({} of {of})", index + 1)) } else { String::new() };
    let who = asked.agent.as_ref().map(|agent| format!("{}: ", one_line(agent))).unwrap_or_default();
    let mut lines = format!("{} {who}{}{which}", styled(BOLD, "?"), one_line(&question.text));
    for (index, option) in question.options.iter().enumerate() {
        let number = styled(BOLD, format!("{:>3}", index + 1));
        let meaning = one_line(&option.description);
        let meaning = if meaning.is_empty() { meaning } else { styled(DIM, format!("  {meaning}")) };
        lines.push_str(&format!("\n{number}  {}{meaning}", one_line(&option.label)));
    }
    lines
}

/// The possible input: `[1-3] choose one  […] your own words  [q] no answer, stop  › `
fn prompt(question: &QuestionInfo) -> String {
    let numbers = match question.options.len() {
        1 => "1".to_owned(),
        count if question.multiple => format!("1,{count}"),
        count => format!("1-{count}"),
    };
    let mut keys = Vec::new();
    if !question.options.is_empty() {
        let some = if question.multiple { "choose one or more" } else { "choose one" };
        keys.push((numbers.as_str(), some.to_owned()));
    }
    if question.custom {
        keys.push(("…", "your own words".to_owned()));
    }
    keys.push(("q", "no answer, stop".to_owned()));
    permission_prompt::question(&keys, columns())
}

fn numbers(question: &QuestionInfo) -> String {
    match question.options.len() {
        1 => "1".to_owned(),
        count => format!("1 to {count}"),
    }
}

/// Parses the typed line; `None` if the user declines, `Err` with what to type instead. A quoted text is always
/// the user's own answer.
fn read(line: &str, question: &QuestionInfo) -> Result<Option<Vec<String>>, String> {
    let line = line.trim();
    let own = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).map(str::trim);
    if let Some(own) = own.filter(|own| !own.is_empty() && question.custom) {
        return Ok(Some(vec![words(own)]));
    }
    let label = |word: &str| question.options.iter().find(|option| option.label.eq_ignore_ascii_case(word));
    if let Some(option) = label(line) {
        return Ok(Some(vec![option.label.clone()]));
    }
    if line == "q" {
        return Ok(None);
    }
    let is_number = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_between = |letter: char| letter == ',' || letter.is_whitespace();
    let mut rest = line;
    let mut chosen: Vec<String> = Vec::new();
    // Numbers come first. If several answers are allowed, the words after them are one more.
    loop {
        let (word, after) = rest.split_at(rest.find(is_between).unwrap_or(rest.len()));
        if !is_number(&word) || question.options.is_empty() {
            break;
        }
        let option =
            word.parse::<usize>().ok().and_then(|number| question.options.get(number.checked_sub(1)?));
        let Some(option) = option else {
            let quotes = if question.custom {
                format!("; for an answer of your own write \"{line}\"")
            } else {
                String::new()
            };
            return Err(format!("there is no {}: type {}{quotes}", cut(word, 20), numbers(question)));
        };
        if !chosen.contains(&option.label) {
            chosen.push(option.label.clone());
        }
        rest = after.trim_start_matches(is_between);
    }
    match (chosen.len(), rest) {
        (0, "") => Err(format!("type {}, then Enter", wanted(question))),
        (1, "") => Ok(Some(chosen)),
        (_, "") if question.multiple => Ok(Some(chosen)),
        (0, own) if question.custom => Ok(Some(vec![words(own)])),
        // A sentence that begins with a number.
        (_, _) if question.custom && !question.multiple && !rest.is_empty() => Ok(Some(vec![words(line)])),
        (_, own) if question.custom && !own.is_empty() => {
            chosen.push(words(own));
            Ok(Some(chosen))
        }
        _ => Err(format!("not `{}`: type {}, then Enter", cut(line, 20), wanted(question))),
    }
}

/// `1 to 3 or your own words`
fn wanted(question: &QuestionInfo) -> String {
    let one = match (question.options.is_empty(), question.multiple) {
        (true, _) => return "your answer".to_owned(),
        (false, true) => format!("one or more of {}", numbers(question)),
        (false, false) => numbers(question),
    };
    if question.custom { format!("{one}, or your own words") } else { one }
}

fn words(own: &str) -> String {
    own.chars().take(MAX_ANSWER_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::question::QuestionOptionInfo;

    use super::*;

    fn question(labels: &[&str], multiple: bool, custom: bool) -> QuestionInfo {
        let choice =
            |label: &&str| QuestionOptionInfo { label: (*label).to_owned(), description: String::new() };
        let (header, text) = ("H".to_owned(), "T?".to_owned());
        QuestionInfo { header, text, options: labels.iter().map(choice).collect(), multiple, custom }
    }

    #[test]
    fn what_is_typed_is_a_number_a_label_or_words() {
        let answer = |line: &str, question: &QuestionInfo| match read(line, question) {
            Ok(Some(answer)) => answer.join(" | "),
            Ok(None) => "(none)".to_owned(),
            Err(why) => format!("! {why}"),
        };
        let one = question(&["Red", "Blue", "7"], false, true);
        for (line, expected) in [
            ("1\n", "Red"),
            (" 2 ", "Blue"),
            ("blue", "Blue"),
            ("3", "7"),
            ("7", "7"),
            ("q", "(none)"),
            ("\"q\"", "q"),
            ("\"2\"", "2"),
            ("green, if there is any", "green, if there is any"),
            ("2 of them", "2 of them"),
            ("", "! type 1 to 3, or your own words, then Enter"),
            ("4", "! there is no 4: type 1 to 3; for an answer of your own write \"4\""),
            ("0", "! there is no 0: type 1 to 3; for an answer of your own write \"0\""),
            (
                "99999999999999999999999",
                "! there is no 999999999999999999…: type 1 to 3; for an answer of your own write \"99999999999999999999999\"",
            ),
            ("1,2", "! not `1,2`: type 1 to 3, or your own words, then Enter"),
        ] {
            assert_eq!(answer(line, &one), expected, "{line:?}");
        }
        let several = question(&["Red", "Blue"], true, true);
        for (line, expected) in [
            ("1", "Red"),
            ("2,1", "Blue | Red"),
            ("1 2 1", "Red | Blue"),
            ("1, 2, and green", "Red | Blue | and green"),
            ("green", "green"),
        ] {
            assert_eq!(answer(line, &several), expected, "{line:?}");
        }
        let closed = question(&["Red", "Blue"], false, false);
        assert_eq!(answer("green", &closed), "! not `green`: type 1 to 2, then Enter");
        assert_eq!(answer("\"green\"", &closed), "! not `\"green\"`: type 1 to 2, then Enter");
        assert_eq!(answer("3", &closed), "! there is no 3: type 1 to 2");
        let open = question(&[], false, true);
        assert_eq!(
            (answer("12", &open), answer(" ", &open)),
            ("12".into(), "! type your answer, then Enter".into())
        );
    }
}
