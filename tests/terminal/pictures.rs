//! The README's pictures, drawn from the program's real output.
//!
//! `cargo test -p copydesk pictures -- --ignored` redraws them.

use std::path::Path;

use super::approval::{LISTED_PROMPT, PROMPT};
use super::screen::TestTerminal;
use super::svg;
use super::tour::tour_environment;

/// The tour, up to the ask about the first change.
#[test]
#[ignore = "writes into the repository"]
fn pictures() {
    let env = tour_environment();
    let mut terminal = TestTerminal::start_sized(&env, &["tour"], 60, 104);
    terminal.wait_for_text(LISTED_PROMPT);
    terminal.line("y");
    terminal.wait_for_text(PROMPT);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("tour.svg"), svg::draw(terminal.screen())).unwrap();
    terminal.line("q");
    assert_eq!(terminal.wait_for_exit(), Some(1));
}
