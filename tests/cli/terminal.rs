//! Colours, pipes and full disks.

use super::environment::TestEnvironment;

fn environment() -> TestEnvironment {
    TestEnvironment::new()
        .with_files(&[("copydesk.jsonc", r#"{ "modle": 1, "model": "groq/x" }"#)])
        .without_local_providers()
}

#[test]
fn a_pipe_gets_no_colours() {
    for args in [&["models"][..], &["config"], &["models", "nobody"], &["--help"], &["nothing"]] {
        for env in [
            environment(),
            environment().env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1"),
            environment().env("TERM", "xterm-256color"),
        ] {
            let ran = env.run(args);
            assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{args:?}: {ran:?}");
        }
    }
}

#[test]
fn colours_can_be_forced_and_change_nothing_else() {
    let plain = environment().run(&["models"]);
    let coloured = environment().env("CLICOLOR_FORCE", "1").run(&["models"]);
    assert!(coloured.stdout.contains("\u{1b}[1mNot set up\u{1b}[0m\n"), "{coloured:?}");
    assert!(coloured.stderr.starts_with("\u{1b}[33mwarning:\u{1b}[0m "), "{coloured:?}");
    let mut stripped = coloured.stdout;
    for code in ["0", "1", "2", "32"] {
        stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(stripped, plain.stdout);
    // JSON stays readable for other programs.
    let json = environment().env("CLICOLOR_FORCE", "1").run(&["models", "--json"]);
    assert!(!json.stdout.contains('\u{1b}'));
    json.json();
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    for command in
        ["models", "models --json", "config", "config schema", "completions bash", "auth list", "--help"]
    {
        // `true` reads nothing; the exit code is that of copydesk.
        let ran = environment()
            .shell(&format!("{{ \"$COPYDESK\" {command} 2>err; echo $? >code; }} | true; cat code err"));
        assert!(ran.stdout.starts_with("0\n"), "{command}: {ran:?}");
        assert!(!ran.stdout.contains("panicked") && !ran.stdout.contains("error:"), "{command}: {ran:?}");
        let ran = environment().shell(&format!("\"$COPYDESK\" {command} 2>err | head -1; cat err"));
        assert!(!ran.stdout.contains("panicked") && !ran.stdout.contains("error:"), "{command}: {ran:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    for command in ["models", "models --json", "config", "config schema", "completions bash", "auth list"] {
        let ran = environment().shell(&format!("\"$COPYDESK\" {command} >/dev/full"));
        assert_eq!(ran.code, Some(1), "{command}: {ran:?}");
        let last = ran.stderr.lines().last().unwrap_or_default();
        assert_eq!(last, "error: No space left on device (os error 28)", "{command}");
    }
}

#[test]
fn nobody_to_hear_a_warning_is_no_failure() {
    for closed in ["2>&-", "<&-"] {
        let ran = environment().shell(&format!("\"$COPYDESK\" config {closed}"));
        assert_eq!(ran.code, Some(0), "{closed}: {ran:?}");
        assert!(ran.stdout.contains("model = \"groq/x\""), "{ran:?}");
    }
}
