use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use super::*;
use crate::file_system::DiskView;

/// Formats `text` in `src/a.x` with `./format ARGUMENTS`. Asserts that it leaves and changes no other file.
async fn format(script: &str, arguments: &[&str], text: &str) -> Result<Option<String>, String> {
    format_within(Duration::from_secs(300), script, arguments, text).await
}

async fn format_within(
    timeout: Duration,
    script: &str,
    arguments: &[&str],
    text: &str,
) -> Result<Option<String>, String> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join("Cargo.toml"), "[workspace.package]\nedition = \"2018\"\n").unwrap();
    fs::write(root.join("src/a.x"), "as it is on the disk").unwrap();
    fs::write(root.join("format"), format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(root.join("format"), fs::Permissions::from_mode(0o755)).unwrap();
    let environment: Vec<_> = std::env::vars_os().collect();
    let formatter = Formatter {
        name: "mine".into(),
        command: ["./format"].iter().chain(arguments).map(|word| (*word).to_owned()).collect(),
        extensions: vec![".x".into()],
        environment: vec![("WORD".into(), "hello".into())],
        ..Formatter::default()
    };
    let formatters = Formatters {
        formatters: vec![formatter],
        server: None,
        search: ProgramSearch::new(Arc::new(DiskView), environment.clone(), "/".into(), true),
        root: root.clone(),
        processes: Processes::new(environment),
        sandbox: ProgramSandbox::default(),
        timeout,
    };
    assert_eq!(formatters.format(&root.join("src/a.y"), text).await, Ok(None));
    let formatted = formatters.format(&root.join("src/a.x"), text).await;
    let names: Vec<_> =
        fs::read_dir(root.join("src")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.x"]);
    assert_eq!(fs::read_to_string(root.join("src/a.x")).unwrap(), "as it is on the disk");
    formatted.map_err(|error| {
        assert_eq!(error.name, "mine");
        error.why.replace(&*root.to_string_lossy(), "ROOT")
    })
}

#[tokio::test]
async fn a_formatter_uses_stdin_and_stdout_or_a_copy() {
    let text = |text: &str| Ok(Some(text.to_owned()));
    assert_eq!(format("tr a-z A-Z", &[], "öne\n").await, text("öNE\n"));
    assert_eq!(
        format("echo $WORD; echo ${1##*/}", &["--name=$PATH_OF_FILE"], "x").await,
        text("hello\na.x\n")
    );
    assert_eq!(format("cat", &[], "same\n").await, Ok(None));
    assert_eq!(
        format("sed -i s/o/0/g \"$2\"; pwd > /dev/null", &["-w", "$FILE"], "one two\n").await,
        text("0ne tw0\n")
    );
    // The copy has the file's extension, and is beside it.
    let place = "case \"$1\" in */src/.*a.x) echo yes > \"$1\";; esac";
    assert_eq!(format(place, &["$FILE"], "no\n").await, text("yes\n"));
    assert_eq!(format("echo $1", &["$RUST_EDITION"], "x").await, text("2018\n"));
    // A large text does not block.
    let long = "word\n".repeat(200_000);
    assert_eq!(format("tr w W", &[], &long).await, text(&long.replace('w', "W")));
}

#[tokio::test]
async fn a_formatter_that_fails_leaves_the_text_as_it_is() {
    for (script, arguments, why) in [
        ("echo 'line 1: no' >&2; exit 1", &[][..], "it ended with code 1: line 1: no"),
        (r"printf 'a\033]0;x\007\342\200\256b\nc' >&2; exit 1", &[], "it ended with code 1: ab c"),
        ("exit 0", &[], "its output is empty"),
        ("rm \"$1\"; mkfifo \"$1\"", &["$FILE"], "it replaced the copy by something that is no regular file"),
        ("printf '\\377'", &[], "its output is not UTF-8"),
        ("exec yes", &[], "it printed more than 4194304 bytes"),
        ("rm \"$1\"", &["$FILE"], "its output cannot be read: No such file or directory (os error 2)"),
        (
            "rm \"$1\"; ln -s /etc/passwd \"$1\"",
            &["$FILE"],
            "it replaced the copy by something that is no regular file",
        ),
        ("yes | head -c 5000000 > \"$1\"", &["$FILE"], "its output has more than 4194304 bytes"),
    ] {
        assert_eq!(format(script, arguments, "text").await, Err(why.to_owned()), "{script}");
    }
    let slow = format_within(Duration::from_secs(2), "exec sleep 1000", &[], "text").await;
    assert_eq!(slow, Err("it did not end within 2 s".to_owned()));
}

#[tokio::test]
async fn the_known_rustfmt_formats() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("Cargo.toml"), "[package]\nedition = \"2024\"\n").unwrap();
    fs::write(root.join("rustfmt.toml"), "hard_tabs = true\n").unwrap();
    let environment: Vec<_> = std::env::vars_os().collect();
    let formatters = Formatters {
        formatters: Formatter::known().to_vec(),
        server: None,
        search: ProgramSearch::new(
            Arc::new(DiskView),
            environment.clone(),
            std::env::home_dir().unwrap(),
            true,
        ),
        root: root.clone(),
        processes: Processes::new(environment),
        sandbox: ProgramSandbox::default(),
        timeout: Duration::from_secs(60),
    };
    let path = root.join("main.rs");
    let formatted = formatters.format(&path, "fn main(){let é=1 ;}\n").await;
    assert_eq!(formatted, Ok(Some("fn main() {\n\tlet é = 1;\n}\n".to_owned())));
    let error = formatters.format(&path, "fn main( {\n").await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the formatter `rustfmt` left the text as it is: it ended with code 1: error"),
        "{error}"
    );
}
