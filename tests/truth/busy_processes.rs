//! Processes that keep the machine busy while cases are played.

use std::process::{Child, Command, Stdio};

/// They run until this is dropped.
pub(crate) struct BusyProcesses(Vec<Child>);

impl BusyProcesses {
    pub(crate) fn start(count: usize) -> Self {
        let start = |_| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
            shell.spawn().expect("a shell")
        };
        Self((0..count).map(start).collect())
    }
}

impl Drop for BusyProcesses {
    fn drop(&mut self) {
        for process in &mut self.0 {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
