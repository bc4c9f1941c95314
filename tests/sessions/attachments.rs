//! Files attached to a prompt.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::harness::{RunLocation, ScriptedEnvironment};
use crate::model_server::ScriptedTurn;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

#[test]
fn the_user_is_told_what_the_model_will_not_see() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
        scripted.env.write("shot.png", PNG);
        let _up = scripted.start_daemon(place);
        let ran = scripted.run(&["--file", "shot.png", "What is this?"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(scripted.last_message(0).contains("shot.png left out: this model takes no images"));
        let warning = "warning: shot.png is not sent: script/m-1 does not accept images.";
        assert!(ran.stderr.starts_with(warning), "{ran:?}");
    }
}

#[test]
fn a_model_that_takes_images_gets_them() {
    let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
    let mut config: serde_json::Value =
        serde_json::from_str(&scripted.env.read(crate::cli::environment::USER_CONFIG)).unwrap();
    config["provider"]["script"]["models"]["m-1"]["images"] = json!(true);
    scripted.env.write(crate::cli::environment::USER_CONFIG, config.to_string());
    scripted.env.write("shot.png", PNG);
    let ran = scripted.run(&["--file", "shot.png", "What is this?"]);
    assert!(ran.code == Some(0) && !ran.stderr.contains("warning"), "{ran:?}");
    assert!(scripted.last_message(0).contains("image/png"), "{}", scripted.last_message(0));
}

#[test]
fn a_text_is_put_behind_the_prompt_under_its_name() {
    for place in [RunLocation::OwnProcess, RunLocation::Daemon] {
        let scripted = ScriptedEnvironment::new([ScriptedTurn::new().text("ok")]);
        scripted.env.write("src/main.rs", "\u{feff}fn main() {}\n");
        scripted.env.write("notes", "é\n");
        let _up = scripted.start_daemon(place);
        let ran = scripted.run(&["--file", "src/main.rs", "--file", "notes", "What is this?"]);
        assert_eq!((ran.stderr.contains("warning"), ran.code), (false, Some(0)), "{ran:?}");
        let sent = scripted.request_body(0)["messages"][0]["content"][0]["text"].clone();
        assert_eq!(sent, "What is this?\n\n[src/main.rs]\nfn main() {}\n\n\n[notes]\né\n");
    }
}

#[test]
fn what_cannot_be_sent_is_refused_before_anything_is() {
    let scripted = ScriptedEnvironment::new([]);
    let env = &scripted.env;
    env.write("binary", b"ELF\0\x01");
    env.write("latin", b"caf\xe9");
    env.write("long.txt", "x".repeat(256 * 1024 + 1));
    env.write("folder/a", "");
    fs::File::create(env.path("huge")).unwrap().set_len(21 << 20).unwrap();
    let cases = [
        ("gone.rs", "--file gone.rs: No such file"),
        ("folder", "--file folder: this is a folder"),
        ("binary", "--file binary: it is binary; only texts, images (png, jpeg, gif, webp) and PDFs"),
        ("latin", "--file latin: "),
        (
            "long.txt",
            "--file long.txt: it has 262145 bytes of text, and at most 262144 can be attached; name it in",
        ),
        ("huge", "--file huge: it has 22020096 bytes; at most 20971520 can be sent"),
        ("/dev/zero", "--file /dev/zero: it is not a regular file"),
    ];
    for (file, told) in cases {
        let ran = scripted.run(&["--file", file, "Go"]);
        assert!(ran.code == Some(1) && ran.stderr.contains(told), "{file}: {ran:?}");
    }
    env.write("closed", "x");
    fs::set_permissions(env.path("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read everything.
    if fs::read(env.path("closed")).is_err() {
        let ran = scripted.run(&["--file", "closed", "Go"]);
        assert!(ran.code == Some(1) && ran.stderr.contains("--file closed: Permission denied"), "{ran:?}");
    }
    assert!(scripted.server.requests().is_empty());
}
