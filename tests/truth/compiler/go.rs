//! `go build`, which reports every type error, and then `go vet`, whose other findings are warnings.

use super::{ProjectCompiler, TruthProblem, cache, parse_location};

pub(super) fn check(at: &ProjectCompiler) -> Vec<TruthProblem> {
    let built = cache().join("truth/go");
    let modules = built.join("modules");
    let (off, local) = (std::path::Path::new("off"), std::path::Path::new("local"));
    let environment =
        [("GOCACHE", built.as_path()), ("GOPATH", &modules), ("GOPROXY", off), ("GOTOOLCHAIN", local)];
    let (_, said) = at.run(&["build", "-gcflags=-e", "-o", "/dev/null", "./..."], &environment);
    let errors: Vec<_> = said.lines().filter_map(|line| problem(at, line, true)).collect();
    if !errors.is_empty() {
        return errors;
    }
    let (_, said) = at.run(&["vet", "./..."], &environment);
    said.lines().filter_map(|line| problem(at, line.trim_start_matches("vet: "), false)).collect()
}

fn problem(at: &ProjectCompiler, line: &str, is_error: bool) -> Option<TruthProblem> {
    let (path, line, message) = parse_location(line)?;
    let message = message.to_owned();
    Some(TruthProblem {
        path: at.relative_path(path),
        line,
        is_error,
        code: String::new(),
        message,
        source: "go".into(),
    })
}
