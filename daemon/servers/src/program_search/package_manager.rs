//! Who puts which programs into a project.
//!
//! A repository can bring any file under any name: `node_modules/.bin/clangd` is nothing that npm has put there. So each program is
//! looked for only in what its package manager makes. One of which nothing is known is looked for in `PATH`, and if a person named it and it is
//! not there, in whatever any of them makes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::known_servers::{self, PackageManager};

use PackageManager::{Npm, Php, Python};

/// Checkers and formatters; what is made of servers stands in `known_servers.json`.
const OTHERS: [(&[PackageManager], &str); 4] = [
    (
        &[Npm],
        "biome eslint eslint_d oxlint prettier prettierd standard stylelint svelte-check tsc tsgo vue-tsc xo dprint",
    ),
    (&[Python], "autopep8 black flake8 isort mypy dmypy pylint ruff ty pyrefly yapf"),
    (&[Python, Npm], "pyright basedpyright"),
    (&[Php], "php-cs-fixer phpcbf phpcs phpstan pint psalm"),
];

static MADE: LazyLock<BTreeMap<&str, &[PackageManager]>> = LazyLock::new(|| {
    let servers = known_servers::known_servers().iter();
    let servers = servers.flat_map(|known| known.commands.iter().map(|command| (command, &*known.made_by)));
    let servers = servers.filter_map(|(command, makers)| Some((command.first()?.as_str(), makers)));
    let others =
        OTHERS.into_iter().flat_map(|(makers, names)| names.split(' ').map(move |name| (name, makers)));
    servers.chain(others).collect()
});

pub(super) fn managers_of(program: &str) -> &'static [PackageManager] {
    MADE.get(program).copied().unwrap_or_default()
}
