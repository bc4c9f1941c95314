//! A session's present state, kept up to date event by event: what a client needs that attaches in the middle
//! of a turn.

use std::collections::BTreeMap;

use copydesk_protocol::event::{EventInfo, JobInfo};
use copydesk_protocol::part::{PartContentInfo, PartInfo, PartStateInfo};
use copydesk_protocol::permission::PermissionAskInfo;
use copydesk_protocol::question::QuestionAskInfo;
use copydesk_protocol::session::SessionInfo;
use copydesk_protocol::turn::LastTurnInfo;
use copydesk_session as session;

use super::convert;
use crate::rules::PresetSource;

/// A cap on warnings kept for a session.
const MAX_WARNINGS: usize = 100;

#[derive(Debug)]
pub(super) struct SessionSnapshot {
    pub(super) session: session::Session,
    /// Which preset counts; missing if the configuration cannot be read.
    pub(super) presets: Option<PresetSource>,
    /// The number of the last event.
    pub(super) seq: u64,
    pub(super) running: Option<u32>,
    pub(super) last_turn: Option<LastTurnInfo>,
    /// Unfinished parts with their content so far, in the order in which they began.
    pub(super) open: Vec<PartInfo>,
    pub(super) asks: BTreeMap<String, PermissionAskInfo>,
    pub(super) questions: BTreeMap<String, QuestionAskInfo>,
    /// Running background jobs.
    pub(super) jobs: Vec<JobInfo>,
    /// Warnings shown to the user, each once.
    pub(super) warnings: Vec<String>,
}

impl SessionSnapshot {
    pub(super) fn new(session: session::Session) -> Self {
        Self {
            session,
            presets: None,
            seq: 0,
            running: None,
            last_turn: None,
            open: Vec::new(),
            asks: BTreeMap::new(),
            questions: BTreeMap::new(),
            jobs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The session as clients see it.
    pub(super) fn session_info(&self) -> SessionInfo {
        let active = self.presets.map(|presets| presets.active(self.session.preset));
        SessionInfo { active_preset: active.map(convert::preset), ..convert::session_info(&self.session) }
    }

    /// Whether the event is a warning that was shown already, or one beyond the cap.
    pub(super) fn has_warning(&self, event: &session::SessionEvent) -> bool {
        match event {
            session::SessionEvent::Warning { message } => {
                self.warnings.len() >= MAX_WARNINGS || self.warnings.contains(message)
            }
            _ => false,
        }
    }

    /// Applies an event, and returns it as clients get it.
    pub(super) fn apply_event(&mut self, event: session::SessionEvent) -> EventInfo {
        self.seq += 1;
        if let session::SessionEvent::SessionChanged { session } = &event {
            self.session = session.clone();
        }
        let mut event = convert::event(event);
        if let EventInfo::Session { session } = &mut event {
            *session = self.session_info();
        }
        match &event {
            EventInfo::TurnStarted { turn, prompt } => {
                self.running = Some(*turn);
                self.last_turn = Some(LastTurnInfo { turn: *turn, prompt: prompt.clone(), end: None });
            }
            EventInfo::Part { part } => self.part(part),
            EventInfo::Delta { part, text } => {
                if let Some(open) = self.find(part) {
                    grow(&mut open.content, text);
                }
            }
            EventInfo::Void { part } => self.open.retain(|open| open.id != *part),
            EventInfo::Progress { part, metadata } => {
                if let Some(PartInfo { content: PartContentInfo::Call(call), .. }) = self.find(part) {
                    call.progress = metadata.clone();
                }
            }
            EventInfo::Asked(ask) => drop(self.asks.insert(ask.ask.clone(), ask.clone())),
            EventInfo::Settled { ask } => drop(self.asks.remove(ask)),
            EventInfo::Questioned(asked) => {
                drop(self.questions.insert(asked.question.clone(), asked.clone()));
            }
            EventInfo::Answered { question } => drop(self.questions.remove(question)),
            EventInfo::Jobs { running, .. } => self.jobs.clone_from(running),
            EventInfo::Warning { message } => self.warnings.push(message.clone()),
            EventInfo::TurnEnded { end, .. } => {
                self.running = None;
                if let Some(last) = &mut self.last_turn {
                    last.end = Some(end.clone());
                }
                self.open.clear();
            }
            EventInfo::Session { .. }
            | EventInfo::ReviewChanged(_)
            | EventInfo::Feedback { .. }
            | EventInfo::Deleted => {}
        }
        event
    }

    /// Keeps unfinished parts; settled ones are in the store.
    fn part(&mut self, part: &PartInfo) {
        let is_open = matches!(part.state, PartStateInfo::Pending | PartStateInfo::Running);
        match self.open.iter().position(|open| open.id == part.id) {
            Some(index) if is_open => {
                if let Some(open) = self.open.get_mut(index) {
                    open.clone_from(part);
                }
            }
            Some(index) => drop(self.open.remove(index)),
            None if is_open => self.open.push(part.clone()),
            None => {}
        }
    }

    fn find(&mut self, part: &str) -> Option<&mut PartInfo> {
        self.open.iter_mut().find(|open| open.id == part)
    }
}

fn grow(content: &mut PartContentInfo, more: &str) {
    match content {
        PartContentInfo::Text(text) | PartContentInfo::Reasoning(text) => text.text.push_str(more),
        PartContentInfo::Call(call) => call.arguments.push_str(more),
        _ => {}
    }
}
