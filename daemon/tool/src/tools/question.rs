//! Asks the user questions.

use std::borrow::Cow;
use std::fmt::Write as _;

use copydesk_metadata::{AskedQuestionMetadata, CallDetail, QuestionsMetadata};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::{PermissionRequest, ToolContext};
use crate::denial::PermissionDenial;
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::question::{Question, QuestionOption};
use crate::tool::Tool;

/// The caps on questions of one call, and on options of one question.
const MAX_QUESTIONS: usize = 10;
const MAX_OPTIONS: usize = 20;

/// The caps on the texts, and on an answer that the model reads.
const MAX_HEADER_CHARS: usize = 30;
const MAX_QUESTION_CHARS: usize = 2000;
const MAX_LABEL_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_ANSWER_CHARS: usize = 10_000;

#[derive(Debug)]
pub(super) struct QuestionTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct QuestionParameters {
    /// What you want to know.
    questions: Vec<QuestionInput>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct QuestionInput {
    /// The question, in full.
    question: String,
    /// A word or two that name it.
    #[serde(default)]
    header: String,
    /// What can be chosen.
    #[serde(default)]
    options: Vec<QuestionOptionInput>,
    /// Whether several may be chosen. Default: false.
    #[serde(default)]
    multiple: bool,
    /// Whether the user may answer in their own words. Default: true.
    #[serde(default = "yes")]
    custom: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct QuestionOptionInput {
    /// One to five words.
    label: String,
    /// What it would mean.
    #[serde(default)]
    description: String,
}

fn yes() -> bool {
    true
}

impl Tool for QuestionTool {
    type Parameters = QuestionParameters;

    fn name(&self) -> Cow<'static, str> {
        "question".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("question.md").into()
    }

    async fn run(
        &self,
        parameters: QuestionParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let questions = questions(parameters)?;
        let title = match questions.as_slice() {
            [only] => only.text.clone(),
            several => format!("{} questions", several.len()),
        };
        let everything = vec!["*".to_owned()];
        let key = "question".to_owned();
        context
            .ask(PermissionRequest {
                key,
                patterns: everything.clone(),
                always: everything,
                title,
                ..PermissionRequest::default()
            })
            .await?;
        let mut answers = context.ask_questions(questions.clone()).await.map_err(unanswered)?;
        answers.resize(questions.len(), Vec::new());
        for answer in answers.iter_mut().flatten() {
            *answer = cut(answer.trim(), MAX_ANSWER_CHARS);
        }
        Ok(render_answers(&questions, &answers))
    }
}

/// Cleans the questions for the user.
fn questions(parameters: QuestionParameters) -> Result<Vec<Question>, ToolError> {
    let wrong = |message: String| Err(ToolError::new(ToolErrorKind::Arguments, message));
    let asked = parameters.questions;
    if asked.is_empty() || asked.len() > MAX_QUESTIONS {
        return wrong(format!(
            "`questions` has {} questions; ask 1 to {MAX_QUESTIONS} at once.",
            asked.len()
        ));
    }
    let mut questions = Vec::new();
    for (at, asked) in asked.into_iter().enumerate() {
        let QuestionInput { question, header, options, multiple, custom } = asked;
        if question.trim().is_empty() {
            return wrong(format!("`questions[{at}].question` is empty. Say what you want to know."));
        }
        if options.len() > MAX_OPTIONS {
            return wrong(format!(
                "`questions[{at}].options` has {} options; offer at most {MAX_OPTIONS}, the user may answer in their own words.",
                options.len()
            ));
        }
        let choice = |offered: QuestionOptionInput| QuestionOption {
            label: line(&offered.label, MAX_LABEL_CHARS),
            description: line(&offered.description, MAX_DESCRIPTION_CHARS),
        };
        let mut options: Vec<_> =
            options.into_iter().map(choice).filter(|choice| !choice.label.is_empty()).collect();
        // A label is the answer, so labels are unique.
        let mut known = std::collections::HashSet::new();
        options.retain(|choice| known.insert(choice.label.clone()));
        questions.push(Question {
            header: line(&header, MAX_HEADER_CHARS),
            text: line(&question, MAX_QUESTION_CHARS),
            // Without options the user must be able to type.
            custom: custom || options.is_empty(),
            options,
            multiple,
        });
    }
    Ok(questions)
}

pub(super) fn unanswered(refused: PermissionDenial) -> ToolError {
    match refused {
        PermissionDenial::Cancelled => ToolError::cancelled(),
        PermissionDenial::ByRule { why } => ToolError::new(ToolErrorKind::Denied, why),
        PermissionDenial::Unattended => {
            ToolError::new(ToolErrorKind::Denied, "There is no answer: nobody could be asked.")
        }
        PermissionDenial::ByUser { reason: Some(reason) } => {
            let message = format!("There is no answer: {reason}");
            ToolError::new(ToolErrorKind::Denied, message).with_title(format!("no answer: {reason}"))
        }
        PermissionDenial::ByUser { reason: None } => {
            ToolError::new(ToolErrorKind::Denied, "The user dismissed the question. Do not ask it again.")
                .with_title("no answer")
        }
    }
}

fn render_answers(questions: &[Question], answers: &[Vec<String>]) -> ToolOutput {
    let mut output = "The user answered:".to_owned();
    let mut titles = Vec::new();
    for (question, answer) in questions.iter().zip(answers) {
        let answer = if answer.is_empty() { "(nothing)".to_owned() } else { answer.join(", ") };
        let _ = write!(output, "\n\n{}\n→ {answer}", question.text);
        let name = if question.header.is_empty() { "" } else { &question.header };
        let between = if name.is_empty() { "" } else { ": " };
        titles.push(format!("{name}{between}{}", line(&answer, MAX_LABEL_CHARS)));
    }
    let one = |question: &Question| AskedQuestionMetadata {
        header: question.header.clone(),
        text: question.text.clone(),
    };
    let asked = questions.iter().map(one).collect();
    let metadata =
        CallDetail::Questions(QuestionsMetadata { questions: asked, answers: answers.to_vec() }).into();
    ToolOutput { title: titles.join("; "), output, metadata, ..ToolOutput::default() }
}

/// Text on one line without control characters.
pub(super) fn line(text: &str, longest: usize) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    cut(&plain.split_whitespace().collect::<Vec<_>>().join(" "), longest)
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
