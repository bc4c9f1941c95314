//! What it says of itself: what it can do, and how to set up a model that can do more.

const ABILITIES: &str = "\
I am the offline model: a small program without a network, not a language model. In plain words I can:
- fix the compile errors of a Rust project, where the compiler itself suggests how: `fix the errors`, `fix the warnings`
- `rename OLD to NEW`, `replace \"old text\" with \"new text\" in FILE`
- `find TEXT`, `show FILE lines 10-20`, `list FOLDER`";

const REAL_MODEL: &str = "\
For anything else set up a real model:
- with a key: `copydesk auth add anthropic` (or openai, google, openrouter, …)
- on this machine: start Ollama, then `copydesk run --model ollama/NAME …`
- `copydesk models` lists what can be used and what is missing.";

pub(super) fn unknown() -> String {
    format!("{ABILITIES}\n\n{REAL_MODEL}")
}

/// For the end of an answer that could not do all.
pub(super) fn beyond() -> &'static str {
    "This needs somebody who understands the code: you, or a real model (`copydesk auth add anthropic`, or a local one; \
     `copydesk models` lists them)."
}

pub(super) fn not_offered(tool: &str) -> String {
    format!("For this I would need the tool `{tool}`, which I am not allowed to use here. I have stopped.")
}

/// A call that was refused or failed, in its own words.
pub(super) fn stopped(output: &str) -> String {
    let why = output.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given");
    format!("I have stopped: {why}")
}
