//! Compares an answer with the right places.

use std::collections::BTreeSet;

use super::asked_project::ToolAnswer;
use super::question::BenchQuestion;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerGrade {
    /// All right places, and no other.
    Exact,
    /// It is not exact, and says so: by syntax, or not known.
    Admitted,
    /// The server cannot do it. The answer says so.
    Lack,
    Wrong,
}

#[derive(Debug, Clone)]
pub(crate) struct JudgedAnswer {
    pub(crate) server: String,
    pub(crate) operation: String,
    pub(crate) title: String,
    pub(crate) grade: AnswerGrade,
    pub(crate) why: String,
    pub(crate) milliseconds: u64,
}

pub(crate) fn judge(server: &str, question: &BenchQuestion, answer: &ToolAnswer) -> JudgedAnswer {
    let given: BTreeSet<_> = answer.places.iter().map(|(path, line, _)| format!("{path}:{line}")).collect();
    let expected: BTreeSet<_> = question.places.iter().cloned().collect();
    let missing: Vec<_> = expected.difference(&given).cloned().collect();
    let surplus: Vec<_> = given.difference(&expected).cloned().collect();
    let unsaid: Vec<_> = question.text.iter().filter(|text| !answer.text.contains(*text)).cloned().collect();
    let is_exact = !answer.is_error && missing.is_empty() && surplus.is_empty() && unsaid.is_empty();
    let is_admitted = answer.is_error
        || ["by syntax, likely", "syntax only"].iter().any(|words| answer.text.contains(words));
    let grade = match question.lacks.get(server) {
        _ if is_exact => AnswerGrade::Exact,
        Some(_) => AnswerGrade::Lack,
        _ if is_admitted => AnswerGrade::Admitted,
        _ => AnswerGrade::Wrong,
    };
    let mut why = Vec::new();
    if let Some(lack) = question.lacks.get(server).filter(|_| grade == AnswerGrade::Lack) {
        why.push(lack.clone());
    }
    if answer.is_error || (answer.places.is_empty() && !question.places.is_empty()) || !unsaid.is_empty() {
        why.push(format!("the answer: {}", answer.text.chars().take(240).collect::<String>()));
    }
    for (word, list) in [("missing", missing), ("surplus", surplus), ("not said", unsaid)] {
        if !list.is_empty() {
            let shown: Vec<_> = list.iter().take(3).cloned().collect();
            let more = if list.len() > 3 { ", …" } else { "" };
            why.push(format!("{} {word}: {}{more}", list.len(), shown.join(", ")));
        }
    }
    JudgedAnswer {
        server: server.to_owned(),
        operation: question.operation.clone(),
        title: question.title(),
        grade,
        why: why.join("; "),
        milliseconds: answer.milliseconds,
    }
}
