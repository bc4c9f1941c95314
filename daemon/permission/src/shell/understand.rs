//! From a script's syntax to the patterns that rules decide on.

use super::always_offer::offer_always;
use super::changing_commands::{changes_files, changes_target};
use super::file_paths::{HARMLESS_TARGETS, PRINTING_PROGRAMS, find_paths};
use super::inner_commands::{InnerCommands, find_inner_commands, is_assignment};
use super::network_commands::uses_network;
use super::program_name::ProgramName;
use super::reader::{KnownVariables, read_script};
use super::reading_commands::{SearchedPlace, find_reading_scope};
use super::risks::{CommandRisk, judge_words};
use super::script::{RedirectKind, ShellRedirect, ShellScript, ShellWord, SimpleCommand};
use super::spellings::{join_words, list_spellings, quote_word};
use super::unreadable::UnreadableCommandError;
use super::variables::{changes_what_runs, is_harmless_variable};
use super::wrappers::DECLARING_BUILTINS;
use super::{CommandReading, ShellPlace};
use crate::CommandPattern;

const MAX_INNER_DEPTH: usize = 12;
const MAX_PATTERNS: usize = 512;
const MAX_PATHS: usize = 128;
const MAX_FOLDERS: usize = 16;
/// The work of a decision grows with this and with the rules.
const MAX_SPELLING_BYTES: usize = 64 * 1024;

/// What a whole command does to all its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SharedEffect {
    None,
    /// A variable that programs may read, or a folder that is not known.
    Unclear,
    /// A variable that names programs.
    ChangesPrograms,
}

struct Understanding<'a> {
    place: ShellPlace<'a>,
    commands: Vec<CommandPattern>,
    /// As written, to be joined with every folder.
    paths: Vec<String>,
    /// Folders that commands may run in, the working folder first.
    folders: Vec<String>,
    always: Option<Vec<String>>,
    effect: SharedEffect,
    /// As `paths`.
    searched_folders: Vec<String>,
    reads_git: bool,
    spelling_bytes: usize,
    depth: usize,
}

pub(super) fn understand_command(
    command: &str,
    place: ShellPlace<'_>,
) -> Result<CommandReading, UnreadableCommandError> {
    let folder = place.working_folder.unwrap_or(".").to_owned();
    let mut understanding = Understanding {
        place,
        commands: Vec::new(),
        paths: Vec::new(),
        folders: vec![folder],
        always: Some(Vec::new()),
        effect: SharedEffect::None,
        searched_folders: Vec::new(),
        reads_git: false,
        spelling_bytes: 0,
        depth: 0,
    };
    understanding.add_script(command, false)?;
    Ok(understanding.finish(command))
}

impl Understanding<'_> {
    fn add_script(&mut self, text: &str, is_remote: bool) -> Result<(), UnreadableCommandError> {
        let known = KnownVariables { home: self.place.home, working_folder: self.place.working_folder };
        let ShellScript { commands, group_redirects, assignments } = read_script(text, known)?;
        for assignment in &assignments {
            self.note_assignment(&assignment.name);
        }
        for redirect in &group_redirects {
            if self.note_redirect(redirect, is_remote) {
                let text = format!("> {}", quote_word(&redirect.target));
                let pattern = CommandPattern::new(text, Vec::new()).spelled_out();
                self.add_pattern(pattern.changing(self.changes_target(&redirect.target)), None)?;
            }
        }
        for command in &commands {
            self.add_command(command, is_remote)?;
        }
        Ok(())
    }

    fn changes_target(&self, target: &ShellWord) -> bool {
        changes_target(target, self.place.working_folder)
    }

    /// An exported variable, or one that the shell itself reads.
    fn note_assignment(&mut self, name: &str) {
        if changes_what_runs(name) {
            self.effect = SharedEffect::ChangesPrograms;
        }
    }

    /// Whether it writes a file.
    fn note_redirect(&mut self, redirect: &ShellRedirect, is_remote: bool) -> bool {
        let is_file = matches!(redirect.kind, RedirectKind::Read | RedirectKind::Write);
        let is_harmless =
            redirect.target.value.as_deref().is_some_and(|target| HARMLESS_TARGETS.contains(&target));
        if !is_file || is_harmless {
            return false;
        }
        if !is_remote {
            self.paths.extend(find_paths(&redirect.target, self.place.home));
        }
        // The shell itself opens a connection.
        let is_socket = ["/dev/tcp/", "/dev/udp/"].iter().any(|folder| redirect.target.text.contains(folder));
        redirect.kind == RedirectKind::Write || redirect.target.value.is_none() || is_socket
    }

    fn add_command(
        &mut self,
        command: &SimpleCommand,
        is_remote: bool,
    ) -> Result<(), UnreadableCommandError> {
        let mut before = String::new();
        let mut changes_programs = false;
        for assignment in &command.assignments {
            changes_programs |= changes_what_runs(&assignment.name);
            if !is_harmless_variable(&assignment.name) {
                before += &format!("{}={} ", assignment.name, quote_word(&assignment.value));
            }
        }
        let mut behind = String::new();
        let mut changes_file = false;
        for redirect in &command.redirects {
            if self.note_redirect(redirect, is_remote) {
                changes_file |= self.changes_target(&redirect.target);
                behind += &format!(" > {}", quote_word(&redirect.target));
            }
        }
        let around = TextAround {
            before,
            behind,
            changes_programs,
            changes_file,
            is_remote,
            is_repeated: command.is_repeated,
        };
        self.add_words(&command.words, &command.source, &around)
    }

    fn add_words(
        &mut self,
        words: &[ShellWord],
        source: &str,
        around: &TextAround,
    ) -> Result<(), UnreadableCommandError> {
        let name = words.first().and_then(|word| word.value.as_deref());
        let program = ProgramName::new(name.ok_or(UnreadableCommandError::ComputedName)?)?;
        let inner = find_inner_commands(&program, words);
        let mut risk = judge_words(&program, words);
        judge_passed_assignments(&program, words, &mut risk);
        if inner == InnerCommands::Unclear {
            risk.require_words(words.len());
            risk.may_run_anything = true;
        }
        self.note_builtin(&program, words, around);
        if !around.is_remote && !program.is_one_of(&PRINTING_PROGRAMS) {
            self.add_paths(words);
        }
        let is_transparent = matches!(inner, InnerCommands::Arguments { is_transparent: true, .. });
        let pattern = make_pattern(&program, words, source, around, &risk);
        let is_plain = pattern.is_plain();
        let offer = if is_transparent && is_plain {
            Some(None)
        } else {
            offer_always(&program, words).filter(|_| is_plain && inner == InnerCommands::None).map(Some)
        };
        let pattern = if is_transparent && is_plain { pattern.transparent() } else { pattern };
        let only_reads = is_plain
            && !around.is_remote
            && around.before.is_empty()
            && (is_transparent || (inner == InnerCommands::None && self.note_reading(&program, words)));
        let changes = around.changes_file || (!only_reads && changes_files(&program, words));
        let pattern = pattern.reading(only_reads).networking(uses_network(&program, words)).changing(changes);
        self.add_pattern(pattern, offer)?;
        self.add_inner(inner, around)
    }

    /// Whether it only reads, and what it shows then.
    fn note_reading(&mut self, program: &ProgramName, words: &[ShellWord]) -> bool {
        let Some(scope) = find_reading_scope(program, words) else { return false };
        self.reads_git |= scope.is_git;
        match scope.searched {
            SearchedPlace::Nothing => {}
            SearchedPlace::WorkingFolder => self.searched_folders.push(".".to_owned()),
            SearchedPlace::NamedFolders => {
                let files = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
                self.searched_folders.extend(files.flat_map(|word| find_paths(word, self.place.home)));
            }
        }
        true
    }

    fn add_inner(&mut self, inner: InnerCommands, around: &TextAround) -> Result<(), UnreadableCommandError> {
        if self.depth == MAX_INNER_DEPTH {
            return Err(UnreadableCommandError::TooDeep);
        }
        self.depth += 1;
        match inner {
            InnerCommands::None | InnerCommands::Unclear => {}
            InnerCommands::Script { text, is_remote } => {
                self.add_script(&text, is_remote || around.is_remote)?;
            }
            InnerCommands::Arguments { commands, .. } => {
                for words in commands {
                    let around = TextAround { behind: String::new(), ..around.clone() };
                    self.add_words(&words, &join_words(&words), &around)?;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn add_pattern(
        &mut self,
        pattern: CommandPattern,
        offer: Option<Option<String>>,
    ) -> Result<(), UnreadableCommandError> {
        self.spelling_bytes += pattern.compared_bytes();
        if self.commands.len() == MAX_PATTERNS || self.spelling_bytes > MAX_SPELLING_BYTES {
            return Err(UnreadableCommandError::TooMany);
        }
        match offer {
            Some(offer) => {
                if let Some(always) = &mut self.always {
                    always.extend(offer.filter(|offer| !always.contains(offer)));
                }
            }
            None => self.always = None,
        }
        if !self.commands.contains(&pattern) {
            self.commands.push(pattern);
        }
        Ok(())
    }

    /// Builtins that change the folder or the variables of what follows.
    fn note_builtin(&mut self, program: &ProgramName, words: &[ShellWord], around: &TextAround) {
        let arguments = words.get(1..).unwrap_or_default();
        if program.is_one_of(DECLARING_BUILTINS) {
            for argument in arguments {
                let name = argument.text.split(['=', '+', '[']).next().unwrap_or_default();
                self.note_assignment(name);
                let is_known = is_harmless_variable(name) || name.starts_with('-');
                if !is_known || argument.text.contains('[') {
                    self.effect = self.effect.max(SharedEffect::Unclear);
                }
            }
        }
        if program.is_one_of(&["cd", "pushd", "chdir"]) && !around.is_remote {
            let target = arguments.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
            let home = ShellWord { text: "~".to_owned(), value: self.place.home.map(str::to_owned) };
            let target = target.unwrap_or(&home).value.as_deref().filter(|target| *target != "-");
            self.change_folder(target, around.is_repeated);
        }
    }

    /// A `cd` may fail, so the folders before it stay possible.
    fn change_folder(&mut self, target: Option<&str>, is_repeated: bool) {
        let Some(target) = target.filter(|_| !is_repeated && self.folders.len() < MAX_FOLDERS) else {
            self.effect = self.effect.max(SharedEffect::Unclear);
            return;
        };
        let reached: Vec<_> = self.folders.iter().map(|folder| join_path(folder, target)).collect();
        for folder in reached {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
    }

    fn add_paths(&mut self, words: &[ShellWord]) {
        let (name, arguments) = words.split_first().map_or((None, words), |(name, rest)| (Some(name), rest));
        let name = name.filter(|name| name.text.contains('/'));
        for word in name.into_iter().chain(arguments) {
            for path in find_paths(word, self.place.home) {
                if !self.paths.contains(&path) {
                    self.paths.push(path);
                }
            }
        }
        if self.paths.len() > MAX_PATHS {
            self.paths.truncate(MAX_PATHS);
            self.effect = self.effect.max(SharedEffect::Unclear);
        }
    }

    fn finish(self, command: &str) -> CommandReading {
        let mut commands = self.commands;
        if commands.is_empty() {
            // Assignments, or nothing at all.
            commands.push(CommandPattern::new(command.trim().to_owned(), Vec::new()).spelled_out());
        }
        if self.effect > SharedEffect::None {
            commands = commands.into_iter().map(CommandPattern::spelled_out).collect();
        }
        if self.effect == SharedEffect::ChangesPrograms {
            commands = commands.into_iter().map(CommandPattern::running_anything).collect();
        }
        let mut paths: Vec<String> = self.folders.iter().skip(1).cloned().collect();
        paths.extend(join_all(&self.folders, &self.paths));
        paths.sort();
        paths.dedup();
        let mut searched_folders = join_all(&self.folders, &self.searched_folders);
        searched_folders.sort();
        searched_folders.dedup();
        let always = self.always.filter(|_| self.effect == SharedEffect::None).unwrap_or_default();
        let moves = self.folders.len() > 1;
        let mut reading = CommandReading {
            commands,
            paths,
            always,
            searched_folders,
            reads_git: self.reads_git,
            unreadable: None,
        };
        // Git must run in the repository that the caller looks at, and as the caller runs it.
        if self.reads_git && (moves || !reading.only_reads()) {
            reading.ask_for_git();
        }
        reading
    }
}

fn join_all(folders: &[String], paths: &[String]) -> Vec<String> {
    paths.iter().flat_map(|path| folders.iter().map(|folder| join_path(folder, path))).collect()
}

/// What stands around the words of a command.
#[derive(Clone)]
struct TextAround {
    before: String,
    behind: String,
    changes_programs: bool,
    /// It writes into a file.
    changes_file: bool,
    is_remote: bool,
    is_repeated: bool,
}

fn make_pattern(
    program: &ProgramName,
    words: &[ShellWord],
    source: &str,
    around: &TextAround,
    risk: &CommandRisk,
) -> CommandPattern {
    let text = format!("{}{}{}", around.before, join_words(words), around.behind);
    let mut pattern = CommandPattern::new(text, list_spellings(program, words, source));
    if risk.spelled_words > 0 {
        let spelled = words.get(..risk.spelled_words).unwrap_or(words);
        pattern = pattern.with_spelled_bytes(around.before.len() + join_words(spelled).len());
    }
    if !around.behind.is_empty() {
        pattern = pattern.spelled_out();
    }
    if risk.may_run_anything || around.changes_programs {
        pattern = pattern.running_anything();
    }
    pattern
}

/// `env PATH=. ls`, `sudo LD_PRELOAD=x ls`.
fn judge_passed_assignments(program: &ProgramName, words: &[ShellWord], risk: &mut CommandRisk) {
    if !program.is_one_of(&["env", "sudo", "doas", "time"]) {
        return;
    }
    for (at, word) in words.iter().enumerate().skip(1).filter(|(_, word)| is_assignment(&word.text)) {
        let name = word.text.split('=').next().unwrap_or_default();
        if !is_harmless_variable(name) {
            risk.require_words(at + 1);
            risk.may_run_anything |= changes_what_runs(name);
        }
    }
}

/// Keeps `..`: only the file system knows where it leads behind a link.
fn join_path(folder: &str, path: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false if folder == "." => path.to_owned(),
        false => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}
