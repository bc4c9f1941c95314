//! What the offline model says about itself: its abilities, and how to set up a better model.

const ABILITIES: &str = "\
I am the offline model: a small program without a network, not a language model. In plain words I can:
- fix the compile errors of a Rust project, where the compiler itself suggests how: `fix the errors`, `fix the warnings`
- `rename OLD to NEW`, `replace \"old text\" with \"new text\" in FILE`
- `find TEXT`, `show FILE lines 10-20`, `list FOLDER`
- answer about code: `where is NAME defined`, `find the references of NAME`, `who calls NAME`, `show the definition of NAME`, `outline FILE`
- fix the problems that an editor lists, where its language server prefers a fix (`Fix with Copydesk`)
- have the language server of a file work: `organize the imports of FILE`, `format FILE`, `apply the quick fixes in FILE`";

const REAL_MODEL: &str = "\
For anything else set up a real model:
- with a key: `copydesk auth add anthropic` (or openai, google, openrouter, …)
- on this machine: start Ollama, then `copydesk run --model ollama/NAME …`
- `copydesk models` lists what can be used and what is missing.";

pub(super) fn unknown_request() -> String {
    format!("{ABILITIES}\n\n{REAL_MODEL}")
}

/// Ends an answer that did not finish the work.
pub(super) fn setup_advice() -> &'static str {
    "This needs somebody who understands the code: you, or a real model (`copydesk auth add anthropic`, or a local one; \
     `copydesk models` lists them)."
}

pub(super) fn not_offered(tool: &str) -> String {
    format!("For this I would need the tool `{tool}`, which I am not allowed to use here. I have stopped.")
}

/// For a search where generated files hide everything else.
pub(super) fn too_many_generated(old: &str) -> String {
    format!(
        "`{old}` is in too many folders that are built or fetched. Name the folder or the file that you mean."
    )
}

/// Lists the files that were skipped because they are generated.
pub(super) fn skipped_files(globs: &[&str]) -> String {
    let names: Vec<_> = globs.iter().map(|glob| format!("`{}`", glob.trim_start_matches('/'))).collect();
    format!(
        "\nI have left out what is built or fetched, and what is no text: {}. Name a folder or a file of it if you want it changed.",
        names.join(", ")
    )
}

/// Reports a call that was refused or failed, with its own reason.
pub(super) fn failed_call(output: &str) -> String {
    let rejected = rejected_places(output);
    if !rejected.is_empty() {
        return rejection_reply(&rejected);
    }
    let why = output.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given");
    format!("I have stopped: {why}")
}

/// The places of a name that is defined several times, without the words that tell a model how to name one.
pub(super) fn several_definitions(output: &str) -> Option<String> {
    let (first, places) = output.split_once('\n')?;
    let (named, _) = first.split_once(". Name one by ")?;
    named.contains(" is defined ").then(|| format!("{named}:\n{places}"))
}

/// Repeats the user's rejections to the user.
pub(super) fn rejection_reply(rejected: &[String]) -> String {
    format!("I have stopped, as you decided:\n{}", rejected.join("\n"))
}

const MAX_REJECTIONS: usize = 20;

/// The hunks that the user rejected in a reviewed call: one line per place, with the user's reason.
pub(super) fn rejected_places(output: &str) -> Vec<String> {
    let is_heading =
        |line: &&str| line.ends_with("decided hunk by hunk:") || line.ends_with("the user decided:");
    let decisions = output.lines().skip_while(|line| !is_heading(line)).skip(1);
    let decisions =
        decisions.take_while(|line| !line.trim().is_empty() && !line.starts_with("Nothing was changed."));
    let mut rejected: Vec<String> = Vec::new();
    let mut is_of_one = false;
    for line in decisions {
        if line.starts_with("- ") {
            is_of_one = line.contains("rejected;") && rejected.len() < MAX_REJECTIONS;
            if is_of_one {
                rejected.push(line.replacen(" They say: ", " You said: ", 1));
            }
        } else if is_of_one && let Some(last) = rejected.last_mut() {
            // A reason may span several lines.
            last.push_str(&format!("\n  {line}"));
        }
    }
    rejected
}
