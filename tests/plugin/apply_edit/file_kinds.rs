//! Files of every kind: the written file is what the daemon meant.

use serde_json::json;

use super::{EditTuple, apply};
use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

/// The bytes of a file, the options to set, the edits, and the bytes after writing.
type FileTextCase = (&'static str, &'static [u8], &'static str, &'static [EditTuple], &'static [u8]);

const TEXTS: &[FileTextCase] = &[
    ("unix", b"a\nb\nc\n", "", &[(1, 0, 2, 0, "B\nB\n")], b"a\nB\nB\nc\n"),
    ("dos", b"a\r\nb\r\nc\r\n", "", &[(1, 0, 2, 0, "B\r\nB\r\n")], b"a\r\nB\r\nB\r\nc\r\n"),
    ("dos, told with other ends", b"a\r\nb\r\n", "", &[(1, 0, 1, 1, "B\nB")], b"a\r\nB\r\nB\r\n"),
    ("dos without a last end", b"a\r\nb", "set nofixeol", &[(1, 1, 1, 1, "\r\nc")], b"a\r\nb\r\nc"),
    ("the old mac", b"a\rb\r", "edit ++ff=mac", &[(1, 0, 1, 1, "B\rC")], b"a\rB\rC\r"),
    ("stray carriage returns", b"a\r\nb\rc\n", "", &[(1, 2, 1, 3, "C\r\nd")], b"a\r\nb\rC\r\nd\n"),
    ("no last end", b"a\nb", "set nofixeol", &[(1, 0, 1, 1, "B")], b"a\nB"),
    ("no last end, a line more", b"a\nb", "set nofixeol", &[(1, 1, 1, 1, "\nc")], b"a\nb\nc"),
    ("no last end, and one is put there", b"a\nb", "set nofixeol", &[(1, 1, 1, 1, "\n")], b"a\nb\n"),
    ("no last end, which is put there anyway", b"a\nb", "", &[(1, 1, 1, 1, "\nc\n")], b"a\nb\nc\n"),
    ("no last end, the last line goes", b"a\nb", "", &[(1, 0, 1, 1, "")], b"a\n"),
    ("a last end, which stays", b"a\nb\n", "set nofixeol", &[(0, 0, 0, 1, "A"), (1, 1, 2, 0, "")], b"A\nb\n"),
    ("a line at the end", b"a\n", "", &[(1, 0, 1, 0, "b\n")], b"a\nb\n"),
    ("a line at the end, without its own", b"a\n", "", &[(1, 0, 1, 0, "b")], b"a\nb\n"),
    ("empty lines at the end", b"a\n", "", &[(1, 0, 1, 0, "\n\n")], b"a\n\n\n"),
    ("the last line goes", b"a\nb\n", "", &[(1, 0, 2, 0, "")], b"a\n"),
    ("the first line goes", b"a\nb\n", "", &[(0, 0, 1, 0, "")], b"b\n"),
    ("all goes", b"a\nb\n", "", &[(0, 0, 2, 0, "")], b"\n"),
    ("into nothing", b"", "", &[(0, 0, 0, 0, "a\nb")], b"a\nb\n"),
    ("binary", b"a\nb", "edit ++bin", &[(1, 1, 1, 1, "\nc")], b"a\nb\nc"),
    ("binary, with an end", b"a\nb", "edit ++bin", &[(1, 1, 1, 1, "\nc\n")], b"a\nb\nc\n"),
    ("a byte order mark", b"\xef\xbb\xbfa\nb\n", "", &[(0, 0, 0, 1, "A")], b"\xef\xbb\xbfA\nb\n"),
    ("latin1", b"\xe9 a\n", "edit ++enc=latin1", &[(0, 3, 0, 4, "\u{fc}")], b"\xe9 \xfc\n"),
    ("utf-16", b"\xfe\xff\0a\0\n", "edit ++enc=utf-16", &[(0, 0, 0, 1, "b")], b"\xfe\xff\0b\0\n"),
    ("touching edits", b"abc\n", "", &[(0, 0, 0, 1, "A"), (0, 1, 0, 2, "B"), (0, 2, 0, 2, "-")], b"AB-c\n"),
    ("two at one place", b"ac\n", "", &[(0, 1, 0, 1, "1"), (0, 1, 0, 1, "2")], b"a12c\n"),
    ("in any order", b"abc\n", "", &[(0, 2, 0, 3, "C"), (0, 0, 0, 1, "A")], b"AbC\n"),
    ("zeros", b"a\nb\n", "", &[(0, 0, 0, 0, "1\0x\n2\n"), (2, 0, 2, 0, "\0\n")], b"1\0x\n2\na\nb\n\0\n"),
    ("nothing", b"a\n", "", &[(0, 0, 0, 0, "")], b"a\n"),
];

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn encodings_and_marks_and_ends_are_kept() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        for (number, (name, before, set, edits, after)) in TEXTS.iter().enumerate() {
            let file = format!("f{number}");
            bare.write(&file, before);
            bare.lua_with(
                "local file, set = ...
                 vim.cmd('silent edit ' .. file)
                 if vim.startswith(set, 'edit') then vim.cmd('silent ' .. set) else vim.cmd(set:gsub('set ', 'setlocal ')) end
                 B = S.attach(vim.api.nvim_get_current_buf())",
                json!([file, set]),
            );
            assert_eq!(apply(&mut bare, edits), json!({ "applied": true }), "{name}");
            assert_eq!(bare.read(&file), *before, "{name}: only the user writes the file");
            assert_eq!(bare.lua("return S.known(B) == S.text(B)"), true, "{name}: the daemon has the text");
            bare.lua("vim.cmd('silent write')");
            assert_eq!(bare.read(&file), *after, "{name}");
            bare.lua("vim.cmd('silent! undo') vim.cmd('silent write')");
            let mut back = before.to_vec();
            // What Neovim adds on writing, it adds here, too.
            if !back.is_empty() && !back.ends_with(b"\n") && set.is_empty() {
                back.push(b'\n');
            }
            if *name != "nothing" {
                assert_eq!(bare.read(&file), back, "{name}: undone");
            }
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn places_are_counted_in_the_units_that_were_agreed_on() {
    // The position of the last x in `🦀é漢x`.
    for (encoding, character) in [("utf-8", 9), ("utf-16", 4), ("utf-32", 3)] {
        for_each_neovim(|program| {
            let mut bare = MockDaemonNeovim::start(program, encoding);
            super::open(&mut bare, "f", "🦀é漢x");
            let edits = [(0, character, 0, character + 1, "y")];
            assert_eq!(apply(&mut bare, &edits), json!({ "applied": true }), "{encoding}");
            assert_eq!(super::text(&mut bare), "🦀é漢y", "{encoding}");
            let past = apply(&mut bare, &[(0, character + 2, 0, character + 2, "z")]);
            assert_eq!(past["applied"], false, "{encoding}");
            let inside = apply(&mut bare, &[(0, 1, 0, 1, "z")]);
            assert_eq!(inside["applied"], encoding == "utf-32", "{encoding}: between two halves of a crab");
        });
    }
}
