//! `tsc --noEmit`: `src/a.ts(3,7): error TS2322: …`.

use super::{ProjectCompiler, TruthProblem};

pub(super) fn check(at: &ProjectCompiler) -> Vec<TruthProblem> {
    let (said, _) = at.run(&["--noEmit", "--pretty", "false", "-p", "."], &[]);
    said.lines().filter_map(problem).collect()
}

fn problem(line: &str) -> Option<TruthProblem> {
    let (place, rest) = line.split_once("): ")?;
    let (path, place) = place.rsplit_once('(')?;
    let (severity, rest) = rest.split_once(' ')?;
    let (code, message) = rest.split_once(": ")?;
    Some(TruthProblem {
        path: path.to_owned(),
        line: place.split(',').next()?.parse().ok()?,
        is_error: severity == "error",
        code: code.to_owned(),
        message: message.to_owned(),
        source: "tsc".to_owned(),
    })
}
