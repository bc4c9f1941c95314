//! Converts session types to protocol types. Providers' own data (signatures, encrypted blocks) is left behind.

use copydesk_model as model;
use copydesk_permission::{AlwaysScope, AskReply, PermissionPreset};
use copydesk_protocol::event::{EventInfo, JobInfo, TurnEndInfo};
use copydesk_protocol::part::{
    CallInfo, CallOutputInfo, CompactionInfo, CompactionReasonInfo, ContextUseInfo, MediaContent,
    PartContentInfo, PartInfo, PartStateInfo, PromptInfo, PruningInfo, StepFinishInfo, StopReasonInfo,
    TextContent, UsageInfo,
};
use copydesk_protocol::permission::{
    AlwaysScopeInfo, PermissionAskInfo, PermissionPresetInfo, PermissionReply,
};
use copydesk_protocol::question::{QuestionAskInfo, QuestionInfo, QuestionOptionInfo, QuestionReply};
use copydesk_protocol::review::ReviewTimingInfo;
use copydesk_protocol::session::SessionInfo;
use copydesk_session as session;

pub fn event(event: session::SessionEvent) -> EventInfo {
    match event {
        session::SessionEvent::SessionChanged { session } => {
            EventInfo::Session { session: self::session_info(&session) }
        }
        session::SessionEvent::TurnStarted { turn, prompt } => {
            EventInfo::TurnStarted { turn, prompt: prompt.to_string() }
        }
        session::SessionEvent::PartChanged { part } => {
            EventInfo::Part { part: Box::new(self::part_info(&part)) }
        }
        session::SessionEvent::PartDelta { part, text } => EventInfo::Delta { part: part.to_string(), text },
        session::SessionEvent::PartDiscarded { part } => EventInfo::Void { part: part.to_string() },
        session::SessionEvent::CallProgress { part, metadata } => {
            EventInfo::Progress { part: part.to_string(), metadata }
        }
        session::SessionEvent::AskOpened(asked) => EventInfo::Asked(ask(asked)),
        session::SessionEvent::AskSettled { ask } => EventInfo::Settled { ask: ask.to_string() },
        session::SessionEvent::QuestionOpened(questioned) => EventInfo::Questioned(questions(questioned)),
        session::SessionEvent::QuestionSettled { question } => {
            EventInfo::Answered { question: question.to_string() }
        }
        session::SessionEvent::JobsChanged { running, ended } => {
            EventInfo::Jobs { running: jobs(running), ended: jobs(ended) }
        }
        session::SessionEvent::TurnEnded { turn, end } => EventInfo::TurnEnded { turn, end: turn_end(end) },
        session::SessionEvent::Warning { message } => EventInfo::Warning { message },
    }
}

pub fn session_info(session: &session::Session) -> SessionInfo {
    SessionInfo {
        id: session.id.to_string(),
        folder: session.folder.to_string_lossy().into_owned(),
        title: session.title.clone(),
        agent: session.agent.clone(),
        model: session.model.clone(),
        parent: session.parent.as_ref().map(ToString::to_string),
        review: session.review.map(review),
        preset: session.preset.map(preset),
        active_preset: None,
        created: session.created,
        updated: session.updated,
    }
}

fn review(when: session::SessionReviewTiming) -> ReviewTimingInfo {
    match when {
        session::SessionReviewTiming::Before => ReviewTimingInfo::Before,
        session::SessionReviewTiming::After => ReviewTimingInfo::After,
    }
}

pub(crate) fn preset(preset: PermissionPreset) -> PermissionPresetInfo {
    match preset {
        PermissionPreset::Careful => PermissionPresetInfo::Careful,
        PermissionPreset::Normal => PermissionPresetInfo::Normal,
        PermissionPreset::Trusting => PermissionPresetInfo::Trusting,
    }
}

pub fn part_info(part: &session::Part) -> PartInfo {
    PartInfo {
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

fn state(state: &session::PartState) -> PartStateInfo {
    match state {
        session::PartState::Pending => PartStateInfo::Pending,
        session::PartState::Running => PartStateInfo::Running,
        session::PartState::Completed => PartStateInfo::Completed,
        session::PartState::Error { message } => PartStateInfo::Error { message: message.clone() },
        session::PartState::Interrupted => PartStateInfo::Interrupted,
    }
}

fn content(content: &session::PartContent) -> PartContentInfo {
    match content {
        session::PartContent::Prompt(prompt) => PartContentInfo::Prompt(PromptInfo {
            text: prompt.text.clone(),
            steers: prompt.steers,
            context: prompt.context.iter().map(|piece| piece.name.clone()).collect(),
        }),
        session::PartContent::File(media) => PartContentInfo::File(media_info(media)),
        session::PartContent::Text(text) => PartContentInfo::Text(TextContent { text: text.text.clone() }),
        session::PartContent::Reasoning(reasoning) => {
            PartContentInfo::Reasoning(TextContent { text: reasoning.text.clone() })
        }
        session::PartContent::Call(call) => PartContentInfo::Call(Box::new(CallInfo {
            call: call.call.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            parent: call.parent.as_ref().map(ToString::to_string),
            progress: copydesk_protocol::metadata::CallMetadata::default(),
            output: call.output.as_deref().map(output).map(Box::new),
        })),
        session::PartContent::StepStart { model } => PartContentInfo::StepStart { model: model.clone() },
        session::PartContent::StepFinish(finish) => PartContentInfo::StepFinish(StepFinishInfo {
            stop: stop(&finish.stop),
            usage: usage(finish.usage),
            cost: finish.cost,
            context: finish.context.map(context_use),
        }),
        session::PartContent::Retry { attempt, message, at } => {
            PartContentInfo::Retry { attempt: *attempt, message: message.clone(), at: *at }
        }
        session::PartContent::Note(note) => PartContentInfo::Note(TextContent { text: note.text.clone() }),
        session::PartContent::Compaction(compaction) => {
            PartContentInfo::Compaction(Box::new(compaction_info(compaction)))
        }
        session::PartContent::Pruning(pruning) => PartContentInfo::Pruning(PruningInfo {
            outputs: pruning.outputs.len() as u64,
            tokens_before: pruning.tokens_before,
            tokens_after: pruning.tokens_after,
        }),
        session::PartContent::TurnEnd(end) => PartContentInfo::TurnEnd { end: turn_end(end.clone()) },
    }
}

fn compaction_info(compaction: &session::CompactionPart) -> CompactionInfo {
    CompactionInfo {
        reason: match compaction.reason {
            session::CompactionReason::Full => CompactionReasonInfo::Full,
            session::CompactionReason::Refused => CompactionReasonInfo::Refused,
            session::CompactionReason::Asked => CompactionReasonInfo::Asked,
        },
        summary: compaction.whole_summary(),
        model: compaction.model.clone(),
        failure: compaction.failure.clone(),
        tokens_before: compaction.tokens_before,
        tokens_after: compaction.tokens_after,
        cost: compaction.cost,
    }
}

fn output(output: &session::CallOutput) -> CallOutputInfo {
    CallOutputInfo {
        title: output.title.clone(),
        output: output.output.clone(),
        is_error: output.is_error,
        metadata: output.metadata.clone(),
        media: output.media.iter().map(media_info).collect(),
        milliseconds: output.milliseconds,
    }
}

pub fn media_info(media: &model::MediaPart) -> MediaContent {
    MediaContent { mime: media.mime.clone(), base64: media.base64.clone(), name: media.name.clone() }
}

/// The other direction: media that a client sends with a prompt.
pub(super) fn media_from_client(media: MediaContent) -> model::MediaPart {
    model::MediaPart { mime: media.mime, base64: media.base64, name: media.name }
}

fn stop(stop: &model::FinishReason) -> StopReasonInfo {
    match stop {
        model::FinishReason::End => StopReasonInfo::End,
        model::FinishReason::Calls => StopReasonInfo::Calls,
        model::FinishReason::Length => StopReasonInfo::Length,
        model::FinishReason::Context => StopReasonInfo::Context,
        model::FinishReason::Refused => StopReasonInfo::Refused,
        model::FinishReason::Paused => StopReasonInfo::Paused,
        model::FinishReason::Broken => StopReasonInfo::Broken,
    }
}

fn usage(usage: model::TokenUsage) -> UsageInfo {
    let model::TokenUsage { input, output, reasoning, cache_read, cache_write } = usage;
    UsageInfo { input, output, reasoning, cache_read, cache_write }
}

fn context_use(context: session::ContextUse) -> ContextUseInfo {
    let session::ContextUse { window, system, tools, files, outputs, conversation, summary } = context;
    ContextUseInfo { window, system, tools, files, outputs, conversation, summary }
}

fn ask(asked: session::AskEvent) -> PermissionAskInfo {
    let session::AskEvent { ask, part, key, patterns, always, project_always, title, why, metadata } = asked;
    let (ask, part) = (ask.to_string(), part.to_string());
    PermissionAskInfo {
        ask,
        part,
        key,
        patterns,
        always,
        project_always,
        problem: None,
        title,
        why,
        metadata,
    }
}

fn questions(questioned: session::QuestionEvent) -> QuestionAskInfo {
    let session::QuestionEvent { question, part, agent, questions } = questioned;
    let choice = |choice: copydesk_tool::QuestionOption| QuestionOptionInfo {
        label: choice.label,
        description: choice.description,
    };
    let one = |asked: copydesk_tool::Question| QuestionInfo {
        header: asked.header,
        text: asked.text,
        options: asked.options.into_iter().map(choice).collect(),
        multiple: asked.multiple,
        custom: asked.custom,
    };
    let questions = questions.into_iter().map(one).collect();
    QuestionAskInfo { question: question.to_string(), part: part.to_string(), agent, questions }
}

fn jobs(jobs: Vec<session::JobSnapshot>) -> Vec<JobInfo> {
    let job =
        |session::JobSnapshot { id, command, state }: session::JobSnapshot| JobInfo { id, command, state };
    jobs.into_iter().map(job).collect()
}

fn turn_end(end: session::TurnEnd) -> TurnEndInfo {
    match end {
        session::TurnEnd::Done => TurnEndInfo::Done,
        session::TurnEnd::Cancelled => TurnEndInfo::Cancelled,
        session::TurnEnd::Rejected => TurnEndInfo::Rejected,
        session::TurnEnd::StepLimit { steps } => TurnEndInfo::StepLimit { steps },
        session::TurnEnd::Failed { message } => TurnEndInfo::Failed { message },
        session::TurnEnd::Interrupted => TurnEndInfo::Interrupted,
    }
}

pub fn preset_from_client(preset: PermissionPresetInfo) -> PermissionPreset {
    match preset {
        PermissionPresetInfo::Careful => PermissionPreset::Careful,
        PermissionPresetInfo::Normal => PermissionPreset::Normal,
        PermissionPresetInfo::Trusting => PermissionPreset::Trusting,
    }
}

/// A client's reply; `None` if it leaves the ask to others.
pub fn reply(reply: PermissionReply) -> Option<AskReply> {
    match reply {
        PermissionReply::Once => Some(AskReply::Once),
        PermissionReply::Always { scope, patterns } => {
            let scope = match scope {
                AlwaysScopeInfo::Session => AlwaysScope::Session,
                AlwaysScopeInfo::Project => AlwaysScope::Project,
            };
            Some(AskReply::Always { scope, patterns })
        }
        PermissionReply::Reject { reason } => Some(AskReply::Reject { reason }),
        PermissionReply::Nobody => Some(AskReply::Unattended),
        PermissionReply::Cancelled => None,
    }
}

/// A client's answers, or its reason to reject; `None` if it leaves the questions to others.
pub fn answers(reply: QuestionReply) -> Option<Result<Vec<Vec<String>>, Option<String>>> {
    match reply {
        QuestionReply::Answered { answers } => Some(Ok(answers)),
        QuestionReply::Rejected { reason } => Some(Err(reason)),
        QuestionReply::Cancelled => None,
    }
}
