//! `clang -fsyntax-only`, file by file, with the project's flags.

use super::{ProjectCompiler, ProjectTexts, TruthProblem, parse_location};

pub(super) fn check(at: &ProjectCompiler, state: &ProjectTexts) -> Vec<TruthProblem> {
    let flags =
        state.get("compile_flags.txt").map(|flags| flags.lines().collect::<Vec<_>>()).unwrap_or_default();
    let mut problems = Vec::new();
    for path in state.keys().filter(|path| path.ends_with(".c")) {
        let mut args = flags.clone();
        args.extend(["-fsyntax-only", "-fno-caret-diagnostics", "-ferror-limit=0", path]);
        let (_, said) = at.run(&args, &[]);
        let found: Vec<_> = said.lines().filter_map(|line| problem(at, line)).collect();
        // A header that is missing ends the reading of this file, too, wherever it is included.
        let in_header = found.iter().find(|problem| problem.is_fatal() && problem.path != *path);
        problems.extend(in_header.map(|fatal| TruthProblem {
            path: path.clone(),
            line: 1,
            is_error: false,
            ..fatal.clone()
        }));
        problems.extend(found);
    }
    problems
}

fn problem(at: &ProjectCompiler, line: &str) -> Option<TruthProblem> {
    let (path, line, rest) = parse_location(line)?;
    let (severity, message) = rest.split_once(": ")?;
    let is_error = match severity {
        "error" | "fatal error" => true,
        "warning" => false,
        _ => return None,
    };
    let message = message.to_owned();
    let code = if severity == "fatal error" { "fatal".to_owned() } else { String::new() };
    Some(TruthProblem { path: at.relative_path(path), line, is_error, code, message, source: "clang".into() })
}
