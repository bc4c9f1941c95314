//! A realistic configuration with every key.

use expect_test::expect_file;

use super::ConfigTestFolder;

const FIXTURE: &str = include_str!("opencode.jsonc");

fn world(path: &str) -> ConfigTestFolder {
    ConfigTestFolder::new(&[
        (path, FIXTURE),
        ("~/.config/opencode/prompts/review.md", "Read the change. Say what is wrong, nothing else.\n"),
        ("~/.config/copydesk/prompts/review.md", "Read the change. Say what is wrong, nothing else.\n"),
        ("~/.secrets/search", "0f1e2d3c4b5a69788796\n"),
    ])
    .env("EXAMPLE_KEY", "sk-example-0123456789")
}

#[test]
fn as_the_users_opencode_file() {
    let world = world("~/.config/opencode/opencode.jsonc");
    expect_file!["opencode.shown.txt"].assert_eq(&world.render());
    expect_file!["opencode.config.txt"].assert_eq(&format!("{:#?}\n", world.load().unwrap().config));
}

#[test]
fn as_a_file_of_ours() {
    let world = world("~/.config/copydesk/copydesk.jsonc");
    let warnings: String =
        world.load().unwrap().warnings.iter().map(|warning| format!("{}\n", warning.message)).collect();
    expect_file!["opencode.as-ours.txt"].assert_eq(&warnings);
}
