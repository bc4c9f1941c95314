//! The real servers, and the compilers that they are compared with: the output of `tests/install/servers`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// The servers of the bench, in the order of its table.
pub(crate) const ALL: [&str; 7] =
    ["rust-analyzer", "typescript-language-server", "typescript-7", "pyright", "ruff", "clangd", "gopls"];

/// The path of each program.
pub(crate) struct InstalledServers(BTreeMap<String, PathBuf>);

/// The cache of the tests, which outlives them.
pub(crate) fn cache() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    variable("COPYDESK_TEST_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("copydesk-tests")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/copydesk-tests")))
        .expect("there is a home")
}

impl InstalledServers {
    /// Those in `COPYDESK_TEST_SERVERS`, as `NAME=PATH` separated by `:`. Without it they are installed now.
    pub(crate) fn installed() -> Self {
        let named = std::env::var("COPYDESK_TEST_SERVERS").unwrap_or_else(|_| {
            let install = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/install/servers");
            let output = Command::new(install).arg(cache()).output().expect("the servers are installed");
            String::from_utf8(output.stdout).unwrap()
        });
        let lines = named.split([':', '\n']).filter_map(|line| line.split_once('='));
        Self(lines.map(|(name, path)| (name.to_owned(), PathBuf::from(path))).collect())
    }

    /// Whether a server and its compiler are installed.
    pub(crate) fn has(&self, server: &str) -> bool {
        let (program, compiler) = programs(server);
        self.0.contains_key(program) && (compiler == "cargo" || self.0.contains_key(compiler))
    }

    pub(crate) fn compiler(&self, server: &str) -> PathBuf {
        match programs(server).1 {
            "cargo" => PathBuf::from("cargo"),
            name => self.0[name].clone(),
        }
    }

    /// The version that the program prints.
    pub(crate) fn version(&self, server: &str) -> String {
        let (program, compiler) = programs(server);
        // pyright's server has no such option; its compiler, of the same version, comes with it.
        let program = if server == "pyright" { compiler } else { program };
        let argument = if server == "gopls" { "version" } else { "--version" };
        let said = Command::new(&self.0[program]).arg(argument).output().map(|output| output.stdout);
        let said = String::from_utf8(said.unwrap_or_default()).unwrap_or_default();
        let mut words = said.lines().next().unwrap_or_default().split_whitespace();
        words
            .rfind(|word| word.contains('.') && word.contains(|letter: char| letter.is_ascii_digit()))
            .unwrap_or_default()
            .to_owned()
    }

    /// The environment variables with which the daemon finds this server and no other one of the bench.
    pub(crate) fn environment(&self, server: &str) -> Vec<(&'static str, OsString)> {
        let folder = self.0[programs(server).0].parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&path)));
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        // A toolchain is found by the home, and the test has another one.
        let kept = |name: &'static str, folder: &str| {
            (name, std::env::var_os(name).unwrap_or_else(|| home.join(folder).into_os_string()))
        };
        vec![
            ("PATH", path.unwrap()),
            kept("RUSTUP_HOME", ".rustup"),
            kept("CARGO_HOME", ".cargo"),
            ("GOCACHE", cache().join("truth/go").into_os_string()),
            ("GOPATH", cache().join("truth/go/modules").into_os_string()),
            ("GOPROXY", "off".into()),
            ("GOTOOLCHAIN", "local".into()),
        ]
    }

    /// The user's configuration for it. TypeScript 7, which `known_servers.json` also calls `typescript-native`, is found in
    /// projects that have installed it, which these have not.
    pub(crate) fn config(&self, server: &str) -> Value {
        if server == "typescript-7" {
            let command = [self.0[programs(server).0].to_str().unwrap(), "--lsp", "--stdio"];
            return json!({ "lsp": { (server): { "command": command } } });
        }
        json!({})
    }

    /// Its program and arguments, for an editor that runs it.
    pub(crate) fn command(&self, server: &str) -> Vec<String> {
        let program: &Path = &self.0[programs(server).0];
        let arguments: &[&str] = match server {
            "typescript-language-server" | "pyright" => &["--stdio"],
            "typescript-7" => &["--lsp", "--stdio"],
            "ruff" => &["server"],
            _ => &[],
        };
        [program.to_str().unwrap()].iter().chain(arguments).map(|part| (*part).to_owned()).collect()
    }
}

/// The programs of a server and its compiler, by the installer's names: of a package and of a program in it, if they differ.
fn programs(server: &str) -> (&'static str, &'static str) {
    match server {
        "rust-analyzer" => ("rust-analyzer", "cargo"),
        "typescript-language-server" => ("typescript-language-server", "typescript-5-tsc"),
        "typescript-7" => ("typescript-7-tsc", "typescript-7-tsc"),
        "pyright" => ("pyright-langserver", "pyright"),
        "ruff" => ("ruff", "ruff"),
        "clangd" => ("clangd", "clang"),
        "gopls" => ("gopls", "go"),
        _ => panic!("{server} is no server of the bench"),
    }
}
