//! The sockets of this machine's programs that have a path. A read-only mount does not keep a program from connecting to one.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::FileTypeExt as _,
    path::{Path, PathBuf},
};

/// Real paths of all sockets that exist now.
pub(super) fn find() -> Vec<PathBuf> {
    let Ok(table) = fs::read_to_string("/proc/net/unix") else { return Vec::new() };
    // A program that many connect to is listed once for each connection.
    let listed: BTreeSet<_> = paths(&table).collect();
    let real: BTreeSet<_> =
        listed.iter().filter(|path| is_socket(path)).filter_map(|path| path.canonicalize().ok()).collect();
    real.into_iter().collect()
}

fn is_socket(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket())
}

/// `Num RefCount Protocol Flags Type St Inode Path`; abstract sockets begin with `@`.
fn paths(table: &str) -> impl Iterator<Item = PathBuf> {
    table.lines().skip(1).filter_map(|line| {
        let path = line.get(line.find(" /")? + 1..)?;
        Some(PathBuf::from(path))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_socket_is_found_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a b.sock");
        let _listener = UnixListener::bind(&path).unwrap();
        assert!(find().contains(&path));
    }
}
