//! Where the command runs: homes and folders that are missing, odd, or not folders.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use expect_test::expect;

use super::environment::{PROJECT_CONFIG, TestEnvironment, USER_CONFIG};

#[test]
fn a_home_is_needed() {
    let env = TestEnvironment::new().without_env("HOME");
    let ran = env.run(&["config"]);
    ran.assert_output(&expect![[r#"
        ! error: HOME is not set; set it to the absolute path of your home folder
        exit code 1
    "#]]);
    for args in [&["models"][..], &["config", "--json"], &["trust"], &["auth", "list"]] {
        let other = env.run(args);
        assert_eq!((&other.stdout, &other.stderr, other.code), (&ran.stdout, &ran.stderr, ran.code));
    }
    TestEnvironment::new().env("HOME", "").run(&["config"]).assert_output(&expect![[r#"
        ! error: HOME is not set; set it to the absolute path of your home folder
        exit code 1
    "#]]);
    TestEnvironment::new().env("HOME", "relative").run(&["config"]).assert_output(&expect![[r#"
        ! error: HOME is `relative`; expected an absolute path
        exit code 1
    "#]]);
    // The schema does not depend on the folder.
    assert_eq!(env.run(&["config", "schema"]).code, Some(0));
}

#[test]
fn a_home_that_is_not_there_is_an_empty_one() {
    let env = TestEnvironment::new().env("HOME", "/nowhere/at/all");
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        assert_eq!(
            TestEnvironment::new().env("HOME", "/nowhere/at/all").without_env(name).run(&["config"]).code,
            Some(0)
        );
    }
    assert_eq!(env.without_local_providers().run(&["models"]).code, Some(0));
}

#[test]
fn folders_below_home_are_the_usual_ones_without_xdg() {
    let mut env = TestEnvironment::new().without_local_providers();
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
        env = env.without_env(name);
    }
    env.run_with(&["auth", "add", "groq"], "gsk_Zy8Xw6Vu4Ts2Rq0P");
    assert!(env.exists("~/.local/share/copydesk/auth.json"));
}

#[test]
fn another_folder_can_be_named() {
    let env = TestEnvironment::new().with_files(&[
        (PROJECT_CONFIG, r#"{ "model": "groq/outer" }"#),
        ("sub/copydesk.jsonc", r#"{ "model": "groq/inner" }"#),
    ]);
    env.run(&["--cwd", "sub", "config"]).assert_output(&expect![[r#"
        Files, later ones win
          project  PROJECT/copydesk.jsonc  not trusted: see `copydesk trust --help`
          project  copydesk.jsonc  not trusted: see `copydesk trust --help`

        Values
          model = "groq/inner"  copydesk.jsonc:1:12
    "#]]);
    // Before or after the command, absolute or relative, with or without symlinks.
    std::os::unix::fs::symlink(env.path("sub"), env.path("link")).unwrap();
    for folder in ["sub", "sub/", "./sub/../sub", "link", env.path("sub").to_str().unwrap()] {
        let ran = env.run(&["config", "--cwd", folder]);
        assert!(ran.stdout.contains("model = \"groq/inner\"  copydesk.jsonc:1:12"), "{folder}: {ran:?}");
    }
}

#[test]
fn a_folder_that_is_none() {
    let env = TestEnvironment::new().with_files(&[("file", "")]);
    env.run(&["--cwd", "gone", "config"]).assert_output(&expect![[r#"
        ! error: --cwd gone: No such file or directory (os error 2)
        exit code 1
    "#]]);
    env.run(&["--cwd", "file", "config"]).assert_output(&expect![[r#"
        ! error: --cwd PROJECT/file: not a folder
        exit code 1
    "#]]);
    env.run(&["--cwd", "file/below", "models"]).assert_output(&expect![[r#"
        ! error: --cwd file/below: Not a directory (os error 20)
        exit code 1
    "#]]);
    env.run(&["--cwd", "", "models"]).assert_output(&expect![[r#"
        ! error: a value is required for '--cwd <FOLDER>' but none was supplied
        !
        ! For more information, try '--help'.
        exit code 2
    "#]]);
    env.shell("mkdir here && cd here && rmdir ../here && \"$COPYDESK\" config").assert_output(&expect![[
        r#"
        ! error: cannot read the current folder; change to another: No such file or directory (os error 2)
        exit code 1
    "#
    ]]);
}

#[test]
fn a_folder_whose_name_is_no_text() {
    let env = TestEnvironment::new().with_files(&[(USER_CONFIG, "{}")]);
    let odd = env.path("").join(OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("copydesk.jsonc"), r#"{ "model": "groq/x" }"#).unwrap();
    env.shell("cd odd* && \"$COPYDESK\" config").assert_output(&expect![[r#"
        Files, later ones win
          user     ~/.config/copydesk/copydesk.jsonc
          project  copydesk.jsonc  not trusted: see `copydesk trust --help`

        Values
          model = "groq/x"  copydesk.jsonc:1:12
    "#]]);
    let report = env.shell("cd odd* && \"$COPYDESK\" config --json").json();
    assert_eq!(report["files"][1]["path"], "PROJECT/odd\u{fffd}/copydesk.jsonc");
    env.shell("cd odd* && \"$COPYDESK\" trust").assert_output(&expect![[r#"
        ! error: PROJECT/odd�/copydesk.jsonc: expected a path that is UTF-8
        exit code 1
    "#]]);
}
