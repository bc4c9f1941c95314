//! What a user of VS Code sees of hunks, and how they decide them.

use serde_json::{Value, json};

use super::vscode_user::VscodeUser;

impl VscodeUser {
    /// Waits until the daemon has so many undecided hunks in the session.
    #[track_caller]
    pub(crate) fn wait_for_hunks(&mut self, hunks: usize) {
        let params = json!({ "session": self.session });
        self.poll("copydesk/review/list", &params, |listed| {
            let reviews = listed["reviews"].as_array().unwrap().iter();
            let lines = reviews.clone().map(|review| review["hunks"].as_array().map_or(0, Vec::len));
            let files = reviews.filter(|review| review["file"].is_object()).count();
            lines.sum::<usize>() + files == hunks
        });
    }

    /// Waits until exactly these lines, from 0, have lenses to accept a hunk.
    #[track_caller]
    pub(crate) fn wait_for_lenses(&mut self, file: &str, lines: &[u32]) {
        let wait = "const [file, wanted] = args;
            let seen;
            const look = async () => {
                const lenses = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', T.uri(file), 1000);
                const accepts = lenses.filter((lens) => lens.command?.command === 'copydesk.review.accept');
                seen = accepts.map((lens) => lens.range.start.line).sort((a, b) => a - b);
                return JSON.stringify(seen) === JSON.stringify(wanted);
            };
            await T.until(look).catch(() => { throw new Error(`${file} has lenses on ${seen} instead of ${wanted}`); })";
        self.window.js(wait, json!([file, lines]));
    }

    /// Puts the cursor on a line, from 0, of a file, and runs a command there.
    #[track_caller]
    pub(crate) fn run_at(&mut self, file: &str, line: u32, command: &str) -> Value {
        let place = "const [file, line] = args;
            const editor = await T.open(file);
            editor.selection = new vscode.Selection(line, 0, line, 0);
            editor.revealRange(editor.selection)";
        self.window.js(place, json!([file, line]));
        self.command(command, json!([]))
    }
}
