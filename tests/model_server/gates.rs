//! Gates: where a stream waits until the test opens it.
//!
//! Either side may come first. A gate opened before it is reached stays open; one that was reached, or whose client
//! hung up there, stays so. At the end every reached gate must have been opened, or its closing awaited by the test:
//! anything less would depend on timing.

use std::collections::BTreeMap;

use tokio::sync::watch;

#[derive(Debug, Default)]
struct StreamGate {
    reached: bool,
    opened: bool,
    closed: bool,
    /// It need not be opened: a stall, or one whose closing the test awaited.
    excused: bool,
}

#[derive(Debug, Default)]
pub(crate) struct StreamGates {
    states: watch::Sender<BTreeMap<String, StreamGate>>,
}

impl StreamGates {
    pub(crate) fn open(&self, name: &str) {
        self.change(name, |gate| gate.opened = true);
    }

    /// The stream is here, and the client has everything before it.
    pub(crate) fn reach(&self, name: &str) {
        self.change(name, |gate| gate.reached = true);
    }

    /// The client hung up here, or earlier.
    pub(crate) fn mark_closed(&self, name: &str) {
        self.change(name, |gate| gate.closed = true);
    }

    pub(crate) fn excuse(&self, name: &str) {
        self.change(name, |gate| gate.excused = true);
    }

    pub(crate) async fn wait_until_opened(&self, name: &str) {
        self.wait_until(name, |gate| gate.opened).await;
    }

    pub(crate) async fn wait_until_reached(&self, name: &str) {
        self.wait_until(name, |gate| gate.reached).await;
    }

    pub(crate) async fn wait_until_closed(&self, name: &str) {
        self.wait_until(name, |gate| gate.closed).await;
    }

    pub(crate) fn unopened_gates(&self) -> Vec<String> {
        let states = self.states.borrow();
        let waiting = states.iter().filter(|(_, gate)| gate.reached && !gate.opened && !gate.excused);
        waiting.map(|(name, _)| name.clone()).collect()
    }

    /// One line per gate, to explain why a test timed out.
    pub(crate) fn describe(&self) -> String {
        let line = |(name, gate): (&String, &StreamGate)| {
            let words = [("reached", gate.reached), ("opened", gate.opened), ("closed", gate.closed)];
            let words: Vec<&str> = words.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect();
            format!(
                "\n  gate {name}: {}",
                if words.is_empty() { "untouched".to_owned() } else { words.join(", ") }
            )
        };
        self.states.borrow().iter().map(line).collect()
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut StreamGate)) {
        self.states.send_modify(|states| change(states.entry(name.to_owned()).or_default()));
    }

    async fn wait_until(&self, name: &str, wanted: impl Fn(&StreamGate) -> bool) {
        let mut states = self.states.subscribe();
        let found = states.wait_for(|states| states.get(name).is_some_and(&wanted)).await;
        found.expect("the sender is ours and lives as long as we are borrowed");
    }
}
