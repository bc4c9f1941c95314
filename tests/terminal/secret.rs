//! `copydesk auth add` on a terminal: the key is typed, and never shown.

use super::screen::{CTRL_C, TestTerminal};
use crate::cli::environment::{KEYS_FILE, TestEnvironment};

const KEY: &str = "gsk_Zy8Xw6Vu4Ts2Rq0P";

fn asked(env: &TestEnvironment) -> TestTerminal {
    let mut terminal = TestTerminal::start(env, &["auth", "add", "groq"]);
    terminal.wait_until("the question, with nothing shown", |terminal| {
        terminal.text().contains("Key for groq:") && !terminal.echoes()
    });
    terminal
}

#[test]
fn a_key_is_stored_and_not_shown() {
    let env = TestEnvironment::new().without_local_providers();
    let mut terminal = asked(&env);
    terminal.line(KEY);
    assert_eq!(terminal.wait_for_exit(), Some(0), "{}", terminal.text());
    assert!(!terminal.raw().contains("gsk_"), "{:?}", terminal.raw());
    assert!(terminal.text().starts_with("Key for groq: \nAdded the key for groq."), "{}", terminal.text());
    assert!(env.read(KEYS_FILE).contains(KEY));
    assert_eq!(env.mode(KEYS_FILE), 0o600);
    assert!(terminal.echoes());
}

#[test]
fn ctrl_c_stores_nothing_and_leaves_the_terminal_as_it_was() {
    let env = TestEnvironment::new().without_local_providers();
    let mut terminal = asked(&env);
    terminal.keys("gsk_half");
    terminal.keys(CTRL_C);
    assert_eq!(terminal.wait_for_exit(), Some(130));
    assert!(terminal.text().ends_with("\ncancelled; nothing was changed"), "{}", terminal.text());
    assert!(!env.exists(KEYS_FILE));
    assert!(terminal.echoes());
    assert!(!terminal.raw().contains("gsk_"), "{:?}", terminal.raw());
}
