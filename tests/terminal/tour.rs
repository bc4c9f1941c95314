//! The tour with a user at the keys.

use super::screen::TestTerminal;
use crate::cli::environment::TestEnvironment;
use crate::sessions::offline::offline_environment as toolchain;

/// A terminal that can clear a line and has colours, and the toolchain that runs these tests.
pub(crate) fn tour_environment() -> TestEnvironment {
    toolchain().env("TERM", "xterm-256color")
}

/// Approves the first command, then everything of that kind, until the end.
#[test]
fn the_tour_repairs_what_is_approved() {
    let env = tour_environment();
    let mut terminal = TestTerminal::start(&env, &["tour"]);
    terminal.wait_for_text("$ cargo check");
    terminal.wait_for_text("because…");
    terminal.line("a");
    terminal.wait_for_text("? Edit src/main.rs");
    terminal.wait_for_text("[A] always");
    terminal.line("A");
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    let text = terminal.text();
    assert!(text.contains("The project compiles. It prints:\n  205 copies sold"), "{text}");
    assert!(!text.contains("thinking…"), "{text}");
}

#[test]
fn a_tour_that_is_refused_changes_nothing_and_says_so() {
    let env = tour_environment();
    let mut terminal = TestTerminal::start(&env, &["tour"]);
    terminal.wait_for_text("because…");
    terminal.line("n");
    assert_eq!(terminal.wait_for_exit(), Some(1));
    let text = terminal.text();
    assert!(text.contains("you said no\nstopped at your request"), "{text}");
    assert!(text.contains("The tour ended early."), "{text}");
}
