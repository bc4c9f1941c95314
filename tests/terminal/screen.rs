//! A terminal with a program in it: keys go in, a screen comes out.
//!
//! Contract: it reads only while the test waits. A wait ends when the screen shows the text, and fails with the screen if
//! the program ends first or `PATIENCE` is over.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use process_wrap::std::{CommandWrap, CommandWrapper as _, ProcessSession};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::cli::environment::{BINARY, TestEnvironment};
use crate::sessions::harness::strip_durations;

/// Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const ENTER: &str = "\r";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";

/// Makes the given terminal the controlling one, so that Ctrl-C is a signal, and becomes the program.
const AT_TERMINAL: &str = r#": <"$0"; exec "$@""#;

pub(crate) struct TestTerminal {
    child: Child,
    /// Dropping it closes the terminal, and with it ends the program.
    ours: File,
    parser: vt100::Parser,
    raw: Vec<u8>,
}

impl TestTerminal {
    /// Wide and tall enough for everything.
    pub(crate) fn start(env: &TestEnvironment, args: &[&str]) -> Self {
        Self::start_sized(env, args, 60, 100)
    }

    pub(crate) fn start_sized(env: &TestEnvironment, args: &[&str], rows: u16, columns: u16) -> Self {
        let mut command = Command::new("sh");
        env.prepare(&mut command);
        Self::run(command, &[&[BINARY], args].concat(), rows, columns)
    }

    /// With any program in it. `shell` is a shell in its folder, with its variables.
    pub(crate) fn run(mut shell: Command, program: &[&str], rows: u16, columns: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
        let theirs = rustix::fs::open(&name, flags, rustix::fs::Mode::empty()).unwrap();
        tcsetwinsize(&theirs, size(rows, columns)).unwrap();
        shell.args(["-c", AT_TERMINAL, &name]).args(program);
        let end = || theirs.try_clone().unwrap();
        shell.stdin(end()).stdout(end()).stderr(end());
        ProcessSession.pre_spawn(&mut shell, &CommandWrap::from(Command::new(""))).unwrap();
        let child = shell.spawn().unwrap();
        let parser = vt100::Parser::new(nonzero(rows), nonzero(columns), 0);
        Self { child, ours: ours.into(), parser, raw: Vec::new() }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.keys(&format!("{line}{ENTER}"));
    }

    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        tcsetwinsize(&self.ours, size(rows, columns)).unwrap();
        self.parser.screen_mut().set_size(nonzero(rows), nonzero(columns));
    }

    /// The text of the screen without durations; a wrapped line is one line.
    pub(crate) fn text(&self) -> String {
        strip_durations(&self.screen().contents())
    }

    /// The rows of the screen.
    pub(crate) fn rows(&self) -> Vec<String> {
        let columns = self.screen().size().1.get();
        let mut rows: Vec<_> = self.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
        rows.truncate(rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1));
        rows
    }

    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// The bytes that the program wrote.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Whether the terminal echoes typed text.
    pub(crate) fn echoes(&self) -> bool {
        tcgetattr(&self.ours).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    #[track_caller]
    pub(crate) fn wait_for_text(&mut self, text: &str) {
        self.wait_until(&format!("`{text}`"), |terminal| terminal.text().contains(text));
    }

    /// Waits until the text is there this often.
    #[track_caller]
    pub(crate) fn wait_for_text_times(&mut self, text: &str, times: usize) {
        self.wait_until(&format!("`{text}` {times} times"), |terminal| {
            terminal.text().matches(text).count() == times
        });
    }

    /// Reads until a condition holds.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            // The condition may be outside the screen, such as a file or a mode of the terminal.
            let came = self.read(Duration::from_millis(20));
            let over = came == TerminalRead::End || Instant::now() > deadline;
            assert!(!over || is_so(self), "{what} did not come:\n{}", self.text());
        }
    }

    /// Waits until the program has ended, and reads its last output. `None` after a signal.
    #[track_caller]
    pub(crate) fn wait_for_exit(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        while self.read(deadline.saturating_duration_since(Instant::now())) != TerminalRead::End {
            assert!(Instant::now() < deadline, "the program does not end:\n{}", self.text());
        }
        self.child.wait().unwrap().code()
    }

    /// Closes the window: the program's terminal is gone.
    pub(crate) fn close(self) -> Child {
        self.child
    }

    fn read(&mut self, patience: Duration) -> TerminalRead {
        let patience = Timespec::try_from(patience).unwrap();
        if poll(&mut [PollFd::new(&self.ours, PollFlags::IN)], Some(&patience)).unwrap() == 0 {
            return TerminalRead::Nothing;
        }
        let mut bytes = [0; 4096];
        // A terminal without a process ends with an error.
        let count = self.ours.read(&mut bytes).unwrap_or(0);
        self.raw.extend_from_slice(&bytes[..count]);
        self.parser.process(&bytes[..count]);
        if count > 0 { TerminalRead::Bytes } else { TerminalRead::End }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum TerminalRead {
    Bytes,
    Nothing,
    /// No process has the terminal open.
    End,
}

fn size(rows: u16, columns: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn nonzero(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}
