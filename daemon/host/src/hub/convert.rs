//! From the session's words to those of the protocol. Providers' own marks stay here.

use copydesk_model as model;
use copydesk_permission::Reply;
use copydesk_protocol::ask::{Ask, PermissionReply};
use copydesk_protocol::event::{Event, Job, TurnEnd};
use copydesk_protocol::part::{
    Call, CallOutput, Content, Media, Part, Prompt, State, StepFinish, StopReason, Text, Usage,
};
use copydesk_protocol::question::{Choice, Question, QuestionReply, Questions};
use copydesk_protocol::review::ReviewWhen;
use copydesk_protocol::session::Session;
use copydesk_session as session;

pub fn event(event: session::Event) -> Event {
    match event {
        session::Event::Session { session } => Event::Session { session: self::session(&session) },
        session::Event::TurnStarted { turn, prompt } => {
            Event::TurnStarted { turn, prompt: prompt.to_string() }
        }
        session::Event::Part { part } => Event::Part { part: Box::new(self::part(&part)) },
        session::Event::Delta { part, text } => Event::Delta { part: part.to_string(), text },
        session::Event::Void { part } => Event::Void { part: part.to_string() },
        session::Event::Progress { part, metadata } => Event::Progress { part: part.to_string(), metadata },
        session::Event::Asked(asked) => Event::Asked(ask(asked)),
        session::Event::Settled { ask } => Event::Settled { ask: ask.to_string() },
        session::Event::Questioned(questioned) => Event::Questioned(questions(questioned)),
        session::Event::Answered { question } => Event::Answered { question: question.to_string() },
        session::Event::Jobs { running, ended } => Event::Jobs { running: jobs(running), ended: jobs(ended) },
        session::Event::TurnEnded { turn, end } => Event::TurnEnded { turn, end: turn_end(end) },
    }
}

pub fn session(session: &session::Session) -> Session {
    Session {
        id: session.id.to_string(),
        folder: session.folder.to_string_lossy().into_owned(),
        title: session.title.clone(),
        agent: session.agent.clone(),
        model: session.model.clone(),
        parent: session.parent.as_ref().map(ToString::to_string),
        review: session.review.map(review),
        created: session.created,
        updated: session.updated,
    }
}

fn review(when: session::ReviewWhen) -> ReviewWhen {
    match when {
        session::ReviewWhen::Before => ReviewWhen::Before,
        session::ReviewWhen::After => ReviewWhen::After,
    }
}

pub fn part(part: &session::Part) -> Part {
    Part {
        id: part.id.to_string(),
        session: part.session.to_string(),
        turn: part.turn,
        step: part.step,
        created: part.created,
        updated: part.updated,
        state: state(&part.state),
        content: content(&part.content),
    }
}

fn state(state: &session::State) -> State {
    match state {
        session::State::Pending => State::Pending,
        session::State::Running => State::Running,
        session::State::Completed => State::Completed,
        session::State::Error { message } => State::Error { message: message.clone() },
        session::State::Interrupted => State::Interrupted,
    }
}

fn content(content: &session::Content) -> Content {
    match content {
        session::Content::Prompt(prompt) => {
            Content::Prompt(Prompt { text: prompt.text.clone(), steers: prompt.steers })
        }
        session::Content::File(media) => Content::File(media_of(media)),
        session::Content::Text(text) => Content::Text(Text { text: text.text.clone() }),
        session::Content::Reasoning(reasoning) => Content::Reasoning(Text { text: reasoning.text.clone() }),
        session::Content::Call(call) => Content::Call(Call {
            call: call.call.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            parent: call.parent.as_ref().map(ToString::to_string),
            progress: serde_json::Value::Null,
            output: call.output.as_deref().map(output).map(Box::new),
        }),
        session::Content::StepStart { model } => Content::StepStart { model: model.clone() },
        session::Content::StepFinish(finish) => Content::StepFinish(StepFinish {
            stop: stop(&finish.stop),
            usage: usage(finish.usage),
            cost: finish.cost,
        }),
        session::Content::Retry { attempt, message, at } => {
            Content::Retry { attempt: *attempt, message: message.clone(), at: *at }
        }
        session::Content::Note(note) => Content::Note(Text { text: note.text.clone() }),
    }
}

fn output(output: &session::CallOutput) -> CallOutput {
    CallOutput {
        title: output.title.clone(),
        output: output.output.clone(),
        is_error: output.is_error,
        metadata: output.metadata.clone(),
        media: output.media.iter().map(media_of).collect(),
        milliseconds: output.milliseconds,
    }
}

pub fn media_of(media: &model::Media) -> Media {
    Media { mime: media.mime.clone(), base64: media.base64.clone(), name: media.name.clone() }
}

/// The other way: what comes with a prompt.
pub(super) fn media(media: Media) -> model::Media {
    model::Media { mime: media.mime, base64: media.base64, name: media.name }
}

fn stop(stop: &model::Stop) -> StopReason {
    match stop {
        model::Stop::End => StopReason::End,
        model::Stop::Calls => StopReason::Calls,
        model::Stop::Length => StopReason::Length,
        model::Stop::Context => StopReason::Context,
        model::Stop::Refused => StopReason::Refused,
        model::Stop::Paused => StopReason::Paused,
        model::Stop::Broken => StopReason::Broken,
    }
}

fn usage(usage: model::Usage) -> Usage {
    let model::Usage { input, output, reasoning, cache_read, cache_write } = usage;
    Usage { input, output, reasoning, cache_read, cache_write }
}

fn ask(asked: session::Asked) -> Ask {
    let session::Asked { ask, part, key, patterns, always, title, metadata } = asked;
    Ask { ask: ask.to_string(), part: part.to_string(), key, patterns, always, title, metadata }
}

fn questions(questioned: session::Questioned) -> Questions {
    let session::Questioned { question, part, agent, questions } = questioned;
    let choice =
        |choice: copydesk_tool::Choice| Choice { label: choice.label, description: choice.description };
    let one = |asked: copydesk_tool::Question| Question {
        header: asked.header,
        text: asked.text,
        options: asked.options.into_iter().map(choice).collect(),
        multiple: asked.multiple,
        custom: asked.custom,
    };
    let questions = questions.into_iter().map(one).collect();
    Questions { question: question.to_string(), part: part.to_string(), agent, questions }
}

fn jobs(jobs: Vec<session::Job>) -> Vec<Job> {
    let job = |session::Job { id, command, state }: session::Job| Job { id, command, state };
    jobs.into_iter().map(job).collect()
}

fn turn_end(end: session::TurnEnd) -> TurnEnd {
    match end {
        session::TurnEnd::Done => TurnEnd::Done,
        session::TurnEnd::Cancelled => TurnEnd::Cancelled,
        session::TurnEnd::Rejected => TurnEnd::Rejected,
        session::TurnEnd::StepLimit { steps } => TurnEnd::StepLimit { steps },
        session::TurnEnd::Failed { message } => TurnEnd::Failed { message },
    }
}

/// A client's reply; none where it leaves the ask to others.
pub fn reply(reply: PermissionReply) -> Option<Reply> {
    match reply {
        PermissionReply::Once => Some(Reply::Once),
        PermissionReply::Always => Some(Reply::Always),
        PermissionReply::Reject { reason } => Some(Reply::Reject { reason }),
        PermissionReply::Nobody => Some(Reply::Nobody),
        PermissionReply::Cancelled => None,
    }
}

/// A client's answers, or why there are none; nothing where it leaves the questions to others.
pub fn answers(reply: QuestionReply) -> Option<Result<Vec<Vec<String>>, Option<String>>> {
    match reply {
        QuestionReply::Answered { answers } => Some(Ok(answers)),
        QuestionReply::Rejected { reason } => Some(Err(reason)),
        QuestionReply::Cancelled => None,
    }
}
