//! Source text of installed libraries: what a definition in a dependency or in the standard library leads to.
//!
//! It is public text, and lies where package managers and systems put it. So a session may be shown it without asking, unless
//! a rule denies it. A path is judged after its links are followed: a link in a package leads nowhere else.

use std::ffi::OsStr;
use std::path::Path;

/// Folders of the system that contain no file of a user.
const SYSTEM_FOLDERS: [&str; 9] = [
    "/usr/include",
    "/usr/lib",
    "/usr/share",
    "/usr/local/include",
    "/usr/local/lib",
    "/usr/local/go/src",
    "/nix/store",
    "/opt/homebrew/Cellar",
    "/Library/Developer",
];

/// Folders of package managers, by their last names, wherever they are.
const PACKAGE_FOLDERS: [&[&str]; 9] = [
    &[".cargo", "registry", "src"],
    &[".cargo", "git", "checkouts"],
    &["cargo", "registry", "src"], // images of Rust
    &["lib", "rustlib", "src"],    // rustup
    &["go", "pkg", "mod"],
    &["site-packages"], // Python
    &["dist-packages"], // Python, Debian
    &["node_modules"],  // npm, and servers that bring the types of JavaScript and Python along
    &["typeshed"],
];

/// What language servers name. Settings and keys have other names.
const SOURCE_EXTENSIONS: [&str; 33] = [
    "c", "cc", "cjs", "cpp", "cs", "cts", "cxx", "go", "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "java",
    "js", "jsx", "kt", "lua", "mjs", "mts", "php", "py", "pyi", "rb", "rs", "swift", "tcc", "ts", "tsx",
    "vue", "zig",
];

/// Whether a file, by its real path, belongs to an installed library.
pub fn is_library_file(real: &Path) -> bool {
    let Some(folder) = real.parent() else { return false };
    let is_source = match real.extension() {
        Some(extension) => SOURCE_EXTENSIONS.iter().any(|source| extension == *source),
        // The headers of C++ have none.
        None => folder.iter().any(|part| part == "include"),
    };
    if !is_source {
        return false;
    }
    let library = folder.ancestors().find(|above| {
        let is_system = SYSTEM_FOLDERS.iter().any(|system| *above == Path::new(system));
        is_system || PACKAGE_FOLDERS.iter().any(|names| ends_with(above, names))
    });
    // What is hidden in it is not the library's.
    let is_hidden = |part: &OsStr| part.as_encoded_bytes().starts_with(b".");
    let below = library.and_then(|library| real.strip_prefix(library).ok());
    below.is_some_and(|below| !below.iter().any(is_hidden))
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
            ("/h/git/checkouts/employer/plan.py", false),
            ("/h/code/registry/src/private/billing.rs", false),
            ("/h/work/pkg/mod/keys.go", false),
            ("/usr/src/app/secrets.py", false),
            ("/usr/local/etc/a.conf", false),
            ("/usr/lib/python3/config.yml", false),
            ("/h/node_modules/x/.git/hook.js", false),
            ("/h/node_modules/.cache/auth.js", false),
            ("/h/node_modules/x/token", false),
            ("/", false),
        ];
        for (path, expected) in cases {
            assert_eq!(is_library_file(Path::new(path)), expected, "{path}");
        }
    }
}
