//! The calls of a step as they are understood, which is how they are shown and kept from here on: repaired, with the asks that
//! come before them, and a call that stands for others with a part for each of those.

use std::collections::BTreeMap;

use copydesk_model::Stop;
use copydesk_tool::{Ending, Outcome, Prepared, Touches, Written};

use super::{Worker, repeated};
use crate::data::{Call, Content, Part, State};
use crate::id::Id;

/// Calls that one step may make, and as many within others.
pub(super) const MOST: usize = 256;

/// A call to be made.
pub(super) struct Work {
    pub(super) part: Part,
    /// What it will read or change.
    pub(super) touches: Touches,
    /// None where others are made in its stead.
    pub(super) call: Option<Prepared>,
    /// Where the call is that stands for it.
    pub(super) of: Option<usize>,
    pub(super) together: Option<Together>,
}

/// What has come of the calls that one stands for.
pub(super) struct Together {
    name: String,
    count: usize,
    ended: BTreeMap<usize, (String, Outcome)>,
    pub(super) surplus: usize,
}

impl Together {
    /// Gives all of them in their order, once the last is there.
    pub(super) fn add(
        &mut self,
        index: usize,
        call: String,
        outcome: Outcome,
    ) -> Option<(String, Vec<(String, Outcome)>)> {
        self.ended.insert(index, (call, outcome));
        let is_whole = self.ended.len() == self.count;
        is_whole.then(|| (self.name.clone(), std::mem::take(&mut self.ended).into_values().collect()))
    }
}

impl Worker {
    /// The calls to be made, and those that are too many.
    pub(super) fn understand(&self, calls: Vec<Part>, stop: &Stop) -> (Vec<Work>, Vec<Part>) {
        let last = calls.len().saturating_sub(1);
        let (mut works, mut surplus, mut room) = (Vec::new(), Vec::new(), MOST);
        for (number, mut part) in calls.into_iter().enumerate() {
            let Content::Call(call) = &mut part.content else { continue };
            // What was said before the limit was reached was said to its end.
            let is_cut = *stop == Stop::Length && number == last;
            let mut prepared = self.prepared(call, if is_cut { Ending::Cut } else { Ending::Whole });
            let inner = prepared.take_inner();
            if number >= MOST || inner.len() > room {
                surplus.push(part);
                continue;
            }
            room -= inner.len();
            if inner.is_empty() {
                works.push(self.work(part, prepared, None));
            } else {
                self.take_apart(&mut works, part, &prepared, inner);
            }
        }
        (works, surplus)
    }

    fn prepared(&self, call: &mut Call, ending: Ending) -> Prepared {
        let rules = self.asks.layers();
        let written = Written { name: &call.name, arguments: &call.arguments, ending };
        let prepared = self.setting.tools.prepare(&written, |key| !rules.denies_all(key));
        call.name = prepared.name();
        if let Some(arguments) = prepared.rewritten() {
            call.arguments = arguments;
        }
        let now = (self.turn, self.step);
        let earlier = self.parts.iter().filter(|part| (part.turn, part.step) != now);
        match repeated::ask(&prepared, earlier) {
            Some(ask) => prepared.asking_first(ask, repeated::OTHERWISE),
            None => prepared,
        }
    }

    fn work(&self, part: Part, call: Prepared, of: Option<usize>) -> Work {
        let touches = call.touches(&self.context(&part));
        Work { part, touches, call: Some(call), of, together: None }
    }

    fn take_apart(&self, works: &mut Vec<Work>, part: Part, call: &Prepared, inner: Vec<Prepared>) {
        let place = works.len();
        let parent = part.id.clone();
        let together = Together {
            name: call.name(),
            count: inner.len(),
            ended: BTreeMap::new(),
            surplus: call.surplus(),
        };
        let touches = Touches::Nothing;
        works.push(Work { part, touches, call: None, of: None, together: Some(together) });
        for one in inner {
            let part = self.inner_part(&parent, &one);
            works.push(self.work(part, one.asking_like(call), Some(place)));
        }
    }

    fn inner_part(&self, parent: &Id, call: &Prepared) -> Part {
        let content = Content::Call(Call {
            call: Id::new().to_string(),
            name: call.name(),
            arguments: call.arguments().to_string(),
            echo: None,
            parent: Some(parent.clone()),
            output: None,
        });
        self.new_part(State::Pending, content)
    }
}
