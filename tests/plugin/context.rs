//! The context of a prompt: mentions, selections, lists of the editor, images.

use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::commands::NeovimUser;
use crate::cli::environment::USER_CONFIG;
use crate::model_server::ScriptedTurn;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};
use crate::sessions::harness::ScriptedEnvironment;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

fn project() -> ScriptedEnvironment {
    let scripted = allow_edits_environment([]);
    for (name, text) in [
        ("a.txt", "one\ntwo\nthree\n"),
        ("lib/b.txt", "bee\r\ndee\r\n"),
        ("my notes.md", "# Notes\n"),
        ("odd:7", "seven\n"),
        ("~/else.txt", "from elsewhere\n"),
    ] {
        scripted.env.write(name, text);
    }
    scripted.env.write("shot.png", PNG);
    scripted
}

/// The result of `gather` for a prompt, with the project's folder as `PROJECT` and the home as `HOME`.
fn gather_context(user: &mut NeovimUser, scripted: &ScriptedEnvironment, text: &str) -> Value {
    let gather =
        "return require('copydesk.context').gather(..., { origin = vim.api.nvim_get_current_win() })";
    let found = user.window.nvim.lua(gather, json!([text])).to_string();
    let project = scripted.env.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    let home = scripted.env.path("~/").to_str().unwrap().trim_end_matches('/').to_owned();
    serde_json::from_str(&found.replace(&project, "PROJECT").replace(&home, "HOME")).unwrap()
}

fn uri(path: &str) -> Value {
    json!({ "uri": format!("file://{path}") })
}

fn range_item(path: &str, from: (u32, u32), to: (u32, u32), text: &str) -> Value {
    let place = |(line, character)| json!({ "line": line, "character": character });
    json!({ "uri": format!("file://{path}"), "text": text, "range": { "start": place(from), "end": place(to) } })
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn mentions_are_what_they_name_and_other_words_stay_words() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = NeovimUser::start(program, &scripted.env);
        // The buffer's text, not the file's.
        user.window.command("edit a.txt | call setline(1, 'eins ü')");
        let a = "PROJECT/a.txt";
        for (text, items) in [
            ("nothing", json!(null)),
            ("write to ann@a.txt or @nobody about @Override", json!(null)),
            ("see @a.txt", json!([uri(a)])),
            ("(see @a.txt), twice @a.txt.", json!([uri(a)])),
            ("@lib/b.txt?", json!([uri("PROJECT/lib/b.txt")])),
            ("@lib and @./lib/../a.txt", json!([uri("PROJECT/lib"), uri(a)])),
            (r#"@"my notes.md" and more"#, json!([uri("PROJECT/my%20notes.md")])),
            ("@a.txt:1", json!([range_item(a, (0, 0), (0, 6), "eins ü")])),
            ("@a.txt:3-2, yes", json!([range_item(a, (1, 0), (2, 5), "two\nthree")])),
            ("@a.txt:2-99", json!([range_item(a, (1, 0), (2, 5), "two\nthree")])),
            ("@lib/b.txt:2", json!([range_item("PROJECT/lib/b.txt", (1, 0), (1, 3), "dee")])),
            ("@odd:7", json!([uri("PROJECT/odd:7")])),
            ("@~/else.txt", json!([{ "uri": "file://HOME/else.txt", "text": "from elsewhere\n" }])),
            ("@buffer", json!([uri(a)])),
            ("@symbol:unknown @", json!(null)),
        ] {
            assert_eq!(gather_context(&mut user, &scripted, text)["items"], items, "{text}");
        }
        for (text, problem) in [
            ("@a.txt:4", "`a.txt` has only 3 lines; there is no line 4"),
            ("@lib/b.txt:3", "`lib/b.txt` has only 2 lines; there is no line 3"),
            ("@selection", "nothing is selected in a.txt"),
            ("@quickfix", "the quickfix list is empty"),
        ] {
            assert_eq!(gather_context(&mut user, &scripted, text), json!({ "problem": problem }), "{text}");
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_selection_is_taken_as_it_is_seen() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.connect();
        // The negotiated encoding depends on the Neovim.
        let is_utf8 = user.window.lua("return require('copydesk.position').encoding()") == "utf-8";
        user.window.command("edit a.txt | call setline(1, ['a🦀c', 'dü', 'x'])");
        for (keys, from, to, text) in [
            ("gg0lv<Esc>", (0, 1), (0, if is_utf8 { 5 } else { 3 }), "🦀"),
            ("gg0lvj<Esc>", (0, 1), (1, if is_utf8 { 3 } else { 2 }), "🦀c\ndü"),
            ("gg0vj$<Esc>", (0, 0), (1, if is_utf8 { 3 } else { 2 }), "a🦀c\ndü"),
            ("ggVj<Esc>", (0, 0), (1, if is_utf8 { 3 } else { 2 }), "a🦀c\ndü"),
            ("gg0<C-v>j<Esc>", (0, 0), (1, if is_utf8 { 3 } else { 2 }), "a\nd"),
            ("2G$vk0<Esc>", (0, 0), (1, if is_utf8 { 3 } else { 2 }), "a🦀c\ndü"),
        ] {
            user.window.keys(keys);
            let items = gather_context(&mut user, &scripted, "@selection")["items"].take();
            assert_eq!(items, json!([range_item("PROJECT/a.txt", from, to, text)]), "{keys}");
        }
        user.window.command("set selection=exclusive");
        user.window.keys("gg0vl<Esc>");
        let items = gather_context(&mut user, &scripted, "@selection")["items"].take();
        assert_eq!(items, json!([range_item("PROJECT/a.txt", (0, 0), (0, 1), "a")]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn lists_of_the_editor_are_texts() {
    for_each_neovim(|program| {
        let scripted = project();
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.command("edit a.txt");
        let empty = gather_context(&mut user, &scripted, "@diagnostics")["items"][0]["text"].take();
        assert_eq!(empty, "The editor shows no problems here.");
        user.window.lua(
            "vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, {
               { lnum = 1, col = 2, message = 'odd\\nreally', severity = 2 },
               { lnum = 2, col = 0, message = 'wrong', severity = 1, source = 'cc', code = 'E1' },
             })
             vim.fn.setqflist({}, ' ', { title = 'grep', items = {
               { filename = 'lib/b.txt', lnum = 2, col = 1, text = ' dee\\nmore' }, { text = 'a line' },
               { filename = 'a.txt' },
             } })",
        );
        let found = gather_context(&mut user, &scripted, "@diagnostics @quickfix")["items"].take();
        let problems =
            "Problems that the editor shows here:\n3:1 error: wrong [cc E1]\n2:3 warning: odd really";
        assert_eq!(found[0], json!({ "uri": "file://PROJECT/a.txt", "text": problems }));
        assert_eq!(
            found[1],
            json!({ "uri": "nvim:quickfix", "text": "grep\nlib/b.txt:2:1: dee more\na line\na.txt:" })
        );
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn texts_that_are_no_utf8_can_be_sent() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("Done.")]);
        scripted.env.write("latin.txt", b"Stra\xdfe\n");
        scripted.env.write("~/else.txt", b"Gr\xfc\xdfe\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_turn("@latin.txt:1 and @~/else.txt");
        let sent = scripted.last_message(0);
        assert!(sent.contains("Straße") && sent.contains("Grüße"), "{sent}");
    });
}

/// Each reading is looked up on disk.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_row_of_dots_is_not_read_in_a_thousand_ways() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let readings =
            "local all = require('copydesk.context.mention').find('@a' .. ('.'):rep(4000) .. ' @b.)')
            return { #all[1] < 20, all[1][1] == 'a' .. ('.'):rep(4000), all[1][#all[1]], all[2] }";
        assert_eq!(user.window.lua(readings), json!([true, true, "a", ["b.)", "b.", "b"]]));
        // A missing file is looked up once.
        let looked = "local file, count = require('copydesk.context.file'), 0
            local named = file.named
            file.named = function(word) count = count + 1 return named(word) end
            require('copydesk.context').gather(('@Override '):rep(1000))
            return count";
        assert_eq!(user.window.lua(looked), 1);
    });
}

/// The daemon reports a truncation; for that it has to see that there was more.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn of_long_texts_so_much_is_sent_that_the_daemon_sees_that_there_is_more() {
    for_each_neovim(|program| {
        let scripted =
            allow_edits_environment([ScriptedTurn::new().text("Done."), ScriptedTurn::new().text("Done.")]);
        // One more letter, so that the others are split at other places.
        for (number, before) in ["", "x"].into_iter().enumerate() {
            scripted.env.write("~/else.txt", format!("{before}{}", "üß\n".repeat(200_000)));
            let mut user = NeovimUser::start(program, &scripted.env);
            user.run_turn("@~/else.txt");
            let sent = scripted.last_message(number);
            assert!(sent.contains(r"üß\nüß\n") && sent.contains("[The rest is left out.]"), "{number}");
        }
        let mut user = NeovimUser::start(program, &scripted.env);
        user.window.lua(
            "vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(('some words\\n'):rep(300000), '\\n'))",
        );
        user.window.keys("ggVG");
        let item = user.window.lua(
            "local item = require('copydesk.context').gather('@selection').items[1]
             return { #item.text, item.range['end'].line }",
        );
        assert_eq!(item, json!([128 * 1024, 300_000]));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn images_are_known_by_their_bytes_and_bounded() {
    for_each_neovim(|program| {
        let scripted = project();
        scripted.env.write("fake.png", "just text\n");
        scripted.env.write("big.pdf", [b"%PDF-1.7 ".as_slice(), &vec![b' '; 4_000_000]].concat());
        let mut user = NeovimUser::start(program, &scripted.env);
        let found = gather_context(&mut user, &scripted, "like @shot.png, not @fake.png");
        let file = json!({ "mime": "image/png", "name": "shot.png", "base64": "iVBORw0KGgogYW5kIHNvIG9u" });
        assert_eq!(found, json!({ "files": [file], "items": [uri("PROJECT/fake.png")] }));
        let problem = "`big.pdf` has 3.8 MB, but at most 3.8 MB can be sent; make it smaller";
        assert_eq!(gather_context(&mut user, &scripted, "@big.pdf"), json!({ "problem": problem }));
        let many: Vec<_> = (0..11).map(|number| format!("shot{number}.png")).collect();
        for name in &many {
            scripted.env.write(name, PNG);
        }
        let problem = "one prompt takes at most 10 images and PDFs";
        let text = format!("@{}", many.join(" @"));
        assert_eq!(gather_context(&mut user, &scripted, &text), json!({ "problem": problem }));
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_model_gets_the_image_and_the_text() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([ScriptedTurn::new().text("Nice.")]);
        let mut config: Value = serde_json::from_str(&scripted.env.read(USER_CONFIG)).unwrap();
        config["provider"]["script"]["models"]["m-1"]["images"] = json!(true);
        scripted.env.write(USER_CONFIG, config.to_string());
        scripted.env.write("shot.png", PNG);
        scripted.env.write("a.txt", "one\n");
        let mut user = NeovimUser::start(program, &scripted.env);
        user.run_command("Copydesk add shot.png", json!([]));
        assert_eq!(user.next_notification(), "added to the next prompt: shot.png");
        user.run_turn("Look at @a.txt");
        let sent = scripted.last_message(0);
        assert!(sent.contains("image/png") && sent.contains(r"[a.txt]\none\n"), "{sent}");
    });
}

/// However a path is written, it is parsed as the same path.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_the_completion_writes_is_read_as_the_same_path() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let mut runner =
            TestRunner::new(Config { cases: 64, failure_persistence: None, ..Config::default() });
        let paths = proptest::collection::vec("[a-zA-Z0-9äß🦀 ._/+#@:,()-]{1,20}", 1..20);
        let code = "local paths, before, after = ...
            local mention, read = require('copydesk.context.mention'), {}
            for number, path in ipairs(paths) do
              local readings = mention.find(before .. mention.write(path) .. after)
              read[number] = readings[1] and vim.list_contains(readings[1], path) or path
            end
            return read";
        let surroundings =
            proptest::sample::select(vec![("", ""), ("see ", " now"), ("(", "), or"), ("\n", ".\n")]);
        let check = |(paths, (before, after)): (Vec<String>, (&str, &str))| {
            // No file has a name of only white space.
            let paths: Vec<_> = paths.into_iter().filter(|path| !path.trim().is_empty()).collect();
            let read = user.window.nvim.lua(code, json!([paths, before, after]));
            for one in read.as_array().unwrap_or(&vec![]) {
                proptest::prop_assert_eq!(one, &json!(true));
            }
            Ok(())
        };
        let user = std::cell::RefCell::new(check);
        runner.run(&(paths, surroundings), |given| (user.borrow_mut())(given)).unwrap();
    });
}
