//! Finds the commands that a program runs for its caller: `sudo rm`, `sh -c '…'`, `find -exec`.

use super::program_name::ProgramName;
use super::script::ShellWord;
use super::wrappers::{SHELLS, WRAPPERS, WrapperKind, WrapperProgram};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InnerCommands {
    None,
    Arguments {
        commands: Vec<Vec<ShellWord>>,
        is_transparent: bool,
    },
    Script {
        text: String,
        is_remote: bool,
    },
    /// It runs something that we cannot find.
    Unclear,
}

pub(super) fn find_inner_commands(program: &ProgramName, words: &[ShellWord]) -> InnerCommands {
    let arguments = words.get(1..).unwrap_or_default();
    if program.is_one_of(SHELLS) {
        return shell_script(arguments);
    }
    match program.base.as_str() {
        "eval" => return join_script(arguments, false),
        "find" => return find_actions(arguments),
        "fd" | "fdfind" => return fd_actions(arguments),
        // Only looks a name up.
        "command" if has_lookup_option(arguments) => return InnerCommands::None,
        _ => {}
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| program.base == wrapper.name);
    wrapper.map_or(InnerCommands::None, |wrapper| wrapped(wrapper, arguments))
}

fn has_lookup_option(arguments: &[ShellWord]) -> bool {
    arguments
        .first()
        .is_some_and(|word| word.value.as_deref().is_some_and(|value| value == "-v" || value == "-V"))
}

fn wrapped(wrapper: &WrapperProgram, arguments: &[ShellWord]) -> InnerCommands {
    let Some(mut rest) = skip_options(wrapper, arguments) else { return InnerCommands::Unclear };
    if matches!(wrapper.kind, WrapperKind::Environment) || wrapper.name == "time" {
        while rest.first().is_some_and(|word| is_assignment(&word.text)) {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    if rest.len() <= wrapper.skipped_words {
        let is_idle = rest.is_empty() || matches!(wrapper.kind, WrapperKind::RemoteScript);
        // `xargs` alone prints, `env` alone lists.
        return if is_idle { InnerCommands::None } else { InnerCommands::Unclear };
    }
    let inner = rest.get(wrapper.skipped_words..).unwrap_or_default();
    match wrapper.kind {
        WrapperKind::Script => join_script(inner, false),
        WrapperKind::RemoteScript => join_script(inner, true),
        WrapperKind::AddsArguments => {
            let added = ShellWord { text: "{}".to_owned(), value: None };
            let command = inner.iter().cloned().chain([added]).collect();
            InnerCommands::Arguments { commands: vec![command], is_transparent: false }
        }
        kind => InnerCommands::Arguments {
            commands: vec![inner.to_vec()],
            is_transparent: kind == WrapperKind::Transparent,
        },
    }
}

pub(super) fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The words behind the options, if every option is known.
fn skip_options<'w>(wrapper: &WrapperProgram, mut words: &'w [ShellWord]) -> Option<&'w [ShellWord]> {
    while let Some((word, rest)) = words.split_first() {
        let option = word.value.as_deref()?;
        let Some(name) = option.strip_prefix('-').filter(|name| !name.is_empty()) else { break };
        words = rest;
        if name == "-" {
            break;
        }
        let takes_next = match name.strip_prefix('-') {
            Some(long) => {
                let (long, value) =
                    long.split_once('=').map_or((long, None), |(long, value)| (long, Some(value)));
                if wrapper.long_valued.contains(&long) {
                    value.is_none()
                } else if wrapper.long_flags.contains(&long) {
                    false
                } else {
                    return None;
                }
            }
            None => {
                let valued = name.find(|c| wrapper.valued.contains(c));
                let flags = name.get(..valued.unwrap_or(name.len()))?;
                if !flags.chars().all(|c| wrapper.flags.contains(c)) {
                    return None;
                }
                valued.is_some_and(|at| at + 1 == name.len())
            }
        };
        if takes_next {
            words.first()?.value.as_ref()?;
            words = words.get(1..)?;
        }
    }
    Some(words)
}

fn join_script(words: &[ShellWord], is_remote: bool) -> InnerCommands {
    let values: Option<Vec<_>> = words.iter().map(|word| word.value.as_deref()).collect();
    match values {
        Some(values) if values.is_empty() => InnerCommands::None,
        Some(values) => InnerCommands::Script { text: values.join(" "), is_remote },
        None => InnerCommands::Unclear,
    }
}

/// `-c` takes the first word behind the options. A script file or standard input is not read.
fn shell_script(arguments: &[ShellWord]) -> InnerCommands {
    let mut words = arguments.iter();
    let mut has_script = false;
    while let Some(word) = words.next() {
        let Some(value) = word.value.as_deref() else { return InnerCommands::Unclear };
        if let Some(letters) = value.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) {
            if letters == "-" {
                continue;
            }
            let is_known = letters.chars().all(|c| "abcefhiklmnprstuvxBCEHPTo".contains(c));
            if !is_known {
                return InnerCommands::Unclear;
            }
            has_script |= value.starts_with('-') && letters.contains('c');
            if letters.contains('o') && words.next().is_none() {
                return InnerCommands::Unclear;
            }
        } else if has_script {
            return InnerCommands::Script { text: value.to_owned(), is_remote: false };
        } else {
            // A script file: as if it were run by its own name.
            let is_file = !value.starts_with("/dev/") && !value.starts_with("/proc/") && value != "-";
            return if is_file { InnerCommands::None } else { InnerCommands::Unclear };
        }
    }
    InnerCommands::Unclear
}

fn find_actions(arguments: &[ShellWord]) -> InnerCommands {
    let mut commands = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(value) = word.value.as_deref() else { continue };
        if !matches!(value, "-exec" | "-execdir" | "-ok" | "-okdir") {
            continue;
        }
        let mut command = Vec::new();
        let mut is_closed = false;
        for word in words.by_ref() {
            let text = word.value.as_deref();
            let ends_with_files = command.last().is_some_and(|last: &ShellWord| last.text == "{}");
            is_closed = text == Some(";") || (text == Some("+") && ends_with_files);
            if is_closed {
                break;
            }
            // The names of files are not known.
            let is_file = word.text.contains("{}");
            command.push(ShellWord { value: word.value.clone().filter(|_| !is_file), ..word.clone() });
        }
        if !is_closed || command.is_empty() {
            return InnerCommands::Unclear;
        }
        commands.push(command);
    }
    if commands.is_empty() {
        InnerCommands::None
    } else {
        InnerCommands::Arguments { commands, is_transparent: false }
    }
}

fn fd_actions(arguments: &[ShellWord]) -> InnerCommands {
    let is_action = |word: &ShellWord| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let Some(at) = arguments.iter().position(is_action) else { return InnerCommands::None };
    let mut command = arguments.get(at + 1..).unwrap_or_default().to_vec();
    if command.is_empty() {
        return InnerCommands::Unclear;
    }
    command.push(ShellWord { text: "{}".to_owned(), value: None });
    InnerCommands::Arguments { commands: vec![command], is_transparent: false }
}
