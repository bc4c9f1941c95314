//! Use and misuse of the command line: help, versions, completions, and exit code 2 for invalid arguments.

use expect_test::expect;

use super::environment::TestEnvironment;

#[test]
fn without_a_command_there_is_help() {
    TestEnvironment::new().run(&[]).assert_output(&expect![[r#"
        ! A coding agent that edits through your editor; you approve each change
        !
        ! Usage: copydesk [OPTIONS] <COMMAND>
        !
        ! Commands:
        !   tour         See it work: repairs a small broken project, without a model or a key
        !   run          Run one prompt: copydesk run "fix the failing test"
        !   undo         Undo the agent's file changes, and only those
        !   sessions     List, show, search, export, import and delete sessions
        !   usage        Show what requests used and cost, by day, model and project
        !   models       List the models you can use, and what the others lack
        !   config       Show the configuration and where each value comes from
        !   trust        Trust a folder, so that its programs may run and its configuration counts
        !   permission   List and take back what you always allow; show which rule decides about a call
        !   auth         Store API keys of providers in a file that only you can read
        !   lsp          Speak LSP with the editor that starts this; starts the daemon if needed
        !   daemon       Run the daemon in the foreground
        !   status       Show whether the daemon runs, and what it is doing
        !   restart      Restart a language server of the daemon
        !   stop         Stop the daemon when its turns are done
        !   log          Show the end of the daemon's log, and follow it
        !   doctor       Find out why something does not work, and what to do
        !   completions  Print a completion script for your shell
        !   help         Print this message or the help of the given subcommand(s)
        !
        ! Options:
        !       --cwd <FOLDER>  Work as if started in this folder
        !   -h, --help          Print help
        !   -V, --version       Print version
        exit code 2
    "#]]);
    TestEnvironment::new().run(&["auth"]).assert_output(&expect![[r#"
        ! Store API keys of providers in a file that only you can read
        !
        ! Usage: copydesk auth [OPTIONS] <COMMAND>
        !
        ! Commands:
        !   add     Add or replace the key of a provider; asks for it, or reads it from standard input
        !   list    List the providers with a key, and where the key is
        !   remove  Remove the key of a provider
        !   help    Print this message or the help of the given subcommand(s)
        !
        ! Options:
        !       --cwd <FOLDER>  Work as if started in this folder
        !   -h, --help          Print help
        exit code 2
    "#]]);
}

#[test]
fn help_that_was_asked_for_is_a_result() {
    let env = TestEnvironment::new();
    for args in
        [&["--help"][..], &["help"], &["models", "--help"], &["help", "auth", "add"], &["trust", "-h"]]
    {
        let ran = env.run(args);
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "{args:?}");
        assert!(ran.stdout.contains("Usage: copydesk"), "{ran:?}");
    }
    env.run(&["trust", "--help"]).assert_output(&expect![[r#"
        Trust a folder, so that its programs may run and its configuration counts

        In a folder that you do not trust no language server, build script, checker or formatter runs, and
        its configuration only tightens. Trust counts for everything below the folder: you can trust the
        parent of many clones. It includes the configuration files as they are now; one that changes later
        is not trusted until you run this again.

        Usage: copydesk trust [OPTIONS] [FOLDER]

        Arguments:
          [FOLDER]
                  The folder; by default the repository that you are in, else the current folder

        Options:
              --cwd <FOLDER>
                  Work as if started in this folder

              --revoke
                  Do not trust it, and do not ask about it again

              --list
                  List the folders that you were asked about

          -h, --help
                  Print help (see a summary with '-h')
    "#]]);
}

#[test]
fn the_version() {
    let version = format!("copydesk {}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        let ran = TestEnvironment::new().run(&[flag]);
        assert_eq!((&ran.stdout, ran.stderr.as_str(), ran.code), (&version, "", Some(0)));
    }
}

#[test]
fn what_is_not_understood() {
    let env = TestEnvironment::new();
    for args in [
        &["modles"][..],
        &["models", "--jsno"],
        &["models", "a", "b"],
        &["config", "shcema"],
        &["auth", "add"],
        &["auth", "add", "groq", "gsk_Zy8Xw6Vu4Ts2Rq0P"],
        &["completions"],
        &["completions", "tcsh"],
        &["--cwd"],
    ] {
        let ran = env.run(args);
        assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(2)), "{args:?}");
        assert!(ran.stderr.starts_with("error: "), "{ran:?}");
    }
    env.run(&["modles"]).assert_output(&expect![[r#"
        ! error: unrecognized subcommand 'modles'
        !
        !   tip: a similar subcommand exists: 'models'
        !
        ! Usage: copydesk [OPTIONS] <COMMAND>
        !
        ! For more information, try '--help'.
        exit code 2
    "#]]);
    assert!(!env.exists("~/.local"), "nothing was written");
}

#[test]
fn completions_know_the_commands() {
    let env = TestEnvironment::new().without_env("HOME");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = env.run(&["completions", shell]);
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "{shell}");
        for word in ["copydesk", "models", "auth", "trust", "completions"] {
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    let ran = env.shell("\"$COPYDESK\" completions bash > script && bash -n script");
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)), "bash can read its own");
}
