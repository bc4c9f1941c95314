//! The selection, the open documents, and showing a place.

use serde_json::{Value, json};

use crate::neovim::neovim_session::for_each_neovim;
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;

fn opened(program: &std::path::Path, encoding: &str) -> MockDaemonNeovim {
    let mut bare = MockDaemonNeovim::start(program, encoding);
    for name in ["a.txt", "b.txt", "c.txt"] {
        bare.write(name, (1..=200).map(|line| format!("é{name} {line}\n")).collect::<String>());
    }
    bare.lua("vim.cmd('silent edit a.txt')");
    bare
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    let at = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    json!({ "start": at(start), "end": at(end) })
}

/// A panel like the conversation: it has the focus, and is no document.
const PANEL: &str = "vim.cmd('vnew | setlocal buftype=nofile')";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_selection_is_that_of_the_document_that_had_the_focus_last() {
    for_each_neovim(|program| {
        for (encoding, wide) in [("utf-8", 1), ("utf-16", 0)] {
            for (name, keys, then, expected) in [
                ("the cursor", "3G2l", "", (range((2, 2 + wide), (2, 2 + wide)), "")),
                ("selecting", "2Gvl", "", (range((1, 0), (1, 2 + wide)), "éa")),
                ("selecting backwards", "2Glvh", "", (range((1, 0), (1, 2 + wide)), "éa")),
                ("selected, and gone to the panel", "2Gvl<Esc>", PANEL, (range((1, 0), (1, 2 + wide)), "éa")),
                ("selected long ago", "2Gvl<Esc>5G0", PANEL, (range((4, 0), (4, 0)), "")),
                ("selecting in Select mode", "2Gvl<C-g>", "", (range((1, 0), (1, 2 + wide)), "éa")),
                ("up to the end of the line", "2Gv$<Esc>", PANEL, (range((1, 0), (1, 8 + wide)), "éa.txt 2")),
                ("a block, in its lines", "2G<C-v>jl<Esc>", PANEL, (range((1, 0), (2, 8 + wide)), "éa\néa")),
                (
                    "a block up to the ends",
                    "9G7l<C-v>j$<Esc>",
                    PANEL,
                    (range((8, 0), (9, 9 + wide)), "9\n10"),
                ),
                (
                    "a line that got shorter",
                    "2Gv6lo<Esc>",
                    "vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'é' })",
                    (range((1, 0), (1, 1 + wide)), "é"),
                ),
                (
                    "lines that are gone",
                    "VGo<Esc>",
                    "vim.fn.writefile({ 'x' }, 'a.txt') vim.cmd('silent edit!')",
                    (range((0, 0), (0, 0)), ""),
                ),
            ] {
                let mut bare = opened(program, encoding);
                bare.keys(keys);
                bare.lua(then);
                let answer = bare.lua("return require('copydesk.editor').selection()");
                let uri = bare.lua("return vim.uri_from_fname(vim.uv.cwd() .. '/a.txt')");
                let (range, text) = expected;
                let expected = json!({ "selection": { "uri": uri, "range": range, "text": text } });
                assert_eq!(answer, expected, "{name}, {encoding}");
                if text.is_empty() {
                    continue;
                }
                // The context of a prompt is the same.
                let piece = bare.lua(
                    "local buffer = vim.fn.bufnr('a.txt')
                     return require('copydesk.context.piece').selection(buffer).item",
                );
                assert_eq!(piece, expected["selection"], "{name}, {encoding}");
            }
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn lines_that_are_selected_are_whole_lines() {
    for_each_neovim(|program| {
        let mut bare = opened(program, "utf-8");
        bare.keys("2GVj");
        let answer = bare.lua("return require('copydesk.editor').selection().selection");
        assert_eq!(
            (&answer["range"]["start"]["line"], &answer["range"]["start"]["character"]),
            (&json!(1), &json!(0))
        );
        assert_eq!(answer["text"], "éa.txt 2\néa.txt 3");
        bare.keys("<Esc>");
        bare.lua("vim.cmd('enew | setlocal buftype=nofile')");
        assert_eq!(bare.lua("return next(require('copydesk.editor').selection()) == nil"), true);
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn open_files_are_listed_documents_the_last_one_first() {
    for_each_neovim(|program| {
        let mut bare = opened(program, "utf-8");
        bare.lua(
            "vim.cmd('silent edit b.txt | silent vsplit c.txt')
             vim.bo.filetype = 'text'
             vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'typed' })
             vim.fn.bufload(vim.fn.bufadd('unlisted.txt'))
             vim.cmd('silent badd unloaded.txt')",
        );
        bare.lua(PANEL);
        let files = bare.lua(
            "return vim.tbl_map(function(file)
               return { vim.fs.basename(file.uri), file.active, file.visible, file.dirty, file.language or '' }
             end, require('copydesk.editor').open_files().files)",
        );
        let expected = json!([
            ["c.txt", true, true, true, "text"],
            ["b.txt", false, true, false, "text"],
            ["a.txt", false, false, false, "text"],
        ]);
        let named =
            |files: &Value| files.as_array().unwrap().iter().map(|file| file[0].clone()).collect::<Vec<_>>();
        assert_eq!(named(&files), named(&expected));
        for at in 0..3 {
            assert_eq!(files[at].as_array().unwrap()[1..4], expected[at].as_array().unwrap()[1..4]);
        }
    });
}

/// Shows a place; returns the result, and for each window of this tab its file and the cursor's line.
fn show(bare: &mut MockDaemonNeovim, file: &str, line: u32, focus: bool) -> (Value, Value, Value) {
    let shown = bare.lua_with(
        "local file, line, focus = ...
         local at = { line = line, character = 1 }
         local uri = vim.uri_from_fname(vim.uv.cwd() .. '/' .. file)
         return require('copydesk.editor').show({ uri = uri, range = { start = at, ['end'] = at }, focus = focus })",
        json!([file, line, focus]),
    );
    let windows = bare.lua(
        "return vim.tbl_map(function(window)
           local name = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)))
           return { name, vim.api.nvim_win_get_cursor(window)[1] - 1 }
         end, vim.api.nvim_tabpage_list_wins(0))",
    );
    let current = bare.lua("return vim.fs.basename(vim.api.nvim_buf_get_name(0))");
    (shown, windows, current)
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_place_is_shown_beside_the_user_unless_the_focus_is_wanted() {
    for_each_neovim(|program| {
        let mut bare = opened(program, "utf-8");
        bare.lua("vim.cmd('silent vsplit b.txt')");
        // In the other window, if there is one.
        let (shown, windows, current) = show(&mut bare, "c.txt", 150, false);
        assert_eq!((shown, current), (json!({ "shown": true }), json!("b.txt")));
        assert_eq!(windows, json!([["b.txt", 0], ["c.txt", 150]]));
        let seen = bare.lua("return vim.fn.line('w$', vim.api.nvim_tabpage_list_wins(0)[2])");
        assert!(seen.as_u64() > Some(150), "{seen}");
        // If there is only the user's window, a new one opens.
        bare.lua("vim.cmd('only')");
        let (shown, windows, current) = show(&mut bare, "a.txt", 20, false);
        assert_eq!((shown, current), (json!({ "shown": true }), json!("b.txt")));
        assert_eq!(windows, json!([["a.txt", 20], ["b.txt", 0]]));
        // With the focus, in the window that already shows the file; a jump leads back.
        let (shown, windows, current) = show(&mut bare, "a.txt", 120, true);
        assert_eq!((shown, current), (json!({ "shown": true }), json!("a.txt")));
        assert_eq!(windows, json!([["a.txt", 120], ["b.txt", 0]]));
        bare.keys("<C-o>");
        assert_eq!(bare.lua("return vim.fn.line('.')"), 21);
        // Typing in one window does not continue in another.
        bare.keys("i");
        assert_eq!(show(&mut bare, "b.txt", 5, true).2, "b.txt");
        assert_eq!(bare.lua("return vim.fn.mode()"), "n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn panels_and_floats_and_windows_that_are_held_are_not_taken() {
    for_each_neovim(|program| {
        for (name, around) in [
            ("a panel", "vim.cmd('enew | setlocal buftype=nofile')"),
            ("a held window", "vim.wo.winfixbuf = true"),
            ("a preview", "vim.wo.previewwindow = true"),
            (
                "a text that would be lost",
                "vim.bo.bufhidden = 'wipe' vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'typed' })",
            ),
            (
                "a text that would be left behind",
                "vim.o.hidden = false vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'typed' })",
            ),
        ] {
            let mut bare = opened(program, "utf-8");
            bare.lua(around);
            bare.lua("BEFORE = vim.api.nvim_get_current_buf() WINDOW = vim.api.nvim_get_current_win()");
            let (shown, _, current) = show(&mut bare, "b.txt", 3, true);
            assert_eq!((shown, current), (json!({ "shown": true }), json!("b.txt")), "{name}");
            assert_eq!(bare.lua("return vim.api.nvim_win_get_buf(WINDOW) == BEFORE"), true, "{name}");
        }
        let mut bare = opened(program, "utf-8");
        bare.lua(
            "FLOAT = vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), true,
               { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })
             BEFORE = vim.api.nvim_win_get_buf(FLOAT)",
        );
        let (shown, _, current) = show(&mut bare, "b.txt", 3, true);
        assert_eq!((shown, current), (json!({ "shown": true }), json!("b.txt")));
        assert_eq!(bare.lua("return vim.api.nvim_win_get_buf(FLOAT) == BEFORE"), true);
        // A missing file or a folder is not shown, and creates no buffer.
        let before = bare.lua("vim.fn.mkdir('folder') return #vim.api.nvim_list_bufs()");
        for name in ["missing.txt", "folder"] {
            assert_eq!(show(&mut bare, name, 1, true).0, json!({ "shown": false }));
        }
        assert_eq!(bare.lua("return #vim.api.nvim_list_bufs()"), before);
    });
}

/// Other plugins react to opening a file, too.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_place_is_shown_although_somebody_elses_callback_fails() {
    for_each_neovim(|program| {
        for split in ["", "vim.cmd('vsplit')"] {
            let mut bare = opened(program, "utf-8");
            bare.lua(split);
            bare.lua(
                "vim.api.nvim_create_autocmd('BufReadPost', { callback = function() error('mine') end })",
            );
            let (shown, windows, current) = show(&mut bare, "b.txt", 150, false);
            assert_eq!((shown, current), (json!({ "shown": true }), json!("a.txt")), "{split}");
            assert!(windows.as_array().unwrap().contains(&json!(["b.txt", 150])), "{split}: {windows}");
        }
    });
}

/// A command would continue in another text, and a selection grow.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_focus_stays_with_whoever_is_in_the_middle_of_a_command() {
    for_each_neovim(|program| {
        for (keys, mode, focused) in
            [("d", "no", "a.txt"), (":echo", "c", "a.txt"), ("v", "n", "b.txt"), ("gh", "n", "b.txt")]
        {
            let mut bare = opened(program, "utf-8");
            bare.lua("vim.cmd('silent split b.txt | wincmd p')");
            bare.keys(keys);
            let (shown, windows, current) = show(&mut bare, "b.txt", 20, true);
            assert_eq!((shown, current), (json!({ "shown": true }), json!(focused)), "{keys}");
            assert!(windows.as_array().unwrap().contains(&json!(["b.txt", 20])), "{keys}: {windows}");
            assert_eq!(bare.lua("return vim.api.nvim_get_mode().mode"), mode, "{keys}");
        }
    });
}

/// Leaves the swap file of a Neovim that was killed while it edited `b.txt`; ours would ask about it.
const CRASHED: &str = "
    local crash = \"lua vim.uv.kill(vim.uv.os_getpid(), 'sigkill')\"
    local other = { vim.v.progpath, '--headless', '--clean', '-c', 'set directory=. swapfile', '-c', 'edit b.txt' }
    vim.list_extend(other, { '-c', 'normal ox', '-c', 'preserve', '-c', crash })
    T.await(function(done) vim.system(other, {}, done) end)
    vim.o.directory, vim.o.swapfile, vim.o.shortmess = '.', true, ''
    return vim.uv.fs_stat('.b.txt.swp') ~= nil";

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_another_neovim_is_at_is_shown_read_only() {
    for_each_neovim(|program| {
        let mut bare = opened(program, "utf-8");
        assert_eq!(bare.lua(CRASHED), true);
        let (shown, windows, _) = show(&mut bare, "b.txt", 20, false);
        assert_eq!(shown, json!({ "shown": true }));
        assert_eq!(windows, json!([["b.txt", 20], ["a.txt", 0]]));
        assert_eq!(
            bare.lua("return { vim.bo[vim.fn.bufnr('b.txt')].readonly, vim.v.errmsg }"),
            json!([true, ""])
        );
    });
}

/// What is shown while the user follows; what prevents it, and what the window has then.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_is_shown_beside_never_asks_and_leaves_nothing_behind() {
    for_each_neovim(|program| {
        for (name, before, expected) in [
            ("nothing in the way", "", json!(["b.txt", 20])),
            ("a text that would be left behind", "vim.o.hidden = false TYPE()", json!(["a.txt", 1])),
            (
                "one that would be asked about",
                "vim.o.hidden, vim.o.confirm = false, true TYPE()",
                json!(["a.txt", 1]),
            ),
            (
                "one that would be written",
                "vim.o.hidden, vim.o.autowrite = false, true TYPE()",
                json!(["a.txt", 1]),
            ),
            ("a comparison", "vim.wo[WINDOW].diff = true", json!(["a.txt", 1])),
            ("a window that is held", "vim.wo[WINDOW].winfixbuf = true", json!(["a.txt", 1])),
            ("another Neovim", CRASHED, json!(["a.txt", 1])),
            ("a folder", "vim.fn.delete('b.txt') vim.fn.mkdir('b.txt')", json!(["a.txt", 1])),
            ("no file", "vim.fn.delete('b.txt')", json!(["a.txt", 1])),
        ] {
            let mut bare = opened(program, "utf-8");
            bare.lua(
                "WINDOW = vim.api.nvim_get_current_win()
                 function TYPE() vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 0, 1, true, { 'typed' }) end",
            );
            bare.lua(PANEL);
            bare.lua(before);
            let seen = bare.lua(
                "local current = vim.api.nvim_get_current_win()
                 require('copydesk.editor').show_beside(WINDOW, vim.uv.cwd() .. '/b.txt', 20)
                 assert(current == vim.api.nvim_get_current_win() and vim.fn.mode() == 'n')
                 local file = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(WINDOW)))
                 return { file, vim.api.nvim_win_get_cursor(WINDOW)[1] }",
            );
            assert_eq!(seen, expected, "{name}");
            assert!(bare.read("a.txt").starts_with("é".as_bytes()), "{name}: written");
        }
    });
}
