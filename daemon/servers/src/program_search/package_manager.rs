//! Which package managers install which programs into a project.
//!
//! A repository can bring any file under any name: npm never installs `node_modules/.bin/clangd`. So a program is
//! searched only in the folders of its own package managers. An unknown program is searched in `PATH`; if the user
//! named it and it is not there, in the folders of any package manager.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::known_servers::{self, PackageManager};

use PackageManager::{Npm, Php, Python};

/// Checkers and formatters. Servers are in `known_servers.json`.
const OTHERS: [(&[PackageManager], &str); 4] = [
    (
        &[Npm],
        "biome eslint eslint_d oxlint prettier prettierd standard stylelint svelte-check tsc tsgo vue-tsc xo dprint",
    ),
    (&[Python], "autopep8 black flake8 isort mypy dmypy pylint ruff ty pyrefly yapf"),
    (&[Python, Npm], "pyright basedpyright"),
    (&[Php], "php-cs-fixer phpcbf phpcs phpstan pint psalm"),
];

static INSTALLED_BY: LazyLock<BTreeMap<&str, &[PackageManager]>> = LazyLock::new(|| {
    let servers = known_servers::known_servers().iter();
    let servers =
        servers.flat_map(|known| known.commands.iter().map(|command| (command, &*known.package_managers)));
    let servers = servers.filter_map(|(command, managers)| Some((command.first()?.as_str(), managers)));
    let others =
        OTHERS.into_iter().flat_map(|(managers, names)| names.split(' ').map(move |name| (name, managers)));
    servers.chain(others).collect()
});

pub(super) fn managers_of(program: &str) -> &'static [PackageManager] {
    INSTALLED_BY.get(program).copied().unwrap_or_default()
}
