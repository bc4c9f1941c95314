//! Saves as the user would, and reloads what the daemon changed. Nothing ever asks.

use serde_json::{Value, json};

use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};
use crate::plugin::mock_daemon_neovim::MockDaemonNeovim;
use crate::plugin::plugin_neovim::PluginNeovim;

/// With `a.txt` open in `B`.
fn opened(program: &std::path::Path) -> MockDaemonNeovim {
    let mut bare = MockDaemonNeovim::start(program, "utf-8");
    bare.write("a.txt", "one\n");
    bare.lua(
        "require('copydesk.document').watch()
         vim.cmd('silent edit a.txt')
         B = S.attach(vim.api.nvim_get_current_buf())
         function SAVE() return require('copydesk.document').save({ uri = vim.uri_from_bufnr(B) }) end
         function EDIT(text) S.apply({ [B] = { { 0, 0, 0, 3, text } } }) end
         function TYPE() vim.api.nvim_buf_set_lines(B, 0, 1, true, { 'typed' }) end",
    );
    bare
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_save_is_the_persons_own_with_all_that_belongs_to_it() {
    for_each_neovim(|program| {
        let mut bare = opened(program);
        bare.lua(
            "EVENTS = {}
             vim.api.nvim_create_autocmd('BufWritePre', { callback = function(event)
               table.insert(EVENTS, 'pre')
               vim.api.nvim_buf_set_lines(event.buf, -1, -1, true, { 'formatted' })
             end })
             vim.api.nvim_create_autocmd('BufWritePost', { callback = function() table.insert(EVENTS, 'post') end })
             TYPE()",
        );
        assert_eq!(bare.lua("return SAVE()"), json!({ "saved": true }));
        assert_eq!(bare.read("a.txt"), b"typed\nformatted\n");
        assert_eq!(bare.lua("return { EVENTS, vim.bo[B].modified }"), json!([["pre", "post"], false]));
        // Nothing has changed, so nothing is written.
        assert_eq!(bare.lua("return SAVE()"), json!({ "saved": true }));
        assert_eq!(bare.lua("return #EVENTS"), 2);
        // Hidden, while the user types elsewhere.
        bare.lua("vim.cmd('vnew')");
        bare.keys("iwords");
        let around = "return { vim.api.nvim_list_wins(), vim.api.nvim_get_current_win(), vim.fn.mode(), vim.fn.winsaveview() }";
        let before = bare.lua(around);
        bare.lua("TYPE() vim.api.nvim_buf_set_mark(B, '[', 1, 2, {})");
        assert_eq!(bare.lua("return SAVE()"), json!({ "saved": true }));
        assert_eq!(bare.lua(around), before);
        assert_eq!(bare.lua("return vim.api.nvim_buf_get_mark(B, '[')"), json!([1, 2]));
        assert_eq!(bare.read("a.txt"), b"typed\nformatted\nformatted\n");
    });
}

/// What prevents the save, and the reason given.
const WAYS: &[(&str, &str)] = &[
    ("vim.bo[B].readonly = true", "a.txt: it is read-only ('readonly' is on)"),
    ("vim.fn.writefile({ 'others and more' }, 'a.txt')", "a.txt: its file has changed on disk"),
    ("vim.fn.delete('a.txt') vim.fn.mkdir('a.txt')", "a.txt: its file has changed on disk"),
    ("vim.cmd('silent file b.txt') vim.fn.writefile({ 'others' }, 'b.txt')", "b.txt: its file has changed"),
    ("vim.cmd('silent file no/such/b.txt')", "no/such/b.txt: E212:"),
    (
        "vim.bo[B].fileencoding = 'latin1' vim.api.nvim_buf_set_lines(B, 0, -1, true, { '🦀' })",
        "a.txt: it has characters that its encoding",
    ),
    (
        "vim.bo[B].fileencoding = 'ucs-2le' vim.api.nvim_buf_set_lines(B, 0, -1, true, { '🦀' })",
        "a.txt: it has characters that its encoding",
    ),
    (
        "vim.cmd('silent noautocmd write') TYPE() vim.fn.writefile({ 'others' }, 'a.txt')",
        "a.txt: its file has changed on disk",
    ),
    ("vim.o.write = false", "a.txt: E142:"),
    ("vim.o.confirm = true vim.o.write = false", "a.txt: E142:"),
    ("vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error('mine') end })", "a.txt: "),
    ("vim.bo[B].buftype = 'nofile'", "a.txt: it is no file"),
    ("vim.cmd('enew | bunload! ' .. B)", "a.txt: it is not open"),
];

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn what_cannot_be_saved_says_why_and_asks_nothing() {
    for_each_neovim(|program| {
        for (way, why) in WAYS {
            let mut bare = opened(program);
            let answer = bare.lua(&format!("TYPE() {way} return SAVE()"));
            // A callback that fails before the write does not prevent it.
            if way.contains("error(") && answer["saved"] == true {
                assert_eq!(bare.read("a.txt"), b"typed\n");
                continue;
            }
            assert_eq!(answer["saved"], false, "{way}");
            let message = answer["message"].as_str().unwrap();
            assert!(message.starts_with(why) && !message.contains('\n'), "{way}: {message}");
            assert_eq!(bare.lua("return vim.fn.mode()"), "n", "{way}");
            if way.contains("ucs-2le") {
                assert_eq!(bare.read("a.txt"), b"one\n", "{way}: written over");
            }
        }
    });
}

/// Many users save like this to skip their formatter.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_was_written_without_autocommands_is_saved_again() {
    for_each_neovim(|program| {
        let mut bare = opened(program);
        bare.lua(
            "TYPE() vim.cmd('silent noautocmd write')
             vim.api.nvim_buf_set_lines(B, 0, 1, true, { 'once', 'more' })",
        );
        assert_eq!(bare.lua("return SAVE()"), json!({ "saved": true }));
        assert_eq!(bare.read("a.txt"), b"once\nmore\n");
    });
}

/// Other plugins' callbacks on reading a file may fail.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_was_made_is_read_again_whatever_its_callbacks_and_swap_files_say() {
    for_each_neovim(|program| {
        let mut bare = opened(program);
        let seen = bare.lua(
            "local crash = \"lua vim.uv.kill(vim.uv.os_getpid(), 'sigkill')\"
             local other = { vim.v.progpath, '--headless', '--clean', '-c', 'set directory=. swapfile', '-c', 'edit new.txt' }
             vim.list_extend(other, { '-c', 'normal ox', '-c', 'preserve', '-c', crash })
             T.await(function(done) vim.system(other, {}, done) end)
             vim.o.directory, vim.o.swapfile, vim.o.shortmess = '.', true, ''
             local person = vim.api.nvim_create_autocmd('SwapExists', { callback = function() vim.v.swapchoice = 'e' end })
             vim.cmd('silent edit new.txt')
             vim.api.nvim_del_autocmd(person)
             vim.fn.writefile({ 'made' }, 'new.txt')
             vim.api.nvim_create_autocmd('BufReadPost', { callback = function() error('mine') end })
             require('copydesk.document').changed({ uri = vim.uri_from_bufnr(0), reason = 'created' })
             return { vim.uv.fs_stat('.new.txt.swp') ~= nil, S.lines(0), vim.bo.readonly, vim.fn.mode(), S.said }",
        );
        assert_eq!(seen, json!([true, ["made"], false, "n", []]));
    });
}

/// The plugin may load after files were opened, and does not know when they were read.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_was_open_before_is_not_written_over_either() {
    for_each_neovim(|program| {
        let mut bare = MockDaemonNeovim::start(program, "utf-8");
        bare.write("a.txt", "one\n");
        bare.lua(
            "vim.cmd('silent edit a.txt')
             vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'typed' })
             vim.fn.writefile({ 'others and more' }, 'a.txt')",
        );
        let save = "return require('copydesk.document').save({ uri = vim.uri_from_bufnr(0) })";
        assert_eq!(bare.lua(save)["saved"], false);
        assert_eq!(bare.read("a.txt"), b"others and more\n");
    });
}

/// What happened to the file, the state of the buffer before, its lines afterwards, and the message to the user.
const CHANGED: &[(&str, &str, &str, &str, &str)] = &[
    ("read again", "", "written", "others", ""),
    ("read again although it should be asked about", "vim.o.autoread = false", "written", "others", ""),
    ("the same, for this one", "vim.bo[B].autoread = false", "written", "others", ""),
    ("hidden", "vim.cmd('enew')", "written", "others", ""),
    ("with changes of its own", "TYPE()", "written", "typed", "a.txt changed on disk"),
    ("changed by the daemon", "EDIT('two')", "written", "two", "a.txt changed on disk"),
    ("changed by the daemon and back", "EDIT('two') EDIT('one')", "written", "others", ""),
    ("changed by both", "TYPE() EDIT('one')", "written", "oneed", "a.txt changed on disk"),
    ("taken for new by who does not know", "", "created", "others", ""),
    ("deleted", "vim.fn.delete('a.txt')", "deleted", "one", ""),
    (
        "new, and made meanwhile",
        "vim.cmd('silent edit new.txt') B = vim.api.nvim_get_current_buf()",
        "created",
        "others",
        "",
    ),
];

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_the_daemon_changed_is_read_again_where_nothing_is_lost() {
    for_each_neovim(|program| {
        for (name, before, reason, expected, told) in CHANGED {
            let mut bare = opened(program);
            bare.lua(before);
            let autoread = bare.lua("return { vim.go.autoread, vim.bo[B].autoread }");
            let window = bare.lua("return vim.api.nvim_get_current_win()");
            if *reason != "deleted" {
                bare.lua("vim.fn.writefile({ 'others' }, vim.api.nvim_buf_get_name(B))");
            }
            bare.lua_with(
                "require('copydesk.document').changed({ uri = vim.uri_from_bufnr(B), reason = ... })",
                json!([reason]),
            );
            assert_eq!(bare.lua("return S.lines(B)"), json!([expected]), "{name}");
            assert_eq!(bare.lua("return { vim.go.autoread, vim.bo[B].autoread }"), autoread, "{name}");
            assert_eq!(bare.lua("return vim.api.nvim_get_current_win()"), window, "{name}");
            let said: Value = bare.lua("return S.said");
            let said: Vec<_> = said.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            assert_eq!(said.len(), usize::from(!told.is_empty()), "{name}: {said:?}");
            assert!(said.iter().all(|line| line.contains(told)), "{name}: {said:?}");
        }
    });
}

/// Other plugins' callbacks on reading or writing a file may fail or delete the buffer.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn other_peoples_callbacks_do_not_make_half_a_text_of_it() {
    for_each_neovim(|program| {
        let mut bare = opened(program);
        let read = bare.lua(
            "vim.api.nvim_create_autocmd('BufReadPost', { callback = function() error('mine') end })
             vim.fn.writefile({ 'others', 'and more' }, 'a.txt')
             require('copydesk.document').changed({ uri = vim.uri_from_bufnr(B), reason = 'written' })
             return { S.lines(B), vim.bo[B].modified }",
        );
        assert_eq!(read, json!([["others", "and more"], false]));
        let written = bare.lua(
            "local uri = vim.uri_from_bufnr(B)
             vim.api.nvim_create_autocmd('BufWritePost', { callback = function() vim.cmd('enew | bwipeout! ' .. B) end })
             TYPE()
             return require('copydesk.document').save({ uri = uri })",
        );
        assert_eq!(written, json!({ "saved": true }));
        assert_eq!(bare.read("a.txt"), b"typed\nand more\n");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_file_that_is_not_loaded_is_not_loaded_for_that() {
    for_each_neovim(|program| {
        let mut bare = opened(program);
        let loaded = bare.lua(
            "vim.cmd('enew | bunload! ' .. B)
             local count = #vim.api.nvim_list_bufs()
             for _, name in ipairs({ 'a.txt', 'never.txt' }) do
               local uri = vim.uri_from_fname(vim.uv.cwd() .. '/' .. name)
               require('copydesk.document').changed({ uri = uri, reason = 'written' })
             end
             return { vim.api.nvim_buf_is_loaded(B), #vim.api.nvim_list_bufs() == count }",
        );
        assert_eq!(loaded, json!([false, true]));
    });
}

/// Neovim 0.10 formats each message for an error text, which stops the editor if a text is large.
#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn a_text_is_not_formatted_when_it_is_sent() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        scripted.env.write("a.txt", "one\n");
        let mut window = PluginNeovim::open(program, &scripted.env);
        window.connect();
        let formatted = "local inspect, count = vim.inspect, 0
            local function counting(...)
              count = count + 1
              return inspect(...)
            end
            vim.inspect = counting
            vim.cmd('edit a.txt')
            vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'two' })
            require('copydesk.sync').flush()
            local is_back = vim.inspect == counting
            vim.inspect = inspect
            return { count, is_back }";
        assert_eq!(window.lua(formatted), json!([0, true]));
    });
}
