//! A turn as a person reads it in a terminal.

use std::collections::{HashMap, HashSet};
use std::io;

use copydesk_model::Usage;
use copydesk_session::{Call, Content, Event, Id, Part, State, TurnEnd};

use crate::terminal::{BAD, BOLD, DIM, GOOD, print, print_inline, remark, styled, waiting};

pub(crate) struct TextView {
    /// What is being written: its part, and whether it is reasoning.
    writing: Option<(Id, bool)>,
    kinds: HashMap<Id, bool>,
    /// Calls whose change was shown when the person was asked about it.
    seen: HashSet<Id>,
    /// Asks that wait for the person: nothing may touch the line on which they type.
    open_asks: usize,
    usage: Usage,
    cost: Option<f64>,
}

impl TextView {
    pub(crate) fn new() -> Self {
        Self {
            writing: None,
            kinds: HashMap::new(),
            seen: HashSet::new(),
            open_asks: 0,
            usage: Usage::default(),
            cost: None,
        }
    }

    pub(crate) fn show(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Part { part } => self.part(part),
            Event::Delta { part, text } => self.delta(part, text),
            Event::Asked(asked) => {
                self.open_asks += 1;
                self.end_line()?;
                print(format!("{} {}", styled(BOLD, "?"), asked.title))?;
                // Whatever the model calls it, the person sees what would be run.
                if let Some(command) = asked.metadata.get("command").and_then(|command| command.as_str()) {
                    print(format!("  {} {command}", styled(DIM, "$")))?;
                }
                match asked.metadata.get("diff").and_then(|diff| diff.as_str()) {
                    Some(diff) => {
                        self.seen.insert(asked.part.clone());
                        print(coloured(diff))
                    }
                    None => Ok(()),
                }
            }
            Event::TurnEnded { end, .. } => self.end(end),
            Event::TurnStarted { .. } => {
                self.waiting("thinking");
                Ok(())
            }
            Event::Session { .. } | Event::Void { .. } | Event::Progress { .. } | Event::Settled { .. } => {
                Ok(())
            }
        }
    }

    fn part(&mut self, part: &Part) -> io::Result<()> {
        match &part.content {
            Content::Text(_) | Content::Reasoning(_) => {
                let reasoning = matches!(part.content, Content::Reasoning(_));
                self.kinds.insert(part.id.clone(), reasoning);
                if part.state.is_settled() && self.writing.as_ref().is_some_and(|(id, _)| *id == part.id) {
                    self.end_line()?;
                }
                Ok(())
            }
            Content::Call(call) if part.state.is_settled() => {
                self.call(&part.id, call, &part.state)?;
                self.waiting("thinking");
                Ok(())
            }
            Content::Call(call)
                if part.state == State::Running && call.output.is_none() && self.writing.is_none() =>
            {
                self.waiting(&call.name);
                Ok(())
            }
            Content::Retry { attempt, message, .. } => {
                self.end_line()?;
                remark(styled(DIM, format!("attempt {attempt} failed, trying again: {message}")));
                Ok(())
            }
            Content::StepFinish(finish) => {
                let used = finish.usage;
                self.usage.input += used.input;
                self.usage.output += used.output;
                self.usage.cache_read += used.cache_read;
                self.usage.cache_write += used.cache_write;
                self.cost = finish.cost.map(|cost| self.cost.unwrap_or(0.0) + cost).or(self.cost);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn delta(&mut self, part: &Id, text: &str) -> io::Result<()> {
        // The arguments of a call are not for reading; the call is shown when it is done.
        let Some(reasoning) = self.kinds.get(part).copied() else { return Ok(()) };
        if self.writing.as_ref().is_none_or(|(id, _)| id != part) {
            self.end_line()?;
            self.writing = Some((part.clone(), reasoning));
        }
        print_inline(if reasoning { styled(DIM, text) } else { text.to_owned() })
    }

    fn call(&mut self, part: &Id, call: &Call, state: &State) -> io::Result<()> {
        self.end_line()?;
        let output = call.output.as_ref();
        let title = output.map_or(call.arguments.as_str(), |output| output.title.as_str());
        let took = output.map_or(String::new(), |output| format!("{} ms", output.milliseconds));
        let mark = match state {
            State::Completed => styled(GOOD, "✓"),
            State::Interrupted => styled(DIM, "–"),
            _ => styled(BAD, "✗"),
        };
        print(format!("{mark} {} {title} {}", styled(BOLD, &call.name), styled(DIM, took)))?;
        let diff = output.and_then(|output| output.metadata.get("diff")?.as_str());
        match diff.filter(|_| *state == State::Completed && !self.seen.contains(part)) {
            Some(diff) => print(coloured(diff)),
            None => Ok(()),
        }
    }

    fn end(&mut self, end: &TurnEnd) -> io::Result<()> {
        self.end_line()?;
        match end {
            TurnEnd::Done => {}
            TurnEnd::Cancelled => remark("cancelled"),
            TurnEnd::Rejected => remark("stopped, as you said"),
            TurnEnd::StepLimit { steps } => {
                remark(format_args!("stopped after {steps} steps; `copydesk run --continue` goes on"));
            }
            TurnEnd::Failed { message } => remark(format_args!("{} {message}", styled(BAD, "error:"))),
        }
        if self.usage == Usage::default() && self.cost.is_none_or(|cost| cost == 0.0) {
            return Ok(());
        }
        let cost = self.cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
        remark(styled(DIM, format!("{} tokens in, {} out{cost}", self.usage.prompt(), self.usage.output)));
        Ok(())
    }

    fn waiting(&self, what: &str) {
        if self.open_asks == 0 && self.writing.is_none() {
            waiting(&format!("{what}…"));
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        match self.writing.take() {
            Some(_) => print(""),
            None => Ok(()),
        }
    }
}

fn coloured(diff: &str) -> String {
    let line = |line: &str| match line.chars().next() {
        Some('+') => styled(GOOD, line),
        Some('-') => styled(BAD, line),
        Some('@') => styled(DIM, line),
        _ => line.to_owned(),
    };
    diff.trim_end().lines().map(|text| format!("  {}", line(text))).collect::<Vec<_>>().join("\n")
}
