//! `:help copydesk` is complete: it has every command, option, key, highlight, event and function.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::commands::NeovimUser;
use super::plugin_neovim::PLUGIN_FOLDER;
use crate::neovim::neovim_session::{allow_edits_environment, for_each_neovim};

fn help() -> String {
    fs::read_to_string(Path::new(PLUGIN_FOLDER).join("doc/copydesk.txt")).unwrap()
}

/// The tags that the page defines.
fn tags(text: &str) -> BTreeSet<&str> {
    let words = text.split_whitespace();
    words.filter_map(|word| word.strip_prefix('*')?.strip_suffix('*')).filter(|tag| !tag.is_empty()).collect()
}

/// The tags that the page refers to with bars.
fn references(text: &str) -> BTreeSet<&str> {
    let words = text.split_whitespace();
    let bars = words
        .filter_map(|word| word.trim_matches(|letter: char| "(),.;:".contains(letter)).strip_prefix('|'));
    bars.filter_map(|word| word.strip_suffix('|')).filter(|tag| !tag.is_empty()).collect()
}

#[test]
#[ignore = "runs with the others of the plugin"]
fn lines_are_no_longer_than_a_help_window() {
    for (number, line) in help().lines().enumerate() {
        assert!(line.chars().count() <= 78, "line {}: {line}", number + 1);
        assert!(!line.contains('\t') && line.trim_end() == line, "line {}: white space", number + 1);
    }
}

#[test]
#[ignore = "runs with the others of the plugin"]
fn what_the_page_points_at_in_itself_is_there() {
    let text = help();
    let there = tags(&text);
    for tag in references(&text) {
        let is_ours = tag.to_lowercase().contains("copydesk");
        assert!(!is_ours || there.contains(tag), "|{tag}| leads nowhere");
    }
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn helptags_finds_nothing_wrong_and_help_leads_there() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        // In a folder of the test: the tags file is not part of the plugin.
        scripted.env.write("~/copy/doc/copydesk.txt", help());
        let folder = scripted.env.path("~/copy");
        let code = "local folder = ...
            vim.opt.runtimepath:prepend(folder)
            vim.cmd('helptags ' .. folder .. '/doc')
            vim.cmd('help copydesk')
            return { vim.fn.expand('%:t'), vim.bo.buftype }";
        let shown = user.window.nvim.lua(code, json!([folder.to_str().unwrap()]));
        assert_eq!(shown, json!(["copydesk.txt", "help"]));
        let text = help();
        for tag in references(&text) {
            user.window.nvim.lua("vim.cmd.help(...)", json!([tag]));
        }
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn everything_there_is_has_a_tag() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let names = "local names = {}
            local function add(name) names[#names + 1] = name end
            for _, name in ipairs(require('copydesk.command').names) do
              add(':Copydesk-' .. name)
              add('<Plug>(copydesk-' .. name .. ')')
            end
            for name in pairs(require('copydesk.config').defaults) do add('copydesk-option-' .. name) end
            for name in pairs(require('copydesk.config').defaults.chat) do add('copydesk-option-chat.' .. name) end
            for name in pairs(require('copydesk.config').defaults.keys) do add('copydesk-key-' .. name) end
            for name in pairs(require('copydesk.config').defaults.review) do add('copydesk-option-review.' .. name) end
            for name in pairs(require('copydesk.highlight').groups) do add('hl-' .. name) end
            for name in pairs(require('copydesk.highlight').shades) do add('hl-' .. name) end
            for name in pairs(require('copydesk')) do add('copydesk.' .. name .. '()') end
            for _, one in ipairs(require('copydesk.context').words) do add('copydesk-@' .. one.word:gsub(':', '')) end
            return names";
        let names: Vec<String> = serde_json::from_value(user.window.lua(names)).unwrap();
        let text = help();
        let there = tags(&text);
        let missing: Vec<_> = names.iter().filter(|name| !there.contains(name.as_str())).collect();
        assert!(missing.is_empty(), "not in the help: {missing:?}");
    });
}

#[test]
#[ignore = "needs Neovim, which tests/run installs"]
fn the_defaults_in_the_help_are_the_defaults() {
    for_each_neovim(|program| {
        let scripted = allow_edits_environment([]);
        let mut user = NeovimUser::start(program, &scripted.env);
        let text = help();
        let table = text.split("require(\"copydesk\").setup({ -- the defaults\n").nth(1).unwrap();
        let table = table.split("\n    })").next().unwrap();
        let read = user.window.nvim.lua("return loadstring('return {' .. ... .. '}')()", json!([table]));
        let defaults: Value = user.window.lua("return require('copydesk.config').defaults");
        assert_eq!(read, defaults);
    });
}

#[test]
#[ignore = "runs with the others of the plugin"]
fn every_event_is_in_the_help() {
    let text = help();
    let there = tags(&text);
    let source = fs::read_to_string(Path::new(PLUGIN_FOLDER).join("lua/copydesk/progress.lua")).unwrap();
    let events: BTreeSet<_> =
        source.split("announce(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(events.len() >= 5, "{events:?}");
    for event in events {
        assert!(there.contains(format!("Copydesk{event}").as_str()), "Copydesk{event} is not in the help");
    }
}
