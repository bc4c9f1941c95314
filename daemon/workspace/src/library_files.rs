//! Source text of installed libraries: what a definition in a dependency or in the standard library leads to.
//!
//! It is public text, and lies where package managers and systems put it. So a session may be shown it without asking, unless
//! a rule denies it. A path is judged after its links are followed: a link in a package leads nowhere else.

use std::path::Path;

/// Folders of the system that contain no file of a user.
const SYSTEM_FOLDERS: [&str; 5] =
    ["/usr", "/nix/store", "/opt/homebrew", "/Library/Developer", "/Applications/Xcode.app"];

/// Folders of package managers, by their last names, wherever they are.
const PACKAGE_FOLDERS: [&[&str]; 8] = [
    &["registry", "src"],       // Cargo
    &["git", "checkouts"],      // Cargo
    &["lib", "rustlib", "src"], // rustup
    &["pkg", "mod"],            // Go
    &["site-packages"],         // Python
    &["dist-packages"],         // Python, Debian
    &["node_modules"],          // npm, and servers that bring the types of JavaScript along
    &["typeshed-fallback"],     // Pyright
];

/// Names of files that may contain a key, even in a package.
const NOT_SOURCE: [&str; 4] = ["pem", "key", "json", "toml"];

/// Whether a file, by its real path, belongs to an installed library.
pub fn is_library_file(real: &Path) -> bool {
    let name = real.file_name().unwrap_or_default().as_encoded_bytes();
    let is_source = !name.starts_with(b".")
        && real.extension().is_none_or(|extension| NOT_SOURCE.iter().all(|other| extension != *other));
    let Some(folder) = real.parent().filter(|_| is_source) else { return false };
    if SYSTEM_FOLDERS.iter().any(|system| folder.starts_with(system)) {
        return true;
    }
    let is_package = |above: &Path| PACKAGE_FOLDERS.iter().any(|names| ends_with(above, names));
    folder.ancestors().any(is_package)
}

fn ends_with(folder: &Path, names: &[&str]) -> bool {
    let mut parts = folder.iter().rev();
    names.iter().rev().all(|name| parts.next().is_some_and(|part| part == *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_where_package_managers_put_them() {
        let cases = [
            ("/usr/include/c++/14/vector", true),
            ("/h/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/option.rs", true),
            ("/h/.cargo/registry/src/index/serde-1.0.0/src/lib.rs", true),
            ("/h/go/pkg/mod/golang.org/x/mod@v0.1.0/module/module.go", true),
            ("/h/p/.venv/lib/python3.13/site-packages/django/db.py", true),
            ("/h/servers/node_modules/typescript/lib/lib.es5.d.ts", true),
            ("/h/.cargo/registry/credentials", false),
            ("/h/.cargo/credentials.toml", false),
            ("/h/.ssh/id_ed25519", false),
            ("/h/project/src/main.rs", false),
            ("/etc/passwd", false),
            ("/h/p/node_modules/.npmrc", false),
            ("/h/p/node_modules/x/server.pem", false),
            ("/h/p/node_modules", false),
            ("/", false),
        ];
        for (path, expected) in cases {
            assert_eq!(is_library_file(Path::new(path)), expected, "{path}");
        }
    }
}
